// neat-python's JSON. Its nodes have whole numbers; names that are none go beside them, where our reader finds them.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <unordered_set>

#include <lacuna/error.hpp>

#include "frontends/neuro/write/writers.hpp"

namespace lacuna::frontends {
namespace {

/// The names as numbers if each is one, written as we write numbers, and none comes twice.
std::optional<std::vector<std::int64_t>> names_as_numbers(const NeuronGraph& graph) {
  std::vector<std::int64_t> numbers;
  std::unordered_set<std::int64_t> seen;
  for (std::uint32_t node = 0; node < graph.nodes(); ++node) {
    const std::string name = graph.name(node);
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc{} || stop != name.data() + name.size() || std::to_string(number) != name || !seen.insert(number).second) return std::nullopt;
    numbers.push_back(number);
  }
  return numbers;
}

/// As neat-python counts: inputs -1, -2, ...; outputs 0, 1, ...; then the others.
std::vector<std::int64_t> count_nodes(const NeuronGraph& graph) {
  std::vector<std::int64_t> numbers(graph.nodes(), 0);
  std::vector<bool> is_counted(graph.nodes(), false);
  for (std::uint32_t node = 0; node < graph.inputs; ++node) {
    numbers[node] = -1 - static_cast<std::int64_t>(node);
    is_counted[node] = true;
  }
  std::int64_t next = 0;
  const auto count = [&](std::uint32_t node) {
    if (is_counted[node]) return;
    is_counted[node] = true;
    numbers[node] = next++;
  };
  for (const std::uint32_t node : graph.outputs) count(node);
  for (std::uint32_t node = graph.inputs; node < graph.nodes(); ++node) count(node);
  return numbers;
}

std::string json_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      quoted += {'\\', c};
    else if (static_cast<unsigned char>(c) < 0x20)
      fmt::format_to(std::back_inserter(quoted), "\\u{:04x}", c);
    else
      quoted += c;
  }
  return quoted + '"';
}

/// 1 as 1.0: Python tells floats from whole numbers.
std::string json_number(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

class Writer {
 public:
  explicit Writer(const NeuronGraph& graph) : graph_(graph) {
    if (auto numbers = names_as_numbers(graph)) {
      ids_ = std::move(*numbers);
    } else {
      ids_ = count_nodes(graph);
      has_names_ = true;
    }
  }

  std::string write() {
    constexpr std::string_view types[] = {"feedforward", "recurrent", "ctrnn"};
    put("{{\n  \"format_version\": \"1.0\",\n  \"network_type\": \"{}\",\n  \"metadata\": {{", types[static_cast<std::size_t>(graph_.update)]);
    if (graph_.update == Update::stepwise) put("\"lacuna\": {{\"steps\": {}}}", graph_.steps);
    if (graph_.update == Update::continuous) put("\"lacuna\": {{\"steps\": {}, \"time_step\": {}}}", graph_.steps, json_number(graph_.time_step));
    put("}},\n  \"topology\": {{\n    \"num_inputs\": {},\n    \"num_outputs\": {},\n", graph_.inputs, graph_.outputs.size());
    put("    \"input_keys\": [{}],\n", fmt::join(ids_.begin(), ids_.begin() + graph_.inputs, ", "));
    std::vector<std::int64_t> outputs;
    for (const std::uint32_t node : graph_.outputs) outputs.push_back(ids_[node]);
    put("    \"output_keys\": [{}]\n  }},\n  \"nodes\": [", fmt::join(outputs, ", "));
    write_nodes();
    put("\n  ],\n  \"connections\": [");
    write_connections();
    put("\n  ]\n}}\n");
    return std::move(text_);
  }

 private:
  template <typename... Values>
  void put(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
  }

  /// Neurons first, inputs last, as neat-python does.
  void write_nodes() {
    std::vector<bool> is_output(graph_.nodes(), false);
    for (const std::uint32_t node : graph_.outputs) is_output[node] = true;
    std::string_view between = "\n";
    for (std::uint32_t node = graph_.inputs; node < graph_.nodes(); ++node) {
      const Neuron& neuron = graph_.neurons[node - graph_.inputs];
      const NeuronFunction& function = graph_.functions[neuron.function];
      const auto theirs = name_in(Dialect::neat_python, function);
      put("{}    {{\"id\": {}, \"type\": \"{}\", \"activation\": {{\"name\": {}, \"custom\": {}}}, ", between, ids_[node], is_output[node] ? "output" : "hidden",
          json_string(theirs ? std::string(*theirs) : to_string(function)), !theirs);
      put("\"aggregation\": {{\"name\": \"{}\", \"custom\": false}}, \"bias\": {}, \"response\": {}", name_of(neuron.aggregation), json_number(neuron.bias),
          json_number(neuron.response));
      if (graph_.update == Update::continuous) put(", \"time_constant\": {}", json_number(neuron.time_constant));
      end_node(node);
      between = ",\n";
    }
    for (std::uint32_t node = 0; node < graph_.inputs; ++node) {
      put("{}    {{\"id\": {}, \"type\": \"input\", \"activation\": {{\"name\": \"identity\", \"custom\": false}}, "
          "\"aggregation\": {{\"name\": \"none\", \"custom\": false}}, \"bias\": 0.0, \"response\": 1.0",
          between, ids_[node]);
      if (graph_.update == Update::continuous) put(", \"time_constant\": 1.0");
      end_node(node);
      between = ",\n";
    }
  }

  void end_node(std::uint32_t node) {
    if (has_names_) put(", \"name\": {}", json_string(graph_.name(node)));
    put("}}");
  }

  void write_connections() {
    std::string_view between = "\n";
    for (std::size_t k = 0; k < graph_.neurons.size(); ++k)
      for (std::size_t e = graph_.edge_begin[k]; e < graph_.edge_begin[k + 1]; ++e) {
        put("{}    {{\"from\": {}, \"to\": {}, \"weight\": {}, \"enabled\": true}}", between, ids_[graph_.sources[e]], ids_[graph_.inputs + k],
            json_number(graph_.weights[e]));
        between = ",\n";
      }
  }

  const NeuronGraph& graph_;
  std::vector<std::int64_t> ids_;
  bool has_names_ = false;
  std::string text_;
};

}  // namespace

std::string neat_python_text(const NeuronGraph& graph, std::string_view file) {
  if (const auto why = repeated_edge(graph)) throw Unsupported(fmt::format("{}: neat-python's JSON cannot hold this graph: {}; write .edges", file, *why));
  return Writer(graph).write();
}

}  // namespace lacuna::frontends
