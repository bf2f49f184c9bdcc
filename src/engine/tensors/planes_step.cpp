// Operators straight on planes: pooling, sums, activations, products with a gate for each channel, concatenation of channels. All are plain loops
// along the lanes, which stand side by side.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "engine/tensors/each_row.hpp"
#include "engine/tensors/pool_on_planes.hpp"
#include "engine/tensors/pool_shape.hpp"
#include "engine/tensors/step.hpp"
#include "operators/attributes.hpp"

namespace lacuna::engine::tensors {
namespace {

using rows::Planes;

/// Lanes that stand side by side: pixels of a line, or the inputs of the batch at one pixel.
std::size_t lanes_of(const Planes& planes) { return !planes.lanes_are_inputs() ? planes.width : planes.batch; }
/// Runs of such lanes in a row.
std::size_t runs_of(const Planes& planes) { return !planes.lanes_are_inputs() ? 1 : planes.width; }

/// output = function(a, b) lane by lane; b may be one number for each image and channel.
template <typename Function>
class LanesStep : public Step {
 public:
  LanesStep(std::vector<Planes> from, std::vector<std::size_t> inputs, const Planes& to, std::size_t output, unsigned threads, Function function)
      : from_(std::move(from)), inputs_(std::move(inputs)), to_(to), output_(output), threads_(threads), function_(function) {}

  void run(const Frame& frame) const override {
    float* const output = frame.floats(output_);
    const float* const a = frame.floats(inputs_[0]);
    const float* const b = inputs_.size() > 1 ? frame.floats(inputs_[1]) : a;
    const Planes& from_b = from_.size() > 1 ? from_[1] : from_[0];
    const bool is_gate = from_b.height * from_b.width == 1 && to_.height * to_.width > 1;
    const std::size_t lanes = lanes_of(to_);
    for_each_row(to_, output, threads_, [&](std::size_t image, std::size_t channel, std::size_t row) {
      for (std::size_t run = 0; run < runs_of(to_); ++run) {
        float* const target = output + to_.at(image, channel, row, run);
        const float* const x = a + from_[0].at(image, channel, row, run);
        const float* const y = b + (is_gate ? from_b.at(image, channel, 0, 0) : from_b.at(image, channel, row, run));
        if (is_gate && !to_.lanes_are_inputs())
          for (std::size_t lane = 0; lane < lanes; ++lane) target[lane] = function_(x[lane], *y);
        else
          for (std::size_t lane = 0; lane < lanes; ++lane) target[lane] = function_(x[lane], y[lane]);
      }
    });
  }

 private:
  std::vector<Planes> from_;
  std::vector<std::size_t> inputs_;
  Planes to_;
  std::size_t output_;
  unsigned threads_;
  Function function_;
};

class ConcatOnPlanes : public Step {
 public:
  ConcatOnPlanes(std::vector<Planes> from, std::vector<std::size_t> inputs, const Planes& to, std::size_t output, unsigned threads)
      : from_(std::move(from)), inputs_(std::move(inputs)), to_(to), output_(output), threads_(threads) {}

  void run(const Frame& frame) const override {
    float* const output = frame.floats(output_);
    for_each_row(to_, output, threads_, [&](std::size_t image, std::size_t channel, std::size_t row) {
      std::size_t k = 0, first = 0;  // the input that has this channel, and its first one
      while (channel >= first + from_[k].channels) first += from_[k++].channels;
      const float* const input = frame.floats(inputs_[k]);
      for (std::size_t run = 0; run < runs_of(to_); ++run)
        std::memcpy(output + to_.at(image, channel, row, run), input + from_[k].at(image, channel - first, row, run), lanes_of(to_) * sizeof(float));
    });
  }

 private:
  std::vector<Planes> from_;
  std::vector<std::size_t> inputs_;
  Planes to_;
  std::size_t output_;
  unsigned threads_;
};

const Call* call_of(const Operator& op) { return std::get_if<Call>(&op.operation); }

bool is_gate_for(const Shape& gate, const Shape& of) {
  if (gate.extents.size() != of.extents.size() || gate.extents.size() < 3 || gate.extents[0] != of.extents[0] || gate.extents[1] != of.extents[1]) return false;
  return std::all_of(gate.extents.begin() + 2, gate.extents.end(), [](std::uint32_t extent) { return extent == 1; });
}

/// Element by element: all of the output's shape, or the second a gate.
bool fits_lanes(const Network& network, const Operator& op, std::size_t inputs) {
  if (op.inputs.size() != inputs) return false;
  const Shape& shape = network.value(op.output).shape;
  for (std::size_t k = 0; k < inputs; ++k) {
    const Value& value = network.value(op.inputs[k]);
    if (value.is_constant || value.type != ElementType::f32 || (value.shape != shape && !(k == 1 && is_gate_for(value.shape, shape)))) return false;
  }
  return true;
}

bool is_channel_concat(const Network& network, const Operator& op, const Call& call) {
  if (call.name != "Concat" || operators::integer_attribute(call, "axis", 0) != 1) return false;
  return std::none_of(op.inputs.begin(), op.inputs.end(), [&](ValueId id) { return network.value(id).is_constant; });
}

}  // namespace

bool can_run_on_planes(const Network& network, const Operator& op) {
  const Call* call = call_of(op);
  const Value& output = network.value(op.output);
  if (call == nullptr || output.type != ElementType::f32 || output.shape.extents.size() < 3 || output.shape.extents.size() > 4) return false;
  if (pool_shape(network, op)) return true;
  if (call->name == "Add" || call->name == "Mul") return fits_lanes(network, op, 2);
  if (call->name == "Relu" || call->name == "Sigmoid" || call->name == "HardSwish") return fits_lanes(network, op, 1);
  return is_channel_concat(network, op, *call);
}

StepPointer planes_step(const Network& network, const Operator& op, const std::vector<Planes>& places, const std::vector<std::size_t>& inputs, const Planes& place,
                        std::size_t output, cpu::Isa isa, unsigned threads) {
  if (auto pool = pool_shape(network, op)) return pool_on_planes(*std::move(pool), places[0], inputs[0], place, output, isa, threads);
  const std::string& name = call_of(op)->name;
  const auto lanes = [&]<typename Function>(Function function) -> StepPointer {
    return std::make_unique<LanesStep<Function>>(places, inputs, place, output, threads, function);
  };
  if (name == "Add") return lanes([](float a, float b) { return a + b; });
  if (name == "Mul") return lanes([](float a, float b) { return a * b; });
  if (name == "Relu") return lanes([](float a, float) { return a > 0 ? a : 0.0f; });
  if (name == "Sigmoid") return lanes([](float a, float) { return 1 / (1 + std::exp(-a)); });
  if (name == "HardSwish") return lanes([](float a, float) { return a * std::clamp(a / 6 + 0.5f, 0.0f, 1.0f); });
  return std::make_unique<ConcatOnPlanes>(places, inputs, place, output, threads);
}

}  // namespace lacuna::engine::tensors
