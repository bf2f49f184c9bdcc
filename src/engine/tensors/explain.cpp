#include "engine/tensors/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "engine/tensors/bands.hpp"
#include "engine/tensors/one_by_one.hpp"

namespace lacuna::engine::tensors {
namespace {

void describe_conv(const Network& network, const Operator& op, const Conv& conv, LayerReport& report) {
  report.kind = conv.kernel.empty() ? "fully connected" : fmt::format("conv {}", fmt::join(conv.kernel, "x"));
  if (conv.groups > 1) report.kind += conv.group_channels == 1 ? " depthwise" : fmt::format(" in {} groups", conv.groups);
  const auto zeros = static_cast<std::uint64_t>(std::count(conv.weights.begin(), conv.weights.end(), 0.0f));
  const std::uint64_t positions = network.value(op.output).shape.size() / std::max(conv.output_channels, 1u);
  report.sparsity = conv.weights.empty() ? 0 : static_cast<double>(zeros) / static_cast<double>(conv.weights.size());
  report.dense_edges = conv.weights.size() * positions;
  report.edges = (conv.weights.size() - zeros) * positions;
}

/// A convolution of bytes.
void describe_int8_conv(const Network& network, const Operator& op, LayerReport& report) {
  const Value& weights = network.value(op.inputs[3]);
  const auto zeros = static_cast<std::uint64_t>(std::count(weights.constant.begin(), weights.constant.end(), std::byte{0}));
  const std::uint64_t positions = network.value(op.output).shape.size() / std::max(weights.shape.extents[0], 1u);
  report.kind = fmt::format("conv {}", fmt::join(weights.shape.extents.begin() + 2, weights.shape.extents.end(), "x"));
  report.sparsity = static_cast<double>(zeros) / static_cast<double>(std::max<std::uint64_t>(weights.shape.size(), 1));
  report.dense_edges = weights.shape.size() * positions;
  report.edges = (weights.shape.size() - zeros) * positions;
}

std::string kernel_of(const Operator& op, const Choice& choice) {
  if (choice.sparse) return choice.sparse->describe();
  if (choice.dense) return fmt::format("dense {}", choice.dense->implementation());
  switch (choice.world) {
    case World::planes: return "on planes";
    case World::dense:
    case World::dense_bf16: return "dense pooling";
    case World::plain: return std::holds_alternative<Conv>(op.operation) ? "plain loops" : "plain";
  }
  return "";
}

std::string precision_of(const Network& network, const Operator& op, const Choice& choice) {
  if (choice.world == World::dense_bf16) return "bf16";
  const bool is_int8 = choice.dense && !std::holds_alternative<Conv>(op.operation);
  return is_int8 ? "int8" : std::string(name_of(network.value(op.output).type));
}

/// What a kernel of this world took when it was tried; 0: it was not.
double seconds_in(World world, const Timing& timing) {
  switch (world) {
    case World::planes: return timing.seconds_sparse;
    case World::dense: return timing.seconds_dense;
    case World::dense_bf16: return timing.seconds_bf16;
    case World::plain: break;
  }
  return 0;
}

std::string reason_of(World world, const Timing& timing, bool fell_back) {
  struct Rival {
    std::string_view name;
    World world;
  };
  std::string reason;
  std::vector<std::string> others;  // but for dense f32, which has a column of its own
  std::string_view fastest;
  double least = seconds_in(world, timing);
  for (const Rival& rival : {Rival{"sparse", World::planes}, Rival{"dense", World::dense}, Rival{"bf16", World::dense_bf16}}) {
    const double seconds = seconds_in(rival.world, timing);
    if (seconds == 0) continue;
    if (seconds < least || (rival.world == world && seconds == least)) fastest = rival.name, least = seconds;
    if (rival.world == world)
      reason = rival.name;
    else if (rival.world != World::dense)
      others.push_back(fmt::format("{} {:.3f} ms", rival.name, seconds * 1e3));
  }
  const bool has_rivals = !others.empty() || (world != World::dense && timing.seconds_dense > 0);
  if (!has_rivals || reason.empty())
    reason.clear();
  else if (fastest == reason)
    reason += " is faster";
  else
    reason = fell_back ? "all dense is faster" : fmt::format("{} alone is faster, but not with the copies around it", fastest);
  const auto out = std::back_inserter(reason);
  if (!reason.empty() && !others.empty()) fmt::format_to(out, " ({})", fmt::join(others, ", "));
  if (!timing.losers.empty()) fmt::format_to(out, "; also tried {}", fmt::join(timing.losers, ", "));
  return reason;
}

const Choice& choice_of(const Chosen& chosen, std::size_t op) {
  const bool is_in_bands = chosen.bands && op >= chosen.bands->first && op < chosen.bands->end;
  return is_in_bands ? chosen.bands->chosen.choices[op - chosen.bands->first] : chosen.choices[op];
}

/// Bands have kernels of their own; dense ones are measured for the whole.
Timing timing_of(const Chosen& chosen, std::size_t op) {
  const bool is_in_bands = chosen.bands && op >= chosen.bands->first && op < chosen.bands->end;
  if (!is_in_bands) return chosen.timings[op];
  Timing timing = chosen.bands->chosen.timings[op - chosen.bands->first];
  timing.seconds_dense = chosen.timings[op].seconds_dense;
  timing.seconds_bf16 = chosen.timings[op].seconds_bf16;
  return timing;
}

/// Of the operators that come first, input by input.
const Chosen& first_part(const Chosen& chosen) { return chosen.split ? first_part(chosen.split->of_one) : chosen; }

std::string describe_split(const Split& split) {
  const bool has_rest = !split.rest.operators.empty();
  const Split* const groups = split.of_one.split.get();  // what runs on a few inputs at a time, after single ones
  const std::size_t alone = groups != nullptr ? groups->one.operators.size() : split.one.operators.size();
  std::string text = fmt::format("{} operators run input by input, each input on one thread", has_rest || groups != nullptr ? fmt::format("the first {}", alone) : "all");
  if (groups != nullptr) text += fmt::format("; the {} after them on {} inputs at a time, so that their code serves several", split.one.operators.size() - alone, split.inputs);
  if (has_rest) text += "; the others on the whole batch";
  return text;
}

}  // namespace

LayerReport describe(const Network& network, const Operator& op) {
  LayerReport report;
  report.name = network.value(op.output).name;
  report.shape = to_string(network.value(op.output).shape);
  if (const auto* conv = std::get_if<Conv>(&op.operation))
    describe_conv(network, op, *conv, report);
  else if (const auto* call = std::get_if<Call>(&op.operation); call != nullptr && call->name == "QLinearConv" && network.value(op.inputs[3]).is_constant)
    describe_int8_conv(network, op, report);
  else if (call != nullptr)
    report.kind = call->name;
  else
    report.kind = "layer";
  return report;
}

std::vector<LayerReport> layer_reports(const Network& network, const Chosen& chosen) {
  std::vector<LayerReport> reports;
  for (std::size_t k = 0; k < network.operators.size(); ++k) {
    const Operator& op = network.operators[k];
    const Choice& choice = choice_of(chosen, k);
    const Timing timing = timing_of(chosen, k);
    LayerReport report = describe(network, op);
    report.kernel = kernel_of(op, choice);
    report.precision = precision_of(network, op, choice);
    if (chosen.is_timed) {
      report.seconds = seconds_in(choice.world, timing);
      report.seconds_dense = timing.seconds_dense;
      report.reason = reason_of(choice.world, timing, chosen.fell_back);
    }
    reports.push_back(std::move(report));
  }
  return reports;
}

std::string explain(const std::vector<LayerReport>& layers, const Chosen& chosen, double peak) {
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "{:<24} {:<20} {:<16} {:<4} {:>6} {:>9} {:>9} {:>7} {:>6}  {}\n", "layer", "kind", "output", "in", "zeros", "ms", "dense ms", "faster", "peak", "kernel, and why");
  for (const LayerReport& layer : layers) {
    const bool timed = layer.seconds > 0;
    fmt::format_to(out, "{:<24} {:<20} {:<16} {:<4} {:>6} {:>9} {:>9} {:>7} {:>6}  {}{}\n", layer.name.substr(0, 24), layer.kind, layer.shape, layer.precision,
                   layer.dense_edges > 0 ? fmt::format("{:.1f}%", 100 * layer.sparsity) : "", timed ? fmt::format("{:.3f}", layer.seconds * 1e3) : "",
                   layer.seconds_dense > 0 ? fmt::format("{:.3f}", layer.seconds_dense * 1e3) : "",
                   timed && layer.seconds_dense > 0 ? fmt::format("{:.2f}x", layer.seconds_dense / layer.seconds) : "",
                   timed ? fmt::format("{:.0f}%", 100 * static_cast<double>(layer.edges) / layer.seconds / peak) : "", layer.kernel,
                   layer.reason.empty() ? "" : ": " + layer.reason);
  }
  if (chosen.arrangement.sharing == Sharing::alike) text += "activations: threads keep to memory of their own, which measured faster on these cores\n";
  if (const unsigned chains = first_part(chosen).arrangement.chains; chains > 0) fmt::format_to(out, "convolutions before the first {} run strip by strip, depth first, which measured faster\n", chains == 1 ? "pooling" : fmt::format("{} poolings", chains));
  if (chosen.bands)
    fmt::format_to(out, "{} operators from {} on run in bands, some rows of all values for each thread, which measured as fast or faster\n", chosen.bands->end - chosen.bands->first, layers[chosen.bands->first].name);
  if (chosen.split) text += describe_split(*chosen.split) + "\n";
  if (chosen.seconds_mixed > 0 && chosen.seconds_dense > 0)
    fmt::format_to(out, "whole network: {:.3f} ms as planned, {:.3f} ms all dense{}\n", chosen.seconds_mixed * 1e3, chosen.seconds_dense * 1e3,
                   chosen.fell_back ? ": all dense runs" : "");
  if (!chosen.cache_note.empty()) fmt::format_to(out, "{}\n", chosen.cache_note);
  return text;
}

std::string print_plan(const Network& network, const Chosen& chosen) {
  std::string text;
  for (std::size_t k = 0; k < network.operators.size(); ++k)
    fmt::format_to(std::back_inserter(text), "{}: {}\n", network.value(network.operators[k].output).name, kernel_of(network.operators[k], choice_of(chosen, k)));
  return text;
}

}  // namespace lacuna::engine::tensors
