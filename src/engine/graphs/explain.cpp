// What runs each graph, in words.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "engine/graphs/graph_program.hpp"

namespace lacuna::engine::graphs {
namespace {

template <typename T>
std::string kernel_of(const Member<T>& member) {
  if (!member.code) return "table kernel";
  return fmt::format("{} for panels of {}, {} of code", plan::to_string(plan::KernelChoice{member.code->shape()}), member.code->lanes(), base::human_bytes(member.code->code_bytes()));
}

template <typename T>
std::string plan_text(const Network& network, const GraphSet<T>& set) {
  std::string text = fmt::format("neuron graphs: {}, {}\n", network.operators.size(), std::is_same_v<T, float> ? "f32" : "f64, exact");
  constexpr std::size_t shown = 20;
  for (std::size_t k = 0; k < std::min(shown, set.members.size()); ++k) {
    const auto& graph = std::get<NeuronGraph>(network.operators[k].operation);
    fmt::format_to(std::back_inserter(text), "  {}: {} neurons, {} edges, {} levels, {} runs of rows alike, {}\n", network.value(network.operators[k].output).name,
                   graph.neurons.size(), graph.weights.size(), graph.levels.empty() ? 0 : graph.levels.size() - 1, set.members[k].table.runs().size(), kernel_of(set.members[k]));
  }
  if (set.members.size() > shown) fmt::format_to(std::back_inserter(text), "  ... and {} more\n", set.members.size() - shown);
  return text;
}

template <typename T>
std::string reasons(const GraphSet<T>& set) {
  std::string text = fmt::format("panels of {} lanes", set.lanes);
  std::vector<std::string> others;
  for (const Width& width : set.widths) others.push_back(fmt::format("{} lanes{} {:.2f}", width.lanes, width.shape.vectors == 0 ? "" : ", " + plan::to_string(plan::KernelChoice{width.shape}), width.edges_per_s * 1e-9));
  text += others.empty() ? ", not measured\n" : fmt::format(": the fastest measured on the largest graph, in billion edges/s on one core: {}\n", fmt::join(others, ", "));
  const bool is_split = std::any_of(set.members.begin(), set.members.end(), [](const auto& member) { return !member.phases.empty(); });
  if (is_split) text += "a single panel of a large graph is run level by level, each split by edges\n";
  return text;
}

}  // namespace

std::string print_plan(const Network& network, const GraphProgram& program) {
  return std::visit([&](const auto& set) { return plan_text(network, set); }, program);
}

std::string explain(const Network& network, const GraphProgram& program) {
  return std::visit([&](const auto& set) { return plan_text(network, set) + reasons(set); }, program);
}

}  // namespace lacuna::engine::graphs
