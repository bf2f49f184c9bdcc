// Convolutions between DequantizeLinear and QuantizeLinear: they multiply the bytes themselves, as QLinearConv does, and what only moves or picks elements
// there moves bytes.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <unordered_set>

#include "passes/absorb.hpp"
#include "passes/int8_grid.hpp"
#include "passes/pass_list.hpp"

namespace lacuna::passes {
namespace {

bool is_bytes(ElementType type) { return type == ElementType::u8 || type == ElementType::i8; }

/// One scale and one zero point for all of a value.
struct Quantisation {
  ValueId bytes = no_value;  ///< the value that is dequantised
  ValueId scale_id = no_value, zero_id = no_value;
  ElementType type = ElementType::u8;
  double scale = 1;
  std::int32_t zero = 0;

  bool same_numbers(const Quantisation& other) const { return type == other.type && scale == other.scale && zero == other.zero; }
  std::int32_t least() const { return type == ElementType::u8 ? 0 : -128; }
  std::int32_t most() const { return type == ElementType::u8 ? 255 : 127; }
};

class Fuser {
 public:
  explicit Fuser(Network network) : network_(std::move(network)), reads_(count_reads(network_)), maker_(network_.values.size(), no_maker) {
    for (const Value& value : network_.values) names_.insert(value.name);
  }

  Network run() && {
    std::vector<Operator> operators = std::move(network_.operators);
    for (Operator& op : operators) {
      if (const auto quantised = quantisation(op, "QuantizeLinear"); quantised && fuse(op, *quantised)) continue;
      keep(std::move(op));
    }
    network_.operators = std::move(kept_);
    return remove_unread_operators(std::move(network_));
  }

 private:
  static constexpr auto no_maker = static_cast<std::size_t>(-1);

  void keep(Operator op) {
    maker_.resize(network_.values.size(), no_maker);
    maker_[static_cast<std::size_t>(op.output)] = kept_.size();
    kept_.push_back(std::move(op));
  }

  /// What a Quantize- or DequantizeLinear does, if scale and zero point are one constant each and the bytes are bytes.
  std::optional<Quantisation> quantisation(const Operator& op, std::string_view name) const {
    const auto* call = std::get_if<Call>(&op.operation);
    if (call == nullptr || call->name != name) return std::nullopt;
    const bool dequantises = name == "DequantizeLinear";
    const Value& bytes = network_.value(dequantises ? op.inputs[0] : op.output);
    const Value& floats = network_.value(dequantises ? op.output : op.inputs[0]);
    const Value& scale = network_.value(op.inputs[1]);
    if (!is_bytes(bytes.type) || floats.type != ElementType::f32 || !scale.is_constant || scale.type != ElementType::f32 || scale.shape.size() != 1) return std::nullopt;
    Quantisation found{.bytes = op.inputs[0], .scale_id = op.inputs[1], .type = bytes.type, .scale = double{floats_of(scale)[0]}};
    if (op.inputs.size() > 2 && op.inputs[2] != no_value) {
      const Value& zero = network_.value(op.inputs[2]);
      if (!zero.is_constant || zero.type != bytes.type || zero.shape.size() != 1) return std::nullopt;
      found.zero_id = op.inputs[2];
      found.zero = bytes.type == ElementType::u8 ? std::to_integer<std::int32_t>(zero.constant[0]) : static_cast<std::int8_t>(zero.constant[0]);
    }
    return found.scale > 0 && std::isfinite(found.scale) ? std::optional(found) : std::nullopt;
  }

  const Operator* maker(ValueId id) const {
    if (id == no_value) return nullptr;
    const std::size_t at = maker_[static_cast<std::size_t>(id)];
    return at == no_maker ? nullptr : &kept_[at];
  }

  std::optional<Quantisation> dequantised(ValueId id) const {
    const Operator* const op = maker(id);
    return op == nullptr ? std::nullopt : quantisation(*op, "DequantizeLinear");
  }

  bool fuse(const Operator& quantise, const Quantisation& to) {
    const Operator* const found = maker(quantise.inputs[0]);
    if (found == nullptr || found->inputs.empty() || reads_[static_cast<std::size_t>(quantise.inputs[0])] != 1) return false;
    const Operator source = *found;  // keep() moves them
    const auto from = dequantised(source.inputs[0]);
    if (!from) return false;
    if (const auto* conv = std::get_if<Conv>(&source.operation)) return source.inputs.size() == 1 && fuse_conv(*conv, *from, to, quantise.output);
    return from->same_numbers(to) && fuse_move(source, *from, quantise.output);
  }

  /// Operators that give elements of their first input and nothing else.
  bool fuse_move(const Operator& source, const Quantisation& from, ValueId output) {
    static constexpr std::array<std::string_view, 6> movers{"Flatten", "MaxPool", "Reshape", "Squeeze", "Transpose", "Unsqueeze"};
    const auto* call = std::get_if<Call>(&source.operation);
    if (call == nullptr || call->which_output != 0 || std::find(movers.begin(), movers.end(), call->name) == movers.end()) return false;
    Operator moved{*call, source.inputs, output};
    moved.inputs[0] = from.bytes;
    keep(std::move(moved));
    return true;
  }

