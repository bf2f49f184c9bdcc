#include "frontends/neuro/draw/picture.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "frontends/neuro/levels.hpp"
#include "frontends/neuro/write/writers.hpp"
#include "network/neuron_graph_text.hpp"

namespace lacuna::frontends {

std::string begin_svg(double width, double height) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"Helvetica, Arial, sans-serif\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
      width, height);
}

std::string caption(const NeuronGraph& graph) {
  const auto count = [](std::size_t number, std::string_view word) { return fmt::format("{} {}{}", number, word, number == 1 ? "" : "s"); };
  std::size_t outputs = 0;
  std::vector<bool> is_output(graph.nodes(), false);
  for (const std::uint32_t node : graph.outputs)
    if (node >= graph.inputs && !is_output[node]) {
      is_output[node] = true;
      ++outputs;
    }
  std::string update(network::name_of(graph.update));
  std::replace(update.begin(), update.end(), '_', ' ');
  return fmt::format("{}, {}, {}, {}, {}", count(graph.inputs, "input"), count(graph.neurons.size() - outputs, "hidden neuron"), count(graph.outputs.size(), "output"),
                     count(graph.weights.size(), "edge"), update);
}

std::vector<std::uint32_t> columns_of(const NeuronGraph& graph) {
  const std::vector<std::uint32_t> levels = levels_of(graph);
  std::vector<std::uint32_t> columns(graph.nodes(), 0);
  std::copy(levels.begin(), levels.end(), columns.begin() + graph.inputs);
  std::vector<bool> is_output(graph.nodes(), false);
  for (const std::uint32_t node : graph.outputs) is_output[node] = node >= graph.inputs;
  std::uint32_t last_hidden = 0, last = 1;
  for (std::uint32_t node = graph.inputs; node < graph.nodes(); ++node) {
    if (!is_output[node]) last_hidden = std::max(last_hidden, columns[node]);
    last = std::max(last, columns[node]);
  }
  last = std::max(last, last_hidden + 1);
  for (std::uint32_t node = graph.inputs; node < graph.nodes(); ++node)
    if (is_output[node]) columns[node] = last;
  return columns;
}

}  // namespace lacuna::frontends
