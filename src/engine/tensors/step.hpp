// Step: one thing a run of a network of tensors does. Steps are made once and run by many sessions at once, each on memory of its own.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <lacuna/network.hpp>

#include "dense/conv.hpp"
#include "dense/pool.hpp"
#include "devices/cpu/isa.hpp"
#include "engine/tensors/place.hpp"
#include "plan/sparse_conv.hpp"

namespace lacuna::engine::tensors {

/// Memory of a value: in a buffer of the run, or a constant of the network; nothing for an optional input that is missing.
struct Operand {
  static constexpr std::size_t no_buffer = static_cast<std::size_t>(-1);
  std::size_t buffer = no_buffer;
  const std::byte* constant = nullptr;
};

/// The memory of one run: where each buffer is. Steps read the caller's inputs and write his outputs in place.
struct Frame {
  std::vector<std::byte*> buffers;
  float* of_threads = nullptr;  ///< memory that each thread has to itself in all steps, and the floats from one thread's to the next
  std::size_t thread_pitch = 0;
  const Frame* above = nullptr;  ///< of the bands above and below (bands.hpp), which run the same steps at the same time
  const Frame* below = nullptr;
  std::vector<double>* seconds = nullptr;  ///< of each operator: steps that do the work of several say what each took; null: nobody asks

  std::byte* at(std::size_t buffer) const { return buffers[buffer]; }
  const std::byte* at(const Operand& operand) const { return operand.buffer == Operand::no_buffer ? operand.constant : at(operand.buffer); }
  float* floats(std::size_t buffer) const { return reinterpret_cast<float*>(at(buffer)); }
};

class Step {
 public:
  virtual ~Step() = default;
  virtual void run(const Frame& frame) const = 0;
};

using StepPointer = std::unique_ptr<const Step>;

/// An operator by src/operators.
StepPointer plain_step(const Network& network, const Operator& op, std::vector<Operand> inputs, std::size_t output);

/// A constant into plain memory of the run.
StepPointer constant_step(const Value& value, std::size_t target);

/// From one place to another.
StepPointer copy_step(const Value& value, const Place& from, std::size_t source, const Place& to, std::size_t target, unsigned threads);

StepPointer dense_conv_step(std::shared_ptr<const dense::DenseConv> conv, std::size_t input, std::size_t skip, std::size_t output, std::size_t scratch);
StepPointer dense_pool_step(std::shared_ptr<const dense::DensePool> pool, std::size_t input, std::size_t output);
StepPointer sparse_conv_step(std::shared_ptr<const plan::SparseConv> conv, std::size_t input, std::size_t skip, std::size_t output, std::size_t scratch);

/// An operator straight on planes, if there is a way: pooling, element by element, concatenation of channels. Null if not.
StepPointer planes_step(const Network& network, const Operator& op, const std::vector<rows::Planes>& places, const std::vector<std::size_t>& inputs,
                        const rows::Planes& place, std::size_t output, cpu::Isa isa, unsigned threads);
bool can_run_on_planes(const Network& network, const Operator& op);

}  // namespace lacuna::engine::tensors
