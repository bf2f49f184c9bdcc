// A network of tensors as launches on one GPU: where values stand, which kernels run, which layers a library of the device multiplies, which operators the host has to run in between. Made
// without a device.
//
// A value stands in one place: on padded planes if a convolution reads or writes it, side by side otherwise. What goes to or comes from the host does so side by
// side; a kernel copies it to or from its place. Values that never live at once share a buffer, if they stand in the same way: so the zeros around planes are
// written once, when the memory is allocated.
#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include <lacuna/network.hpp>

#include "devices/gpu/dense.hpp"
#include "engine/gpus/conv_choices.hpp"
#include "kernel/thread_program.hpp"
#include "rows/planes.hpp"

namespace lacuna::engine::gpus {

struct TensorPlan {
  static constexpr std::size_t no_buffer = static_cast<std::size_t>(-1);

  struct Argument {
    enum class Kind : std::uint8_t { buffer, table } kind;
    std::size_t index;
  };
  struct Launch {
    std::size_t program;
    std::uint32_t blocks_x, blocks_y;
    std::vector<Argument> arguments;
  };
  /// An operator that the host runs.
  struct HostStep {
    std::vector<std::size_t> inputs;   ///< buffers to read from; no_buffer: the value is on the host already, or a constant, or missing
    std::size_t output = no_buffer;    ///< buffer to write to; no_buffer: nobody on the device reads it
  };
  /// A layer that a library of the device multiplies; a launch after it adds the rest.
  struct LibraryStep {
    gpu::DenseLayer layer;
    Argument source, weights, output;
  };
  struct Step {
    std::size_t op;
    std::variant<std::vector<Launch>, HostStep, LibraryStep> work;
    bool is_copy = false;  ///< it only brings a value to its place or back
  };
  struct Port {
    ValueId value;
    std::size_t buffer;  ///< no_buffer: on the host
  };

  std::vector<kernel::ThreadProgram> programs;        ///< each once, however many steps launch it
  std::vector<std::vector<std::uint32_t>> tables;     ///< of convolutions, and constants that kernels read
  std::vector<std::size_t> buffer_bytes;
  std::vector<Step> steps;
  std::vector<Port> inputs, outputs;
  std::vector<std::string> kernels;                   ///< of each operator: what runs it, and where
};

/// Throws Unsupported for what neither kernels nor the host run. `choices`: of each operator, by choose_convs(). A layer that shall be dense and that no library can compute as it stands runs by a
/// kernel of ours, and `kernels` says why.
TensorPlan plan_tensors(const Network& network, std::span<const ConvChoice> choices);

}  // namespace lacuna::engine::gpus
