// Convolutions and the pooling after them, depth first: each thread takes some rows at a time through all of them while they stay in its L2, instead of writing every value to memory and reading it
// back. Values between them have no buffers; each thread has a strip of their rows. Rows that the next strip reads too are kept, those at the border between threads are computed by both.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include <lacuna/network.hpp>

#include "engine/tensors/tensor_program.hpp"

namespace lacuna::engine::tensors {

/// A network as it was planned.
struct Planned {
  const Network& network;
  const std::vector<Choice>& choices;
  const std::vector<rows::Planes>& planes;
  const std::vector<unsigned>& reads;  ///< of each value: passes::count_reads()
  cpu::Isa isa;
  unsigned threads;
};

/// The operator after the last of a chain that begins with operator `first`: one sparse convolution or more, then pooling, each the only reader of the one before. Nothing if none begins there.
std::optional<std::size_t> end_of_chain(const Planned& planned, std::size_t first);

/// Operators [first, end), a chain, ready to run.
class StripChain {
 public:
  virtual ~StripChain() = default;
  virtual std::size_t thread_floats() const = 0;  ///< of memory that each thread needs
  /// `seconds`, null or one for each operator: what the first thread took for it is added.
  virtual void run(const float* input, float* output, float* of_threads, std::size_t thread_pitch, double* seconds) const = 0;
};

/// Null if strips or kernels for them do not fit.
std::unique_ptr<const StripChain> make_strip_chain(const Planned& planned, std::size_t first, std::size_t end);

/// `first`: number of its first operator.
StepPointer strip_chain_step(std::unique_ptr<const StripChain> chain, std::size_t first, std::size_t input, std::size_t output);

}  // namespace lacuna::engine::tensors
