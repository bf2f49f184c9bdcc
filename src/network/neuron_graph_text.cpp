#include "network/neuron_graph_text.hpp"

#include <fmt/format.h>

#include <array>
#include <iterator>

#include "network/element_text.hpp"

namespace lacuna::network {
namespace {

constexpr auto update_names = std::to_array<std::string_view>({"feed_forward", "stepwise", "continuous"});

template <typename Number>
std::vector<Number> take_list(Words& words, std::string_view what) {
  std::vector<Number> numbers;
  words.expect("[");
  while (!words.take_if("]")) numbers.push_back(words.take_number<Number>(what));
  return numbers;
}

Update take_update(Words& words) {
  for (std::size_t k = 0; k < update_names.size(); ++k)
    if (words.take_if(update_names[k])) return static_cast<Update>(k);
  words.fail(fmt::format("expected feed_forward, stepwise or continuous, found {}", words.described()));
}

void take_neuron(Words& words, NeuronGraphBuilder& builder, Update update, std::uint32_t node, std::string name) {
  const auto written = words.take_number<std::uint32_t>("a node");
  if (written != node) words.fail(fmt::format("neuron {} where {} is due; neurons stand in order and follow the inputs", written, node));
  words.expect(":");
  const std::string text = words.take_name("a function");
  const auto function = parse_function(text);
  if (!function) words.fail(fmt::format("no function is called \"{}\"", text));
  Neuron neuron;
  const std::string aggregation = words.take_name("an aggregation");
  const auto found = find_aggregation(aggregation);
  if (!found) words.fail(fmt::format("no aggregation is called \"{}\"", aggregation));
  neuron.aggregation = *found;
  words.expect("bias");
  neuron.bias = words.take_number<double>("a bias");
  words.expect("response");
  neuron.response = words.take_number<double>("a response");
  if (update == Update::continuous) {
    words.expect("time_constant");
    neuron.time_constant = words.take_number<double>("a time constant");
  }
  builder.add_neuron(std::move(name), *function, neuron);
  while (!words.at_line_end()) {
    const auto source = words.take_number<std::uint32_t>("a source");
    words.expect("*");
    builder.add_edge(source, node, words.take_number<double>("a weight"));
  }
  words.end_line();
}

}  // namespace

std::string_view name_of(Update update) { return update_names[static_cast<std::size_t>(update)]; }

std::string neuron_graph_text(const NeuronGraph& graph) {
  std::string text(name_of(graph.update));
  const auto out = std::back_inserter(text);
  if (graph.update != Update::feed_forward) fmt::format_to(out, " steps {}", graph.steps);
  if (graph.update == Update::continuous) fmt::format_to(out, " time_step {}", graph.time_step);
  fmt::format_to(out, " outputs [{}]", fmt::join(graph.outputs, " "));
  if (!graph.names.empty()) {
    fmt::format_to(out, " names [");
    for (std::uint32_t node = 0; node < graph.nodes(); ++node) fmt::format_to(out, "{}{}", node == 0 ? "" : " ", name_text(graph.name(node)));
    fmt::format_to(out, "]");
  }
  if (!graph.levels.empty()) fmt::format_to(out, " levels [{}]", fmt::join(graph.levels, " "));
  fmt::format_to(out, " {{\n");
  for (std::size_t k = 0; k < graph.neurons.size(); ++k) {
    const Neuron& neuron = graph.neurons[k];
    fmt::format_to(out, "  {}: {} {} bias {} response {}", graph.inputs + k, name_text(to_string(graph.functions[neuron.function])), lacuna::name_of(neuron.aggregation),
                   neuron.bias, neuron.response);
    if (graph.update == Update::continuous) fmt::format_to(out, " time_constant {}", neuron.time_constant);
    for (std::size_t e = graph.edge_begin[k]; e < graph.edge_begin[k + 1]; ++e) fmt::format_to(out, " {}*{}", graph.sources[e], graph.weights[e]);
    fmt::format_to(out, "\n");
  }
  text += "}";
  return text;
}

NeuronGraph take_neuron_graph(Words& words, std::uint32_t inputs) {
  const Update update = take_update(words);
  NeuronGraphBuilder builder(update);
  if (update != Update::feed_forward) {
    words.expect("steps");
    builder.set_steps(words.take_number<std::uint32_t>("a number of steps"));
  }
  if (update == Update::continuous) {
    words.expect("time_step");
    builder.set_time_step(words.take_number<double>("a time step"));
  }
  words.expect("outputs");
  for (const std::uint32_t node : take_list<std::uint32_t>(words, "an output")) builder.add_output(node);
  std::vector<std::string> names;
  const bool has_names = words.take_if("names");
  if (has_names) {
    words.expect("[");
    while (!words.take_if("]")) names.push_back(words.take_name("a name"));
  }
  std::vector<std::uint32_t> levels;
  if (words.take_if("levels")) levels = take_list<std::uint32_t>(words, "a neuron");
  words.expect("{");
  words.end_line();
  const auto name = [&](std::size_t node) { return node < names.size() ? names[node] : std::string(); };
  for (std::uint32_t node = 0; node < inputs; ++node) builder.add_input(name(node));
  std::uint32_t node = inputs;
  for (; !words.take_if("}"); ++node) take_neuron(words, builder, update, node, name(node));
  if (has_names && names.size() != node) words.fail(fmt::format("{} names for {} nodes", names.size(), node));
  NeuronGraph graph = builder.finish();
  if (!has_names) graph.names = {};
  graph.levels = std::move(levels);
  return graph;
}

}  // namespace lacuna::network
