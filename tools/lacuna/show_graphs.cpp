#include "show_graphs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "command.hpp"

namespace cli {
namespace {

const lacuna::NeuronGraph& graph_of(const lacuna::Operator& op) { return std::get<lacuna::NeuronGraph>(op.operation); }

std::string update_text(const lacuna::NeuronGraph& graph) {
  switch (graph.update) {
    case lacuna::Update::feed_forward: return "feed forward: every neuron once, after its sources";
    case lacuna::Update::stepwise: return fmt::format("stepwise: {} step{} for one row of inputs", graph.steps, graph.steps == 1 ? "" : "s");
    case lacuna::Update::continuous: break;
  }
  return fmt::format("continuous: {} step{} of {} s for one row of inputs", graph.steps, graph.steps == 1 ? "" : "s", graph.time_step);
}

std::string_view update_word(lacuna::Update update) {
  return update == lacuna::Update::feed_forward ? "feed_forward" : update == lacuna::Update::stepwise ? "stepwise" : "continuous";
}

using Counts = std::vector<std::pair<std::string, std::uint64_t>>;

/// Most frequent first.
Counts by_frequency(const std::map<std::string, std::uint64_t>& counts) {
  Counts sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return sorted;
}

Counts function_counts(const lacuna::Network& network) {
  std::map<std::string, std::uint64_t> counts;
  for (const lacuna::Operator& op : network.operators) {
    const lacuna::NeuronGraph& graph = graph_of(op);
    std::vector<std::uint64_t> uses(graph.functions.size(), 0);
    for (const lacuna::Neuron& neuron : graph.neurons) ++uses[neuron.function];
    for (std::size_t k = 0; k < uses.size(); ++k)
      if (uses[k] != 0) counts[lacuna::to_string(graph.functions[k])] += uses[k];
  }
  return by_frequency(counts);
}

Counts aggregation_counts(const lacuna::Network& network) {
  std::map<std::string, std::uint64_t> counts;
  for (const lacuna::Operator& op : network.operators)
    for (const lacuna::Neuron& neuron : graph_of(op).neurons) ++counts[std::string(lacuna::name_of(neuron.aggregation))];
  return by_frequency(counts);
}

/// "tanh 12, relu 3"; only the most frequent of very many.
std::string in_a_line(const Counts& counts) {
  constexpr std::size_t shown = 12;
  std::string text;
  for (std::size_t k = 0; k < std::min(shown, counts.size()); ++k) text += fmt::format("{}{} {}", k == 0 ? "" : ", ", counts[k].first, with_commas(counts[k].second));
  if (counts.size() > shown) text += fmt::format(" and {} more", counts.size() - shown);
  return text.empty() ? "none" : text;
}

Json to_json(const Counts& counts) {
  Json object = Json::object();
  for (const auto& [name, count] : counts) object[name] = count;
  return object;
}

/// "5 4 4 2", or the ends of a long list.
std::string widths_text(const std::vector<std::uint32_t>& widths) {
  constexpr std::size_t shown = 24;
  if (widths.size() <= shown) return fmt::format("{}", fmt::join(widths, " "));
  return fmt::format("{} ... {}", fmt::join(widths.begin(), widths.begin() + shown - 4, " "), fmt::join(widths.end() - 4, widths.end(), " "));
}

std::string counted(std::uint64_t count, std::string_view word) { return fmt::format("{} {}{}", with_commas(count), word, count == 1 ? "" : "s"); }

std::string hash_text(const lacuna::Network& network) { return fmt::format("{:016x}", lacuna::hash(network)); }

void show_one(const lacuna::Network& network, const std::string& path, bool as_json) {
  const lacuna::NeuronGraph& graph = graph_of(network.operators[0]);
  const std::vector<std::uint32_t> widths = lacuna::level_widths(graph);
  if (as_json) {
    Json told = {{"network", path}, {"inputs", graph.inputs}, {"outputs", graph.outputs.size()}, {"nodes", graph.nodes()}, {"edges", graph.weights.size()},
                 {"update", update_word(graph.update)}};
    if (graph.update != lacuna::Update::feed_forward) told["steps"] = graph.steps;
    if (graph.update == lacuna::Update::continuous) told["time_step"] = graph.time_step;
    told["levels"] = widths.size();
    told["widths"] = widths;
    told["functions"] = to_json(function_counts(network));
    told["aggregations"] = to_json(aggregation_counts(network));
    told["hash"] = hash_text(network);
    return print_json(told);
  }
  print_line("nodes", fmt::format("{}: {}, {}, {}", with_commas(graph.nodes()), counted(graph.inputs, "input"), counted(graph.neurons.size(), "neuron"),
                                  counted(graph.outputs.size(), "output")));
  print_line("edges", with_commas(graph.weights.size()));
  print_line("update", update_text(graph));
  print_line("levels", fmt::format("{}, of widths {}", with_commas(widths.size()), widths_text(widths)));
  print_line("functions", in_a_line(function_counts(network)));
  print_line("aggregations", in_a_line(aggregation_counts(network)));
  print_line("hash", hash_text(network));
}

/// The least, the middle and the most.
struct Spread {
  std::uint64_t least, middle, most;
};

template <typename Measure>
Spread spread_of(const lacuna::Network& network, Measure measure) {
  std::vector<std::uint64_t> values;
  for (const lacuna::Operator& op : network.operators) values.push_back(measure(graph_of(op)));
  std::sort(values.begin(), values.end());
  return {values.front(), values[values.size() / 2], values.back()};
}

std::string to_text(const Spread& spread) {
  return fmt::format("{} at least, {} in the middle, {} at most", with_commas(spread.least), with_commas(spread.middle), with_commas(spread.most));
}

Json to_json(const Spread& spread) { return {{"min", spread.least}, {"median", spread.middle}, {"max", spread.most}}; }

void show_population(const lacuna::Network& network, const std::string& path, bool as_json) {
  const Spread nodes = spread_of(network, [](const lacuna::NeuronGraph& graph) { return graph.nodes(); });
  const Spread edges = spread_of(network, [](const lacuna::NeuronGraph& graph) { return graph.weights.size(); });
  const Spread levels = spread_of(network, [](const lacuna::NeuronGraph& graph) { return lacuna::level_widths(graph).size(); });
  const Spread outputs = spread_of(network, [](const lacuna::NeuronGraph& graph) { return graph.outputs.size(); });
  std::map<std::string, std::uint64_t> updates;
  for (const lacuna::Operator& op : network.operators) ++updates[std::string(update_word(graph_of(op).update))];
  const std::uint32_t inputs = graph_of(network.operators[0]).inputs;
  const std::string first = network.value(network.operators.front().output).name, last = network.value(network.operators.back().output).name;
  if (as_json)
    return print_json({{"population", path}, {"members", network.operators.size()}, {"first", first}, {"last", last}, {"inputs", inputs}, {"outputs", to_json(outputs)},
                       {"nodes", to_json(nodes)}, {"edges", to_json(edges)}, {"levels", to_json(levels)}, {"all_edges", lacuna::count_edges(network)},
                       {"updates", to_json(by_frequency(updates))}, {"functions", to_json(function_counts(network))},
                       {"aggregations", to_json(aggregation_counts(network))}, {"hash", hash_text(network)}});
  print_line("members", fmt::format("{}: {} to {}", with_commas(network.operators.size()), first, last));
  print_line("inputs", with_commas(inputs));
  print_line("outputs", outputs.least == outputs.most ? with_commas(outputs.most) : to_text(outputs));
  print_line("nodes", to_text(nodes));
  print_line("edges", fmt::format("{}; {} in all", to_text(edges), with_commas(lacuna::count_edges(network))));
  print_line("levels", to_text(levels));
  print_line("update", in_a_line(by_frequency(updates)));
  print_line("functions", in_a_line(function_counts(network)));
  print_line("aggregations", in_a_line(aggregation_counts(network)));
  print_line("hash", hash_text(network));
}

}  // namespace

void show_graphs(const lacuna::Network& network, const std::string& path, bool as_json) {
  if (network.operators.size() == 1)
    show_one(network, path, as_json);
  else
    show_population(network, path, as_json);
}

const lacuna::NeuronGraph& only_graph(const lacuna::Network& network, const std::string& path, const std::string& purpose) {
  if (!network.has_neuron_graphs()) throw lacuna::InputError(path, fmt::format("is no neuron graph; {} needs one", purpose));
  if (network.operators.size() != 1)
    throw lacuna::InputError(path, fmt::format("holds {} networks; {} takes one: give the file of a member", with_commas(network.operators.size()), purpose));
  return graph_of(network.operators[0]);
}

}  // namespace cli
