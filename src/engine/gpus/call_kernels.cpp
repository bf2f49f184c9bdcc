#include "engine/gpus/call_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include <lacuna/error.hpp>

#include "engine/tensors/pool_shape.hpp"
#include "kernel/templates/pooling.hpp"
#include "kernel/templates/softmax.hpp"
#include "kernel/templates/strided_map.hpp"
#include "operators/attributes.hpp"
#include "plan/gpus/places.hpp"

namespace lacuna::engine::gpus {
namespace {

using kernel::StridedMap;
using kernel::StridedOperand;
using Extents = std::array<std::uint32_t, 4>;

constexpr std::size_t most_axes = 4;

/// One entry for each axis of the shape.
std::vector<std::uint32_t> strides_of(const Shape& shape, const rows::Planes& planes) {
  const kernel::PixelView view = plan::gpus::view_of(planes);
  switch (shape.extents.size()) {
    case 0: return {};
    case 1: return {view.image};
    case 2: return {view.image, view.channel};
    case 3: return {view.image, view.channel, view.column};
    default: return {view.image, view.channel, view.row, view.column};
  }
}

/// The shape seen by elements of `seen`, whose last axes are its own; an axis of one element stands still.
StridedOperand operand_of(const Shape& shape, const rows::Planes& planes, const Shape& seen) {
  StridedOperand operand;
  operand.origin = static_cast<std::uint32_t>(planes.origin);
  const auto strides = strides_of(shape, planes);
  const std::size_t axes = seen.extents.size(), own = shape.extents.size();
  for (std::size_t k = 0; k < axes; ++k) operand.extents[most_axes - axes + k] = seen.extents[k];
  for (std::size_t k = 0; k < own; ++k) operand.strides[most_axes - own + k] = shape.extents[k] == 1 ? 0 : strides[k];
  return operand;
}

std::optional<StridedMap::Operation> binary_operation(const std::string& name) {
  using Operation = StridedMap::Operation;
  static const std::map<std::string, Operation> operations{{"Add", Operation::add},      {"Sum", Operation::add},     {"Sub", Operation::subtract}, {"Mul", Operation::multiply},
                                                           {"Div", Operation::divide}, {"Max", Operation::maximum}, {"Min", Operation::minimum}};
  const auto found = operations.find(name);
  return found == operations.end() ? std::nullopt : std::optional(found->second);
}

/// The number that stands in a constant, or nothing if it is not one number that is known.
std::optional<float> number_in(const Network& network, const Operator& op, std::size_t input, float otherwise) {
  if (input >= op.inputs.size() || op.inputs[input] == no_value) return otherwise;
  const Value& value = network.value(op.inputs[input]);
  if (!value.is_constant || value.type != ElementType::f32 || value.shape.size() != 1) return std::nullopt;
  return *reinterpret_cast<const float*>(value.constant.data());
}

std::optional<Activation> activation_of(const Network& network, const Operator& op, const Call& call) {
  if (call.name == "Relu") return Activation::relu();
  if (call.name == "Sigmoid") return Activation::sigmoid();
  if (call.name == "Tanh") return Activation::tanh();
  if (call.name == "HardSwish") return Activation::hard_swish();
  if (call.name == "LeakyRelu") return Activation::leaky_relu(operators::number_attribute(call, "alpha", 0.01f));
  if (call.name == "HardSigmoid") return Activation::hard_sigmoid(operators::number_attribute(call, "alpha", 0.2f), operators::number_attribute(call, "beta", 0.5f));
  if (call.name == "Clip") {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const auto low = number_in(network, op, 1, -infinity), high = number_in(network, op, 2, infinity);
    if (low && high) return Activation::clip(*low, *high);
  }
  return std::nullopt;
}

bool is_copy(const Call& call) {
  static const std::vector<std::string> names{"Dropout", "Flatten", "Identity", "Reshape", "Squeeze", "Unsqueeze"};
  return call.which_output == 0 && std::find(names.begin(), names.end(), call.name) != names.end();
}

bool is_softmax_of_rows(const Network& network, const Operator& op, const Call& call) {
  const std::size_t axes = network.value(op.output).shape.extents.size();
  const std::int64_t axis = operators::integer_attribute(call, "axis", -1);
  return call.name == "Softmax" && axes == 2 && (axis == -1 || axis == 1);
}

bool is_on_gpu(const Value& value) { return value.type == ElementType::f32 && value.shape.extents.size() <= most_axes && value.shape.size() > 0; }

std::size_t axis_of(const Call& call, std::size_t axes) {
  const std::int64_t axis = operators::integer_attribute(call, "axis", 0);
  return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(axes) : axis);
}

/// Input k by the axes of the output, as a transposition wants them.
StridedOperand transposed(const Shape& shape, const rows::Planes& planes, const Call& call, const Shape& output) {
  const std::size_t axes = shape.extents.size();
  std::vector<std::int64_t> order = operators::integers_attribute(call, "perm");
  if (order.empty())
    for (std::size_t k = axes; k-- > 0;) order.push_back(static_cast<std::int64_t>(k));
  const auto strides = strides_of(shape, planes);
  StridedOperand operand = operand_of(output, planes, output);
  for (std::size_t k = 0; k < axes; ++k) operand.strides[most_axes - axes + k] = strides[static_cast<std::size_t>(order[k])];
  return operand;
}

/// The window of pooling with two axes.
kernel::Pooling pooling_of(const dense::PoolShape& shape, const rows::Planes& in, const rows::Planes& out, const std::string& name) {
  using Kind = dense::PoolShape::Kind;
  const auto of_axis = [](const auto& numbers, bool is_y) -> std::uint32_t { return is_y ? (numbers.size() > 1 ? numbers[0] : 0) : numbers.back(); };
  kernel::Pooling pool;
  pool.name = name;
  pool.kind = shape.kind == Kind::maximum ? kernel::Pooling::Kind::maximum : shape.kind == Kind::average ? kernel::Pooling::Kind::average : kernel::Pooling::Kind::average_with_padding;
  pool.images = in.batch;
  pool.channels = in.channels;
  pool.input_height = in.height;
  pool.input_width = in.width;
  pool.height = out.height;
  pool.width = out.width;
  pool.kernel_y = std::max(of_axis(shape.kernel, true), 1u);
  pool.kernel_x = of_axis(shape.kernel, false);
  pool.stride_y = std::max(of_axis(shape.strides, true), 1u);
  pool.stride_x = of_axis(shape.strides, false);
  pool.pad_y = of_axis(shape.pads_begin, true);
  pool.pad_x = of_axis(shape.pads_begin, false);
  pool.input = plan::gpus::view_of(in);
  pool.output = plan::gpus::view_of(out);
  return pool;
}

class CallBuilder {
 public:
  CallBuilder(const Network& network, const Operator& op, const PlaceOf& place, const std::string& name)
      : network_(network), op_(op), call_(std::get<Call>(op.operation)), place_(place), name_(name), shape_(network.value(op.output).shape), out_(place(op.output)) {}

