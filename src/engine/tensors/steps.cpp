// The steps that hand over to others: plain operators, copies, dense and sparse convolutions.
#include <cstring>

#include "base/team.hpp"
#include "engine/tensors/step.hpp"
#include "operators/operators.hpp"
#include "rows/planes.hpp"

namespace lacuna::engine::tensors {
namespace {

class PlainStep : public Step {
 public:
  PlainStep(const Network& network, const Operator& op, std::vector<Operand> inputs, std::size_t output)
      : operation_(op.operation), inputs_(std::move(inputs)), output_(output), signature_{network.value(op.output).type, network.value(op.output).shape} {
    for (ValueId id : op.inputs) {
      const bool is_missing = id == no_value;
      missing_.push_back(is_missing);
      shapes_.push_back(is_missing ? Shape{} : network.value(id).shape);
      types_.push_back(is_missing ? ElementType::f32 : network.value(id).type);
      if (!is_missing && network.value(id).is_constant) constants_.push_back(network.value(id).constant);
    }
  }

  void run(const Frame& frame) const override {
    std::vector<operators::TensorView> views;
    views.reserve(inputs_.size());
    for (std::size_t k = 0; k < inputs_.size(); ++k) views.push_back({types_[k], missing_[k] ? nullptr : &shapes_[k], frame.at(inputs_[k])});
    if (const auto* call = std::get_if<Call>(&operation_))
      operators::evaluate(*call, views, signature_, frame.at(output_));
    else
      operators::evaluate(std::get<Conv>(operation_), views, signature_, frame.at(output_));
  }

 private:
  Operation operation_;
  std::vector<Operand> inputs_;
  std::vector<bool> missing_;
  std::vector<Shape> shapes_;
  std::vector<ElementType> types_;
  std::vector<Array<std::byte>> constants_;  ///< kept alive
  std::size_t output_;
  operators::Signature signature_;
};

/// Where element 0 stands, and the strides from there.
struct Start {
  dense::Layout layout;
  std::size_t origin = 0;  ///< bytes

  Start(const Place& place, const Value& value) {
    switch (place.kind) {
      case Place::Kind::plain: layout = dense::row_major(value.shape, dense::type_of(value.type)); break;
      case Place::Kind::dense: layout = place.layout; break;
      case Place::Kind::planes:
        layout = layout_of(place.planes, value.shape);
        origin = place.planes.origin * sizeof(float);
        break;
    }
  }
};

class CopyStep : public Step {
 public:
  CopyStep(const Value& value, const Place& from, std::size_t source, const Place& to, std::size_t target)
      : from_(from, value), to_(to, value), copy_(from_.layout, to_.layout), source_(source), target_(target) {
    if (to.kind == Place::Kind::planes) planes_ = to.planes;
  }

  void run(const Frame& frame) const override {
    if (planes_) rows::zero_halo(*planes_, frame.floats(target_));
    copy_.run(frame.at(source_) + from_.origin, frame.at(target_) + to_.origin);
  }

 private:
  Start from_;
  Start to_;
  dense::Copy copy_;
  std::size_t source_;
  std::size_t target_;
  std::optional<rows::Planes> planes_;
};

/// Between row-major elements and planes, by our own loops.
class PlanesCopyStep : public Step {
 public:
  PlanesCopyStep(const Place& from, std::size_t source, const Place& to, std::size_t target, unsigned threads) : from_(from), to_(to), source_(source), target_(target), threads_(threads) {}

  void run(const Frame& frame) const override {
    const bool loads = from_.kind == Place::Kind::plain;
    const std::size_t parted = loads ? to_.planes.height : from_.planes.channels;  // rows of pixels, as layers divide them
    base::run_team(threads_, [&](unsigned worker) {
      const std::size_t begin = parted * worker / threads_, end = parted * (worker + std::size_t{1}) / threads_;
      if (begin == end) return;
      if (loads)
        rows::load_planes(frame.floats(source_), to_.planes, frame.floats(target_), begin, end);
      else
        rows::store_elements(from_.planes, frame.floats(source_), frame.floats(target_), begin, end);
    });
  }

 private:
  Place from_, to_;
  std::size_t source_, target_;
  unsigned threads_;
};

template <typename Conv>
class ConvStep : public Step {
 public:
  ConvStep(std::shared_ptr<const Conv> conv, std::size_t input, std::size_t skip, std::size_t output, std::size_t scratch)
      : conv_(std::move(conv)), input_(input), skip_(skip), output_(output), scratch_(scratch) {}

  void run(const Frame& frame) const override {
    const bool has_skip = skip_ != Operand::no_buffer;
    if constexpr (std::is_same_v<Conv, dense::DenseConv>)
      conv_->run(frame.at(input_), has_skip ? frame.at(skip_) : nullptr, frame.at(output_), frame.at(scratch_));
    else
      conv_->run(frame.floats(input_), has_skip ? frame.floats(skip_) : nullptr, frame.floats(output_), plan::SparseConv::Scratch{frame.floats(scratch_), frame.of_threads, frame.thread_pitch});
  }

 private:
  std::shared_ptr<const Conv> conv_;
  std::size_t input_, skip_, output_, scratch_;
};

class PoolStep : public Step {
 public:
  PoolStep(std::shared_ptr<const dense::DensePool> pool, std::size_t input, std::size_t output) : pool_(std::move(pool)), input_(input), output_(output) {}
  void run(const Frame& frame) const override { pool_->run(frame.at(input_), frame.at(output_)); }

 private:
  std::shared_ptr<const dense::DensePool> pool_;
  std::size_t input_, output_;
};

class ConstantStep : public Step {
 public:
  ConstantStep(Array<std::byte> constant, std::size_t target) : constant_(std::move(constant)), target_(target) {}
  void run(const Frame& frame) const override {
    if (!constant_.empty()) std::memcpy(frame.at(target_), constant_.data(), constant_.size());
  }

 private:
  Array<std::byte> constant_;
  std::size_t target_;
};

}  // namespace

StepPointer constant_step(const Value& value, std::size_t target) { return std::make_unique<ConstantStep>(value.constant, target); }

StepPointer plain_step(const Network& network, const Operator& op, std::vector<Operand> inputs, std::size_t output) {
  return std::make_unique<PlainStep>(network, op, std::move(inputs), output);
}

StepPointer copy_step(const Value& value, const Place& from, std::size_t source, const Place& to, std::size_t target, unsigned threads) {
  using Kind = Place::Kind;
  const bool is_own = (from.kind == Kind::plain && to.kind == Kind::planes) || (from.kind == Kind::planes && to.kind == Kind::plain);
  if (is_own) return std::make_unique<PlanesCopyStep>(from, source, to, target, threads);
  return std::make_unique<CopyStep>(value, from, source, to, target);
}

StepPointer dense_conv_step(std::shared_ptr<const dense::DenseConv> conv, std::size_t input, std::size_t skip, std::size_t output, std::size_t scratch) {
  return std::make_unique<ConvStep<dense::DenseConv>>(std::move(conv), input, skip, output, scratch);
}

StepPointer sparse_conv_step(std::shared_ptr<const plan::SparseConv> conv, std::size_t input, std::size_t skip, std::size_t output, std::size_t scratch) {
  return std::make_unique<ConvStep<plan::SparseConv>>(std::move(conv), input, skip, output, scratch);
}

StepPointer dense_pool_step(std::shared_ptr<const dense::DensePool> pool, std::size_t input, std::size_t output) {
  return std::make_unique<PoolStep>(std::move(pool), input, output);
}

}  // namespace lacuna::engine::tensors
