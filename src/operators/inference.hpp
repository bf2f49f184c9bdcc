// What an operator's inference and evaluation are given, and the list that joins them under a name.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "operators/attributes.hpp"
#include "operators/element.hpp"
#include "operators/shapes.hpp"

namespace lacuna::operators {

/// Elements as integers or as doubles, whatever their type and alignment. Needs: an integer type or bool; a number's.
Integers to_integers(ElementType type, std::span<const std::byte> bytes);
std::vector<double> to_doubles(ElementType type, std::span<const std::byte> bytes);

/// A Call that asks for its output's type and shape.
struct Inference {
  const Call& call;
  std::span<const Argument> inputs;

  bool has(std::size_t k) const { return k < inputs.size() && !inputs[k].is_missing(); }
  const Shape& shape(std::size_t k) const { return *inputs[k].shape; }
  std::size_t rank(std::size_t k) const { return shape(k).extents.size(); }
  ElementType type(std::size_t k) const { return inputs[k].type; }

  /// The constant input k, a list or a single element. `what` is its name in messages. Throws Unsupported if it is known only at run time.
  Integers integers(std::size_t k, std::string_view what) const;
  std::vector<double> doubles(std::size_t k, std::string_view what) const;

  void check_rank(std::size_t k, std::size_t rank, std::string_view what) const;
  /// Inputs `first` and later, where they are given, have the type of input `as`.
  void check_same_type(std::size_t first, std::size_t as = 0) const;
  Signature same_as(std::size_t k) const { return {type(k), shape(k)}; }
};

/// A Call with its inputs' elements and memory for its output.
struct Evaluation {
  const Call& call;
  std::span<const TensorView> inputs;
  const Signature& signature;
  std::byte* output;

  bool has(std::size_t k) const { return k < inputs.size() && !inputs[k].is_missing(); }
  const Shape& shape(std::size_t k) const { return *inputs[k].shape; }
  ElementType type(std::size_t k) const { return inputs[k].type; }
  template <typename T>
  const T* in(std::size_t k) const {
    return reinterpret_cast<const T*>(inputs[k].data);
  }
  template <typename T>
  T* out() const {
    return reinterpret_cast<T*>(output);
  }
  std::size_t out_size() const { return signature.shape.size(); }
  std::size_t element_bytes() const { return size_of(signature.type); }

  Integers integers(std::size_t k) const { return to_integers(type(k), bytes(k)); }
  std::vector<double> doubles(std::size_t k) const { return to_doubles(type(k), bytes(k)); }
  std::span<const std::byte> bytes(std::size_t k) const { return {inputs[k].data, shape(k).size() * size_of(type(k))}; }
};

using Infer = Signature(const Inference&);
using Evaluate = void(const Evaluation&);

/// A line of the list.
struct Entry {
  std::string_view name;
  std::size_t least_inputs;
  std::size_t most_inputs;
  Types types;  ///< of the first input
  Infer* infer;
  Evaluate* evaluate;
  std::uint32_t outputs = 1;
};

inline constexpr std::size_t any_number = 1 << 20;

}  // namespace lacuna::operators
