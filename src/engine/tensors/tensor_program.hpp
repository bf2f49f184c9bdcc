// TensorProgram: a network of tensors as steps over buffers. Made once; every run brings an arena of its own.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <lacuna/network.hpp>
#include <lacuna/tensor.hpp>

#include "engine/tensors/buffers.hpp"
#include "engine/tensors/step.hpp"

namespace lacuna::engine::tensors {

/// Who runs an operator, and where its output stands.
enum class World { plain, planes, dense };

struct Choice {
  World world = World::plain;
  std::shared_ptr<const dense::DenseConv> dense{};
  std::shared_ptr<const plan::SparseConv> sparse{};
};

struct TensorProgram {
  struct Port {
    std::string name;
    ElementType type;
    Shape shape;
    Operand memory;
    Array<std::byte> constant;  ///< an output that is one
  };
  struct StepOf {
    StepPointer step;
    std::size_t op;       ///< the operator it is done for
    bool is_copy = false; ///< from one place to another
  };

  std::vector<StepOf> steps;
  std::vector<std::size_t> offsets;  ///< of the buffers
  std::size_t arena_bytes = 0;
  std::size_t least_bytes = 0;       ///< no placement needs less
  unsigned threads = 1;
  std::vector<Port> inputs;
  std::vector<Port> outputs;

  /// Needs: arena_bytes of memory on a multiple of 64; inputs checked by check_inputs. `seconds` (of each step, added up) may be null.
  void run(std::byte* arena, std::span<const TypedTensor> tensors, std::vector<double>* seconds = nullptr) const;
  std::vector<TypedTensor> take_outputs(const std::byte* arena) const;

  /// Throws InputError where number, type or shape do not fit.
  void check_inputs(std::span<const TypedTensor> tensors) const;
};

/// Throws InputError where number, type or shape of the tensors do not fit the ports.
void check_inputs(std::span<const TensorProgram::Port> ports, std::span<const TypedTensor> tensors);

/// Needs: a choice for each operator that can be carried out; `planes` for each value that is wanted on planes.
TensorProgram build_program(const Network& network, const std::vector<Choice>& choices, const std::vector<rows::Planes>& planes, unsigned threads);

}  // namespace lacuna::engine::tensors