  std::vector<CallKernel> build() {
    if (auto pool = tensors::pool_shape(network_, op_)) {
      const kernel::Pooling pooling = pooling_of(*pool, place_(op_.inputs[0]), out_, name_);
      return {{kernel::build(pooling), pooling.blocks(), {0}}};
    }
    if (call_.name == "Softmax") return {{kernel::build(kernel::Softmax{name_, shape_.extents[0], shape_.extents[1]}), shape_.extents[0], {0}}};
    if (call_.name == "Concat") return concat();
    StridedMap map = unary();
    if (is_copy(call_)) {
      const Shape& shape = network_.value(op_.inputs[0]).shape;
      map.a = operand_of(shape, place_(op_.inputs[0]), shape);
    } else if (call_.name == "Transpose") {
      map.a = transposed(network_.value(op_.inputs[0]).shape, place_(op_.inputs[0]), call_, shape_);
    } else if (const auto operation = binary_operation(call_.name)) {
      map.operation = *operation;
      map.b = input_operand(1);
      return {{kernel::build(map), map.blocks(), {0, 1}}};
    } else {
      map.activation = *activation_of(network_, op_, call_);
    }
    return {{kernel::build(map), map.blocks(), {0}}};
  }

 private:
  StridedOperand input_operand(std::size_t k) const { return operand_of(network_.value(op_.inputs[k]).shape, place_(op_.inputs[k]), shape_); }

