// GraphML: nodes with activation, aggregation, bias, response, time_constant and role (input, hidden, output), edges with a weight. NetworkX and Gephi write
// and read it; attributes are found by their names, whatever their keys.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <pugixml.hpp>

#include <lacuna/error.hpp>

#include "base/text.hpp"
#include "frontends/neuro/read/named_graph.hpp"
#include "frontends/neuro/read/readers.hpp"

namespace lacuna::frontends {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  return first == std::string_view::npos ? std::string_view() : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

class GraphmlReader {
 public:
  GraphmlReader(std::string_view text, std::string_view file) : text_(text), file_(file), graph_(file) {
    for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) line_ends_.push_back(at);
  }

  NeuronGraph read() {
    pugi::xml_document document;
    const pugi::xml_parse_result parsed = document.load_buffer(text_.data(), text_.size(), pugi::parse_default, pugi::encoding_utf8);
    if (!parsed) fail_at(static_cast<std::size_t>(parsed.offset), fmt::format("is not XML: {}", parsed.description()));
    const pugi::xml_node top = document.child("graphml");
    if (!top) throw InputError(file_, "has no <graphml> element");
    for (const pugi::xml_node key : top.children("key")) names_[key.attribute("id").value()] = key.attribute("attr.name").value();
    const pugi::xml_node graph = top.child("graph");
    if (!graph) throw InputError(file_, "has no <graph> element");
    if (graph.next_sibling("graph")) fail(graph.next_sibling("graph"), "a second graph starts here; a file holds one");
    if (std::string_view(graph.attribute("edgedefault").value()) == "undirected") fail(graph, "the graph is undirected; connections have a direction");
    read_settings(graph);
    for (const pugi::xml_node node : graph.children("node")) read_node(node);
    read_outputs(graph);
    for (const pugi::xml_node edge : graph.children("edge")) read_edge(edge);
    for (const Rename& rename : renames_) graph_.rename(rename.number, rename.name);
    return graph_.finish({}, "");
  }

 private:
  struct Rename {
    std::int64_t number;
    std::string name;
  };

  std::uint64_t line_at(std::size_t offset) const {
    return static_cast<std::uint64_t>(std::lower_bound(line_ends_.begin(), line_ends_.end(), offset) - line_ends_.begin()) + 1;
  }
  std::uint64_t line_of(const pugi::xml_node& node) const { return line_at(static_cast<std::size_t>(node.offset_debug())); }
  [[noreturn]] void fail_at(std::size_t offset, const std::string& sentence) const {
    const std::uint64_t line = line_at(offset);
    throw InputError(file_, line, offset - (line == 1 ? 0 : line_ends_[line - 2] + 1) + 1, sentence);
  }
  [[noreturn]] void fail(const pugi::xml_node& node, const std::string& sentence) const { fail_at(static_cast<std::size_t>(node.offset_debug()), sentence); }

  /// The attribute's name, or "" for a key that nobody declared.
  std::string_view name_of(const pugi::xml_node& data) const {
    const auto found = names_.find(data.attribute("key").value());
    return found == names_.end() ? std::string_view() : std::string_view(found->second);
  }

  double number(const pugi::xml_node& data, std::string_view what) const {
    const std::string_view text = trimmed(data.child_value());
    double value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::invalid_argument || stop != text.data() + text.size()) fail(data, fmt::format("{} {} is not a number", what, base::quote(text)));
    if (error != std::errc{} || !std::isfinite(value)) fail(data, fmt::format("{} {} is not a finite 64-bit number", what, base::quote(text)));
    return value;
  }

  void read_settings(const pugi::xml_node& graph) {
    for (const pugi::xml_node data : graph.children("data")) {
      const std::string_view name = name_of(data), text = trimmed(data.child_value());
      if (name == "update") {
        const auto update = find_update(text);
        if (!update) fail(data, fmt::format("{} where feed_forward, stepwise or continuous is due", base::quote(text)));
        graph_.draft().set_update(*update);
      } else if (name == "steps") {
        const double steps = number(data, "the number of steps");
        if (!(steps >= 1 && steps <= 4294967295.0 && steps == std::floor(steps))) fail(data, fmt::format("{} steps are out of range", steps));
        graph_.draft().set_steps(static_cast<std::uint32_t>(steps));
      } else if (name == "time_step") {
        graph_.draft().set_time_step(number(data, "the time step"));
      }
    }
  }

  void read_node(const pugi::xml_node& node) {
    const char* const id = node.attribute("id").value();
    if (*id == '\0') fail(node, "a node has no id");
    if (graph_.find(id)) fail(node, fmt::format("the node {} is listed twice", id));
    const std::int64_t number = graph_.number_of(id);
    NeuronAttributes attributes;
    for (const pugi::xml_node data : node.children("data")) {
      const std::string_view name = name_of(data), text = trimmed(data.child_value());
      if (name == "role" || name == "type") {
        if (text == "input") graph_.add_input(number, line_of(node));
        else if (text == "output") outputs_by_role_.push_back({number, line_of(node)});
        else if (text != "hidden") fail(data, fmt::format("node {} has the role {}; there are input, hidden and output", id, base::quote(text)));
      } else if (name == "name" || name == "label") {
        if (!text.empty()) renames_.push_back({number, std::string(text)});
      } else if (NeuronAttributes::knows(name)) {
        if (const auto sentence = attributes.set(name, text)) fail(data, fmt::format("node {}: {}", id, *sentence));
      }
    }
    graph_.declare(number, attributes, line_of(node));
  }

  /// The graph may name its outputs in order, by their ids; otherwise they are the nodes of that role.
  void read_outputs(const pugi::xml_node& graph) {
    for (const pugi::xml_node data : graph.children("data")) {
      if (name_of(data) != "outputs") continue;
      for (std::string_view rest = trimmed(data.child_value()); !rest.empty();) {
        const std::size_t end = std::min(rest.find_first_of(" \t\r\n"), rest.size());
        const auto number = graph_.find(rest.substr(0, end));
        if (!number) fail(data, fmt::format("the output {} is never computed: no node has this id", base::quote(rest.substr(0, end))));
        graph_.add_output(*number, line_of(data));
        rest = trimmed(rest.substr(end));
      }
    }
    if (graph_.has_outputs()) return;
    for (const auto& [number, line] : outputs_by_role_) graph_.add_output(number, line);
  }

  void read_edge(const pugi::xml_node& edge) {
    const std::string_view source = edge.attribute("source").value(), target = edge.attribute("target").value();
    const auto from = graph_.find(source), to = graph_.find(target);
    if (!from) fail(edge, fmt::format("the connection from {} to {} starts at a node that is not listed", source, target));
    if (!to) fail(edge, fmt::format("the connection from {} to {} ends at a node that is not listed", source, target));
    double weight = 1;
    for (const pugi::xml_node data : edge.children("data"))
      if (name_of(data) == "weight") weight = number(data, fmt::format("the weight of the connection from {} to {}:", source, target));
    graph_.add_edge(*from, *to, weight, line_of(edge));
  }

  std::string_view text_;
  std::string file_;
  NamedGraph graph_;
  std::vector<std::size_t> line_ends_;
  std::map<std::string, std::string, std::less<>> names_;
  std::vector<std::pair<std::int64_t, std::uint64_t>> outputs_by_role_;
  std::vector<Rename> renames_;
};

}  // namespace

NeuronGraph read_graphml(std::string_view text, std::string_view file) { return GraphmlReader(text, file).read(); }

}  // namespace lacuna::frontends
