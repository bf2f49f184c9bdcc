#include "engine/tensors/pool_shape.hpp"

#include <algorithm>

#include "operators/attributes.hpp"

namespace lacuna::engine::tensors {
namespace {

/// As many as there are axes; pooling with fewer or more was refused when its shape was inferred.
std::vector<std::int64_t> numbers(const Call& call, std::string_view name, std::size_t count, std::int64_t otherwise) {
  const auto found = operators::integers_attribute(call, name);
  return found.size() == count ? found : std::vector<std::int64_t>(count, otherwise);
}

bool has_auto_pad(const Call& call) {
  const std::string_view word = operators::text_attribute(call, "auto_pad", "NOTSET");
  return word != "NOTSET" && word != "VALID";
}

}  // namespace

std::optional<dense::PoolShape> pool_shape(const Network& network, const Operator& op) {
  using Kind = dense::PoolShape::Kind;
  const auto* call = std::get_if<Call>(&op.operation);
  if (call == nullptr || op.inputs.empty() || call->which_output != 0) return std::nullopt;
  const Value& input = network.value(op.inputs[0]);
  const Shape& output = network.value(op.output).shape;
  const bool is_bytes = input.type == ElementType::u8 || input.type == ElementType::i8;
  if ((input.type != ElementType::f32 && !(is_bytes && call->name == "MaxPool")) || input.shape.extents.size() < 3 || output.extents.size() != input.shape.extents.size()) return std::nullopt;
  const std::size_t axes = input.shape.extents.size() - 2;
  if (axes > 2) return std::nullopt;
  dense::PoolShape pool;
  const bool is_global = call->name == "GlobalMaxPool" || call->name == "GlobalAveragePool";
  if (is_global) {
    pool.kind = call->name == "GlobalMaxPool" ? Kind::maximum : Kind::average;
    pool.kernel.assign(input.shape.extents.begin() + 2, input.shape.extents.end());
    pool.strides.assign(axes, 1);
    pool.pads_begin.assign(axes, 0);
    pool.pads_end.assign(axes, 0);
    return pool;
  }
  if (call->name != "MaxPool" && call->name != "AveragePool") return std::nullopt;
  if (has_auto_pad(*call)) return std::nullopt;
  pool.kind = call->name == "MaxPool" ? Kind::maximum : operators::flag_attribute(*call, "count_include_pad", false) ? Kind::average_with_padding : Kind::average;
  const auto kernel = numbers(*call, "kernel_shape", axes, 0);
  const auto strides = numbers(*call, "strides", axes, 1);
  const auto dilations = numbers(*call, "dilations", axes, 1);
  const auto pads = numbers(*call, "pads", 2 * axes, 0);
  for (std::size_t axis = 0; axis < axes; ++axis) {
    if (kernel[axis] <= 0 || dilations[axis] != 1) return std::nullopt;
    const std::int64_t in = input.shape.extents[axis + 2];
    const std::int64_t reach = (std::int64_t{output.extents[axis + 2]} - 1) * strides[axis] + kernel[axis];
    const std::int64_t end = reach - in - pads[axis];
    if (pool.kind == Kind::average_with_padding && end > pads[axes + axis]) return std::nullopt;  // cells beyond the padding do not count
    if (pads[axis] >= kernel[axis] || end >= kernel[axis]) return std::nullopt;                    // a window would see padding alone
    pool.kernel.push_back(static_cast<std::uint32_t>(kernel[axis]));
    pool.strides.push_back(static_cast<std::uint32_t>(strides[axis]));
    pool.pads_begin.push_back(static_cast<std::uint32_t>(pads[axis]));
    pool.pads_end.push_back(static_cast<std::uint32_t>(std::max<std::int64_t>(end, 0)));
  }
  return pool;
}

}  // namespace lacuna::engine::tensors
