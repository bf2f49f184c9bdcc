// What every operator of a network of tensors is and does: the shape and type of its output, and the output itself by plain loops. One list
// (operator_list.cpp) names them all. Front ends infer with it and fold constants; the reference is it; the engine runs with it what has no
// faster way.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include <lacuna/network.hpp>
#include <lacuna/tensor.hpp>

namespace lacuna::operators {

/// What is known of a value before anything runs.
struct Signature {
  ElementType type = ElementType::f32;
  Shape shape;
};

/// An input as inference sees it. A missing optional input has no `shape`.
struct Argument {
  const Shape* shape = nullptr;
  ElementType type = ElementType::f32;
  const Array<std::byte>* constant = nullptr;  ///< null: known only when it runs

  bool is_missing() const { return shape == nullptr; }
};

/// Memory of a tensor, read only. A missing optional input has no `shape`; a tensor without elements may have no `data`.
struct TensorView {
  ElementType type = ElementType::f32;
  const Shape* shape = nullptr;
  const std::byte* data = nullptr;

  bool is_missing() const { return shape == nullptr; }
  template <typename T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(data), shape->size()};
  }
};

/// The operators by name, ascending.
std::vector<std::string_view> known_operators();
bool is_known(std::string_view name);

/// Type and shape of the output. Throws InputError where inputs do not fit the operator (with its name and the shapes), Unsupported for an operator
/// or a variant that is not known, and where a shape depends on a value that is known only at run time.
Signature infer(const Call& call, std::span<const Argument> inputs);

/// The output's shape of a convolution of a value of shape `input`. Throws InputError.
Shape infer(const Conv& conv, const Shape& input);

/// Infers every operator of a network of tensors and compares with what its values claim; after it evaluate() may run them. Needs: verify(network) passed.
/// Throws InputError, Unsupported, with the value's name.
void check(const Network& network);

/// Computes the output into `output`, which has infer()'s size. Needs: infer() took these inputs; memory aligned for its elements.
void evaluate(const Call& call, std::span<const TensorView> inputs, const Signature& signature, std::byte* output);

/// inputs: the value, and the skip connection if there is one. Sums in double.
void evaluate(const Conv& conv, std::span<const TensorView> inputs, const Signature& signature, std::byte* output);

/// The attribute of that name, or nothing.
const Attribute* find_attribute(const Call& call, std::string_view name);

}  // namespace lacuna::operators