  /// conv -> QLinearConv, if its weights are bytes times a scale for each output channel, and what its activation cuts off the bytes cannot hold anyway.
  bool fuse_conv(const Conv& conv, const Quantisation& from, const Quantisation& to, ValueId output) {
    if (!is_cut_by_type(conv.activation, to)) return false;
    const std::size_t channels = conv.output_channels, of_channel = conv.weights.size() / std::max<std::size_t>(channels, 1);
    std::vector<std::int8_t> weights;
    std::vector<float> scales;
    std::vector<std::int32_t> bias;
    for (std::size_t channel = 0; channel < channels; ++channel) {
      auto grid = find_int8_grid(std::span(conv.weights.data(), conv.weights.size()).subspan(channel * of_channel, of_channel));
      if (!grid) return false;
      const double added = conv.bias.empty() ? 0.0 : double{conv.bias[channel]};
      const bool is_zero = std::all_of(grid->numbers.begin(), grid->numbers.end(), [](std::int8_t number) { return number == 0; });
      if (is_zero && added != 0) grid->step = static_cast<float>(std::abs(added) / from.scale / (1 << 20));  // nothing else sets the scale of the bias
      const double steps = std::nearbyint(added / (from.scale * double{grid->step}));
      if (!(std::abs(steps) < double(1 << 30))) return false;
      weights.insert(weights.end(), grid->numbers.begin(), grid->numbers.end());
      scales.push_back(grid->step);
      bias.push_back(static_cast<std::int32_t>(steps));
    }
    emit(conv, from, to, output, weights, scales, bias);
    return true;
  }

  /// Whether bytes with this scale and zero point end no later than the activation cuts off.
  static bool is_cut_by_type(const Activation& activation, const Quantisation& to) {
    if (activation == Activation::identity()) return true;
    const bool is_relu = activation == Activation::relu();
    if (!is_relu && activation.kind != ActivationKind::clip) return false;
    const double low = is_relu ? 0 : double{activation.first}, high = is_relu ? HUGE_VAL : double{activation.second};
    return std::nearbyint(low / to.scale) + to.zero <= to.least() && std::nearbyint(high / to.scale) + to.zero >= to.most();
  }

  void emit(const Conv& conv, const Quantisation& from, const Quantisation& to, ValueId output, const std::vector<std::int8_t>& weights, const std::vector<float>& scales,
            const std::vector<std::int32_t>& bias) {
    const std::string name = network_.value(output).name;
    const bool is_layer = conv.kernel.empty();  // fully connected: a convolution of one pixel
    const auto window = [&](const std::vector<std::uint32_t>& given, std::int64_t otherwise) {
      return is_layer ? std::vector<std::int64_t>(2, otherwise) : std::vector<std::int64_t>(given.begin(), given.end());
    };
    std::vector<std::int64_t> pads = window(conv.pads_begin, 0);
    for (const std::int64_t pad : window(conv.pads_end, 0)) pads.push_back(pad);
    Shape of_weights{{conv.output_channels, conv.group_channels}};
    for (const std::int64_t extent : window(conv.kernel, 1)) of_weights.extents.push_back(static_cast<std::uint32_t>(extent));
    Call call{"QLinearConv", {{"dilations", window(conv.dilations, 1)}, {"group", std::int64_t{conv.groups}}, {"kernel_shape", window(conv.kernel, 1)}, {"pads", std::move(pads)},
                              {"strides", window(conv.strides, 1)}}};
    const auto zero_of = [&](const Quantisation& given, const char* part) {
      return given.zero_id != no_value ? given.zero_id : constant(name + part, {}, given.type, std::vector<std::int8_t>{0});
    };
    std::vector<ValueId> inputs{is_layer ? reshaped(from.bytes, {1, 1}, name + ".pixel") : from.bytes, from.scale_id, zero_of(from, ".input_zero"),
                                constant(name + ".weights", of_weights, ElementType::i8, weights), constant(name + ".scales", {{conv.output_channels}}, ElementType::f32, scales),
                                constant(name + ".weights_zero", {}, ElementType::i8, std::vector<std::int8_t>{0}), to.scale_id, zero_of(to, ".output_zero"),
                                constant(name + ".bias", {{conv.output_channels}}, ElementType::i32, bias)};
    if (!is_layer) return keep({std::move(call), std::move(inputs), output});
    const ValueId pixel = add({.name = name + ".pixel_output", .shape = {{network_.value(output).shape.extents[0], conv.output_channels, 1, 1}}, .type = to.type});
    keep({std::move(call), std::move(inputs), pixel});
    keep(reshape(pixel, output));
  }

  ValueId add(Value value) {
    while (!names_.insert(value.name).second) value.name += '+';
    network_.values.push_back(std::move(value));
    return static_cast<ValueId>(network_.values.size() - 1);
  }

  template <typename T>
  ValueId constant(std::string name, Shape shape, ElementType type, const std::vector<T>& elements) {
    const auto bytes = std::as_bytes(std::span(elements));
    return add({.name = std::move(name), .shape = std::move(shape), .type = type, .is_constant = true, .constant = std::vector<std::byte>(bytes.begin(), bytes.end())});
  }

  Operator reshape(ValueId from, ValueId to) {
    const auto& extents = network_.value(to).shape.extents;
    const std::vector<std::int64_t> shape(extents.begin(), extents.end());
    return {Call{"Reshape", {}}, {from, constant(network_.value(to).name + ".shape", {{static_cast<std::uint32_t>(shape.size())}}, ElementType::i64, shape)}, to};
  }

  /// The same bytes with more axes.
  ValueId reshaped(ValueId from, const std::vector<std::uint32_t>& more, std::string name) {
    Value value{.name = std::move(name), .shape = network_.value(from).shape, .type = network_.value(from).type};
    value.shape.extents.insert(value.shape.extents.end(), more.begin(), more.end());
    const ValueId to = add(std::move(value));
    keep(reshape(from, to));
    return to;
  }

  Network network_;
  std::unordered_set<std::string> names_;
  std::vector<unsigned> reads_;
  std::vector<std::size_t> maker_;  ///< of each value: the operator, in kept_
  std::vector<Operator> kept_;
};

}  // namespace

Network fuse_quantisation(Network network, const PassSettings&) { return Fuser(std::move(network)).run(); }

}  // namespace lacuna::passes
