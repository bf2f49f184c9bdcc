#include "frontends/onnx/order.hpp"

#include <fmt/format.h>

#include <queue>
#include <unordered_map>

#include <lacuna/error.hpp>

#include "frontends/onnx/names.hpp"

namespace lacuna::frontends::onnx {

std::string describe(const NodeProto& node) {
  std::string_view name = node.name;
  if (name.empty() && !node.outputs.empty()) name = node.outputs[0];
  return fmt::format("node {} ({})", quote_name(name), node.operation.empty() ? "no operator" : std::string(node.operation));
}

namespace {

using Producers = std::unordered_map<std::string_view, std::size_t>;  ///< value -> node

Producers find_producers(const GraphProto& graph) {
  Producers producers;
  for (std::size_t k = 0; k < graph.nodes.size(); ++k)
    for (const std::string_view output : graph.nodes[k].outputs)
      if (!output.empty() && !producers.emplace(output, k).second)
        throw InputError(fmt::format("{} and {} both give the value {}", describe(graph.nodes[producers[output]]), describe(graph.nodes[k]), quote_name(output)));
  return producers;
}

std::vector<bool> find_needed(const GraphProto& graph, const Producers& producers) {
  std::vector<bool> needed(graph.nodes.size(), false);
  std::vector<std::size_t> open;
  const auto need = [&](std::string_view value) {
    const auto found = producers.find(value);
    if (found == producers.end() || needed[found->second]) return;
    needed[found->second] = true;
    open.push_back(found->second);
  };
  for (const ValueProto& output : graph.outputs) need(output.name);
  while (!open.empty()) {
    const std::size_t k = open.back();
    open.pop_back();
    for (const std::string_view input : graph.nodes[k].inputs) need(input);
  }
  return needed;
}

}  // namespace

std::vector<const NodeProto*> order_nodes(const GraphProto& graph) {
  const Producers producers = find_producers(graph);
  const std::vector<bool> needed = find_needed(graph, producers);
  std::vector<std::vector<std::size_t>> readers(graph.nodes.size());
  std::vector<std::size_t> missing(graph.nodes.size(), 0);
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;  // the first in the file first
  std::size_t count = 0;
  for (std::size_t k = 0; k < graph.nodes.size(); ++k) {
    if (!needed[k]) continue;
    ++count;
    for (const std::string_view input : graph.nodes[k].inputs)
      if (const auto found = producers.find(input); found != producers.end()) {
        readers[found->second].push_back(k);
        ++missing[k];
      }
    if (missing[k] == 0) ready.push(k);
  }
  std::vector<const NodeProto*> order;
  while (!ready.empty()) {
    const std::size_t k = ready.top();
    ready.pop();
    order.push_back(&graph.nodes[k]);
    for (const std::size_t reader : readers[k])
      if (--missing[reader] == 0) ready.push(reader);
  }
  if (order.size() == count) return order;
  // Every node left waits for another that is left: walking back from one must come to a cycle.
  std::size_t at = 0;
  while (!needed[at] || missing[at] == 0) ++at;
  for (std::size_t step = 0; step < graph.nodes.size(); ++step)
    for (const std::string_view input : graph.nodes[at].inputs)
      if (const auto found = producers.find(input); found != producers.end() && missing[found->second] > 0) {
        at = found->second;
        break;
      }
  throw InputError(fmt::format("{} is part of a cycle: it needs its own output", describe(graph.nodes[at])));
}

}  // namespace lacuna::frontends::onnx
