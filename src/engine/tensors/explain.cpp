#include "engine/tensors/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

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

std::string kernel_of(const Operator& op, const Choice& choice) {
  if (choice.sparse) return choice.sparse->describe();
  if (choice.dense) return fmt::format("dense {}", choice.dense->implementation());
  switch (choice.world) {
    case World::planes: return "on planes";
    case World::dense: return "dense pooling";
    case World::plain: return std::holds_alternative<Conv>(op.operation) ? "plain loops" : "plain";
  }
  return "";
}

std::string reason_of(const Choice& choice, const Timing& timing, bool fell_back) {
  std::string reason;
  const auto out = std::back_inserter(reason);
  const bool both = timing.seconds_sparse > 0 && timing.seconds_dense > 0;
  const bool sparse_wins = timing.seconds_sparse <= timing.seconds_dense;
  if (choice.sparse && both) reason = sparse_wins ? "sparse is faster" : "dense alone is faster, but not with the copies around it";
  if (choice.dense && both)
    reason = fell_back ? "all dense is faster" : sparse_wins ? "sparse is faster, but not with the copies around it" : "dense is faster";
  if (both && choice.dense) fmt::format_to(out, " (sparse {:.3f} ms)", timing.seconds_sparse * 1e3);
  if (!timing.losers.empty()) fmt::format_to(out, "; also tried {}", fmt::join(timing.losers, ", "));
  return reason;
}

}  // namespace

LayerReport describe(const Network& network, const Operator& op) {
  LayerReport report;
  report.name = network.value(op.output).name;
  report.shape = to_string(network.value(op.output).shape);
  if (const auto* conv = std::get_if<Conv>(&op.operation))
    describe_conv(network, op, *conv, report);
  else if (const auto* call = std::get_if<Call>(&op.operation))
    report.kind = call->name;
  else
    report.kind = "layer";
  return report;
}

std::vector<LayerReport> layer_reports(const Network& network, const Chosen& chosen) {
  std::vector<LayerReport> reports;
  for (std::size_t k = 0; k < network.operators.size(); ++k) {
    const Operator& op = network.operators[k];
    const Choice& choice = chosen.choices[k];
    const Timing& timing = chosen.timings[k];
    LayerReport report = describe(network, op);
    report.kernel = kernel_of(op, choice);
    if (chosen.is_timed) {
      report.seconds = choice.sparse ? timing.seconds_sparse : choice.dense ? timing.seconds_dense : 0;
      report.seconds_dense = timing.seconds_dense;
      report.reason = reason_of(choice, timing, chosen.fell_back);
    }
    reports.push_back(std::move(report));
  }
  return reports;
}

std::string explain(const std::vector<LayerReport>& layers, const Chosen& chosen, double peak) {
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "{:<24} {:<20} {:<16} {:>6} {:>9} {:>9} {:>7} {:>6}  {}\n", "layer", "kind", "output", "zeros", "ms", "dense ms", "faster", "peak", "kernel, and why");
  for (const LayerReport& layer : layers) {
    const bool timed = layer.seconds > 0;
    fmt::format_to(out, "{:<24} {:<20} {:<16} {:>6} {:>9} {:>9} {:>7} {:>6}  {}{}\n", layer.name.substr(0, 24), layer.kind, layer.shape,
                   layer.dense_edges > 0 ? fmt::format("{:.1f}%", 100 * layer.sparsity) : "", timed ? fmt::format("{:.3f}", layer.seconds * 1e3) : "",
                   layer.seconds_dense > 0 ? fmt::format("{:.3f}", layer.seconds_dense * 1e3) : "",
                   timed && layer.seconds_dense > 0 ? fmt::format("{:.2f}x", layer.seconds_dense / layer.seconds) : "",
                   timed ? fmt::format("{:.0f}%", 100 * static_cast<double>(layer.edges) / layer.seconds / peak) : "", layer.kernel,
                   layer.reason.empty() ? "" : ": " + layer.reason);
  }
  if (chosen.seconds_mixed > 0)
    fmt::format_to(out, "whole network: {:.3f} ms as planned, {:.3f} ms all dense{}\n", chosen.seconds_mixed * 1e3, chosen.seconds_dense * 1e3,
                   chosen.fell_back ? ": all dense runs" : "");
  if (!chosen.cache_note.empty()) fmt::format_to(out, "{}\n", chosen.cache_note);
  return text;
}

std::string print_plan(const Network& network, const Chosen& chosen) {
  std::string text;
  for (std::size_t k = 0; k < network.operators.size(); ++k)
    fmt::format_to(std::back_inserter(text), "{}: {}\n", network.value(network.operators[k].output).name, kernel_of(network.operators[k], chosen.choices[k]));
  return text;
}

}  // namespace lacuna::engine::tensors
