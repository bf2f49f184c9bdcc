#include "frontends/neuro/read/named_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <lacuna/error.hpp>

#include "base/text.hpp"
#include "network/neuron_graph_text.hpp"

namespace lacuna::frontends {
namespace {

struct NumberAttribute {
  std::string_view name;
  double Neuron::* place;
};
constexpr auto numbers = std::to_array<NumberAttribute>(
    {{"bias", &Neuron::bias}, {"response", &Neuron::response}, {"time_constant", &Neuron::time_constant}});

}  // namespace

std::optional<Update> find_update(std::string_view word) {
  for (const Update update : {Update::feed_forward, Update::stepwise, Update::continuous})
    if (network::name_of(update) == word) return update;
  return std::nullopt;
}

bool NeuronAttributes::knows(std::string_view key) {
  if (key == "activation" || key == "aggregation") return true;
  return std::any_of(numbers.begin(), numbers.end(), [&](const NumberAttribute& number) { return number.name == key; });
}

std::optional<std::string> NeuronAttributes::set(std::string_view key, std::string_view value) {
  if (key == "activation") {
    const auto found = parse_function(value);
    if (!found) return fmt::format("the activation {} is unknown; docs/neuroevolution.md lists the functions", base::quote(value));
    function = *found;
    return std::nullopt;
  }
  if (key == "aggregation") {
    const auto found = find_aggregation(value);
    if (!found) return fmt::format("the aggregation {} is unknown; there are sum, product, max, min, maxabs, mean and median", base::quote(value));
    neuron.aggregation = *found;
    return std::nullopt;
  }
  for (const NumberAttribute& number : numbers) {
    if (number.name != key) continue;
    double parsed = 0;
    const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), parsed);
    if (error == std::errc::invalid_argument || stop != value.data() + value.size()) return fmt::format("the {} {} is not a number", key, base::quote(value));
    if (error != std::errc{} || !std::isfinite(parsed)) return fmt::format("the {} {} is not a finite 64-bit number", key, base::quote(value));
    neuron.*number.place = parsed;
    return std::nullopt;
  }
  return fmt::format("the attribute {} is unknown; neurons have activation, aggregation, bias, response and time_constant", base::quote(key));
}

std::int64_t NamedGraph::number_of(std::string_view name) {
  if (const auto found = numbers_.find(name); found != numbers_.end()) return found->second;
  const auto number = static_cast<std::int64_t>(nodes_.size());
  numbers_.emplace(name, number);
  nodes_.emplace_back().name = name;
  return number;
}

std::optional<std::int64_t> NamedGraph::find(std::string_view name) const {
  const auto found = numbers_.find(name);
  return found == numbers_.end() ? std::nullopt : std::optional(found->second);
}

bool NamedGraph::declare(std::int64_t number, const NeuronAttributes& attributes, std::uint64_t line) {
  Node& node = nodes_[static_cast<std::size_t>(number)];
  if (node.attributes) return false;
  node.attributes = attributes;
  node.line = line;
  return true;
}

void NamedGraph::add_edge(std::int64_t source, std::int64_t target, double weight, std::uint64_t line) {
  nodes_[static_cast<std::size_t>(source)].is_source = true;
  Node& end = nodes_[static_cast<std::size_t>(target)];
  end.is_target = true;
  if (end.line == 0) end.line = line;
  draft_.add_edge(source, target, weight, line);
}

NeuronGraph NamedGraph::finish(const NeuronAttributes& usual, std::string_view hint) {
  const auto count = static_cast<std::int64_t>(nodes_.size());
  const bool inputs_are_said = has_inputs();
  if (!inputs_are_said)
    for (std::int64_t k = 0; k < count; ++k)
      if (!nodes_[static_cast<std::size_t>(k)].is_target && nodes_[static_cast<std::size_t>(k)].is_source) add_input(k, 0);
  std::vector<bool> is_input(nodes_.size(), false);
  for (const Mention& input : inputs_) {
    draft_.add_input(input.number, input.line, name_of(input.number));
    is_input[static_cast<std::size_t>(input.number)] = true;
  }
  for (std::int64_t k = 0; k < count; ++k) {
    const Node& node = nodes_[static_cast<std::size_t>(k)];
    if (is_input[static_cast<std::size_t>(k)]) continue;
    if (!node.attributes && !node.is_target) {
      if (node.is_source) throw InputError(file_, fmt::format("{} is the start of a connection, but neither an input nor the end of a connection{}", node.name, hint));
      continue;  // an output that nothing else speaks of
    }
    const NeuronAttributes& attributes = node.attributes ? *node.attributes : usual;
    draft_.add_neuron(k, attributes.function, attributes.neuron, node.line, node.name);
  }
  if (!has_outputs())
    for (std::int64_t k = 0; k < count; ++k)
      if (!nodes_[static_cast<std::size_t>(k)].is_source && !is_input[static_cast<std::size_t>(k)]) add_output(k, 0);
  for (const Mention& output : outputs_) {
    const Node& node = nodes_[static_cast<std::size_t>(output.number)];
    if (!node.attributes && !node.is_target && !is_input[static_cast<std::size_t>(output.number)]) {
      const std::string sentence = fmt::format("the output {} is never computed: no connection ends there{}", node.name, hint);
      if (output.line == 0) throw InputError(file_, sentence);
      throw InputError(file_, output.line, 1, sentence);
    }
    draft_.add_output(output.number, output.line);
  }
  return draft_.finish({.edges_may_repeat = true});  // GraphML has multigraphs
}

}  // namespace lacuna::frontends