  StridedMap unary() const {
    StridedMap map;
    map.name = name_;
    map.a = input_operand(0);
    map.output = operand_of(shape_, out_, shape_);
    map.elements = static_cast<std::uint32_t>(shape_.size());
    return map;
  }

  /// A copy for each input: into the output from where the one before ended.
  std::vector<CallKernel> concat() const {
    const std::size_t axis = axis_of(call_, shape_.extents.size());
    const std::uint32_t stride = strides_of(shape_, out_)[axis];
    std::vector<CallKernel> kernels;
    std::uint32_t first = 0;
    for (std::size_t k = 0; k < op_.inputs.size(); ++k) {
      const Shape& shape = network_.value(op_.inputs[k]).shape;
      StridedMap map;
      map.name = fmt::format("{}_{}", name_, k);
      map.a = operand_of(shape, place_(op_.inputs[k]), shape);
      map.output = operand_of(shape, out_, shape);
      map.output.origin += first * stride;
      map.elements = static_cast<std::uint32_t>(shape.size());
      first += shape.extents[axis];
      kernels.push_back({kernel::build(map), map.blocks(), {k}});
    }
    return kernels;
  }

  const Network& network_;
  const Operator& op_;
  const Call& call_;
  const PlaceOf& place_;
  const std::string& name_;
  const Shape& shape_;
  const rows::Planes& out_;
};

}  // namespace

std::string why_on_host(const Network& network, const Operator& op) {
  const Value& output = network.value(op.output);
  if (!is_on_gpu(output)) return fmt::format("its output is {} of shape {}", name_of(output.type), to_string(output.shape));
  if (op.inputs.empty() || op.inputs[0] == no_value) return "it has no input";
  if (!is_on_gpu(network.value(op.inputs[0]))) return fmt::format("its input is {} of shape {}", name_of(network.value(op.inputs[0]).type), to_string(network.value(op.inputs[0]).shape));
  if (const auto* conv = std::get_if<Conv>(&op.operation)) return conv->kernel.size() <= 2 ? "" : fmt::format("it has {} spatial axes", conv->kernel.size());
  const auto* call = std::get_if<Call>(&op.operation);
  if (call == nullptr) return "it is a layer";
  const auto all_on_gpu = [&] { return std::all_of(op.inputs.begin(), op.inputs.end(), [&](ValueId id) { return id != no_value && is_on_gpu(network.value(id)); }); };
  const bool is_pool = tensors::pool_shape(network, op).has_value();
  const bool is_map = is_copy(*call) || call->name == "Transpose" || activation_of(network, op, *call).has_value() || (binary_operation(call->name) && op.inputs.size() == 2 && all_on_gpu());
  if (is_pool || is_map || is_softmax_of_rows(network, op, *call) || (call->name == "Concat" && all_on_gpu())) return "";
  return fmt::format("there is no kernel for {}", call->name);
}

std::vector<CallKernel> call_kernels(const Network& network, const Operator& op, const PlaceOf& place, const std::string& name) {
  return CallBuilder(network, op, place, name).build();
}

kernel::ThreadProgram copy_kernel(const Shape& shape, const rows::Planes& from, const rows::Planes& to, const std::string& name) {
  StridedMap map;
  map.name = name;
  map.a = operand_of(shape, from, shape);
  map.output = operand_of(shape, to, shape);
  map.elements = static_cast<std::uint32_t>(shape.size());
  return kernel::build(map);
}

std::uint32_t copy_blocks(const Shape& shape) { return static_cast<std::uint32_t>((shape.size() + 127) / 128); }

}  // namespace lacuna::engine::gpus
