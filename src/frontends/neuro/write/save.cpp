// save_neuron_graph, and what the writers share.
#include <fmt/format.h>

#include <unordered_set>
#include <utility>

#include <lacuna/error.hpp>
#include <lacuna/neuro.hpp>

#include "base/atomic_file.hpp"
#include "frontends/neuro/levels.hpp"
#include "frontends/neuro/write/writers.hpp"

namespace lacuna {
namespace frontends {

std::vector<std::string> distinct_names(const NeuronGraph& graph) {
  std::vector<std::string> names;
  names.reserve(graph.nodes());
  std::unordered_set<std::string> seen;
  for (std::uint32_t node = 0; node < graph.nodes(); ++node) {
    names.push_back(graph.name(node));
    if (names.back().empty() || !seen.insert(names.back()).second) {
      names.clear();
      for (std::uint32_t each = 0; each < graph.nodes(); ++each) names.push_back(std::to_string(each));
      return names;
    }
  }
  return names;
}

std::optional<std::string> repeated_edge(const NeuronGraph& graph) {
  std::vector<std::uint32_t> last_reader(graph.nodes(), 0);  // 1 more than the neuron
  for (std::uint32_t k = 0; k < graph.neurons.size(); ++k)
    for (std::size_t e = graph.edge_begin[k]; e < graph.edge_begin[k + 1]; ++e)
      if (std::exchange(last_reader[graph.sources[e]], k + 1) == k + 1)
        return fmt::format("two connections go from {} to {}", graph.name(graph.sources[e]), graph.name(graph.inputs + k));
  return std::nullopt;
}

std::string xml_text(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '"': safe += "&quot;"; break;
      default: safe += static_cast<unsigned char>(c) < 0x20 && c != '\t' ? '?' : c;
    }
  }
  return safe;
}

}  // namespace frontends

void save_neuron_graph(const NeuronGraph& graph, const std::filesystem::path& file) {
  const std::string extension = file.extension().string();
  std::string text;
  if (extension == ".json")
    text = frontends::neat_python_text(graph, file.string());
  else if (extension == ".net")
    text = frontends::sharpneat_text(graph, file.string());
  else if (extension == ".edges")
    text = frontends::edge_lines_text(graph);
  else if (extension == ".graphml")
    text = frontends::graphml_text(graph);
  else if (extension == ".dot")
    text = frontends::dot_text(graph);
  else
    throw InputError(file.string(), "names no format of neuron graphs; give .json, .net, .edges, .graphml or .dot");
  base::AtomicFile to(file);
  to.write(text.data(), text.size());
  to.commit();
}

std::vector<std::uint32_t> level_widths(const NeuronGraph& graph) {
  std::vector<std::uint32_t> widths;
  for (const std::uint32_t level : frontends::levels_of(graph)) {
    if (level > widths.size()) widths.resize(level, 0);
    ++widths[level - 1];
  }
  return widths;
}

}  // namespace lacuna
