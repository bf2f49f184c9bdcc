// The functions of neurons as steps of a thread program, in float: every curve of NeuronFunction built from the arithmetic that all GPUs have.
#pragma once

#include <optional>

#include <lacuna/neuron_function.hpp>

#include "kernel/thread_builder.hpp"

namespace lacuna::kernel {

/// How the rows of one curve end in a kernel. What all functions of the curve agree on is a constant in the code; the rest a row reads from the record of its function.
struct Ending {
  Curve curve = Curve::identity;
  std::optional<float> limit, bend, gain, offset;

  bool reads_record() const { return !limit || !bend || !gain || !offset; }
  bool operator==(const Ending&) const = default;
};

/// A record: limit, bend, gain, offset.
inline constexpr std::uint32_t function_record_bytes = 16;

/// Curves that are powers take their argument times this, so that it costs nothing where it is multiplied into weights and biases.
float argument_factor(Curve curve);

/// The limit of a curve's argument as the kernel needs it: times the factor, and infinite where a float's value hardly changes beyond it.
float limit_in_kernel(Curve curve, double limit);

/// gain * curve(u) + offset for each u of `values`, none beyond +-limit; `values` themselves may change. `record`: the address of the function's record; read only if
/// the ending wants it. Within 16 units of 2^-24 of the sum of the value's magnitude, gain and offset, as on the CPU.
std::vector<Source> apply_ending(ThreadBuilder& builder, const Ending& ending, const std::vector<Register>& values, const std::optional<Register>& record);

}  // namespace lacuna::kernel
