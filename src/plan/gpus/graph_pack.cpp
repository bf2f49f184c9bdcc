#include "plan/gpus/graph_pack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include <lacuna/error.hpp>

#include "base/parallel.hpp"

namespace lacuna::plan::gpus {
namespace {

using kernel::Ending;
using Record = std::array<float, 4>;  ///< limit, bend, gain, offset

Record record_of(const NeuronFunction& function) {
  return {kernel::limit_in_kernel(function.curve, function.limit), static_cast<float>(function.bend), static_cast<float>(function.gain), static_cast<float>(function.offset)};
}

const NeuronGraph& graph_of(const Network& network, std::size_t m) { return std::get<NeuronGraph>(network.operators[m].operation); }

/// Which functions and aggregations occur, and the record of each function.
class KindFinder {
 public:
  void add(const NeuronGraph& graph) {
    std::vector<bool> is_used(graph.functions.size(), false);
    for (std::size_t k = 0; k < graph.neurons.size(); ++k) {
      const Neuron& neuron = graph.neurons[k];
      is_used[neuron.function] = true;
      aggregations_[graph.edge_begin[k] == graph.edge_begin[k + 1] ? kernel::row_is_empty : walked_as(neuron.aggregation)] = true;
    }
    for (std::size_t f = 0; f < graph.functions.size(); ++f)
      if (is_used[f]) add(graph.functions[f]);
  }

  static std::uint32_t walked_as(Aggregation aggregation) {
    return static_cast<std::uint32_t>(aggregation == Aggregation::mean ? Aggregation::sum : aggregation);
  }

  kernel::RowKinds kinds() const {
    kernel::RowKinds kinds;
    for (const auto& [curve, ending] : endings_) kinds.endings.push_back(ending);
    for (std::uint32_t k = 0; k < aggregations_.size(); ++k)
      if (aggregations_[k]) kinds.aggregations.push_back(k);
    if (kinds.endings.empty()) kinds.endings.push_back({Curve::identity, std::numeric_limits<float>::infinity(), 0.0f, 1.0f, 0.0f}), kinds.aggregations = {kernel::row_is_empty};  // nothing but inputs
    return kinds;
  }

  std::uint32_t ending_of(Curve curve) const { return static_cast<std::uint32_t>(std::distance(endings_.begin(), endings_.find(curve))); }
  std::uint32_t place_of(const NeuronFunction& function) const { return records_.at(record_of(function)); }

  std::vector<std::uint32_t> records() const {
    std::vector<std::uint32_t> words(4 * records_.size());
    for (const auto& [record, place] : records_)
      for (std::size_t k = 0; k < 4; ++k) words[4 * place + k] = std::bit_cast<std::uint32_t>(record[k]);
    return words;
  }

 private:
  void add(const NeuronFunction& function) {
    const Record record = record_of(function);
    records_.try_emplace(record, static_cast<std::uint32_t>(records_.size()));
    const auto [at, is_new] = endings_.try_emplace(function.curve, Ending{function.curve, record[0], record[1], record[2], record[3]});
    if (is_new) return;
    const auto agree = [](std::optional<float>& constant, float value) {
      if (constant && *constant != value) constant.reset();
    };
    agree(at->second.limit, record[0]);
    agree(at->second.bend, record[1]);
    agree(at->second.gain, record[2]);
    agree(at->second.offset, record[3]);
  }

  std::map<Curve, Ending> endings_;
  std::map<Record, std::uint32_t> records_;
  std::array<bool, 8> aggregations_{};
};

std::uint32_t rounded_planes(std::uint32_t planes) {
  const std::uint32_t step = planes <= 256 ? 8 : 64;
  return (planes + step - 1) / step * step;
}

/// By way of updating, then by size: a group ends where members have twice as many nodes.
void make_groups(const Network& network, PackedGraphs& packed) {
  packed.order.resize(network.operators.size());
  std::iota(packed.order.begin(), packed.order.end(), 0u);
  const auto size_class = [&](std::uint32_t m) { return std::bit_width(std::max(graph_of(network, m).nodes(), 32u) - 1); };
  const auto key = [&](std::uint32_t m) { return std::tuple(graph_of(network, m).update, size_class(m)); };
  std::stable_sort(packed.order.begin(), packed.order.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  for (std::uint32_t place = 0; place < packed.order.size(); ++place) {
    const NeuronGraph& graph = graph_of(network, packed.order[place]);
    if (place == 0 || key(packed.order[place]) != key(packed.order[place - 1])) packed.groups.push_back({.update = graph.update, .first = place});
    GraphGroup& group = packed.groups.back();
    ++group.count;
    group.planes = std::max(group.planes, rounded_planes(graph.nodes()));
    group.edges += graph.weights.size();
    group.rows += graph.neurons.size();
    group.levels += graph.levels.size() - 1;
    packed.planes += graph.nodes();
  }
}

std::uint32_t quads_of(const NeuronGraph& graph, std::size_t row) { return (graph.edge_begin[row + 1] - graph.edge_begin[row] + 3) / 4; }

/// Where each member's parts of the tables are, and the tables with room for all. Outputs stand in the order of the network.
std::vector<std::uint32_t> place_members(const Network& network, PackedGraphs& packed) {
  GraphTables& tables = packed.tables;
  const auto input_ids = network.all_inputs();
  std::vector<std::uint32_t> first_column(network.values.size(), 0);
  std::uint32_t column = 0;
  for (const ValueId id : input_ids) {
    first_column[static_cast<std::size_t>(id)] = column;
    packed.widths.push_back(network.width(id));
    column += packed.widths.back();
  }
  std::vector<std::uint32_t> first_output(network.operators.size());
  for (std::size_t m = 0; m < network.operators.size(); ++m) {
    first_output[m] = static_cast<std::uint32_t>(tables.outputs.size());
    const auto& outputs = graph_of(network, m).outputs;
    tables.outputs.insert(tables.outputs.end(), outputs.begin(), outputs.end());
  }
  std::vector<std::uint32_t> first_quad;
  std::uint32_t rows = 0, levels = 0, planes = 0, quads = 0;
  for (const std::uint32_t m : packed.order) {
    const NeuronGraph& graph = graph_of(network, m);
    const auto level_count = static_cast<std::uint32_t>(graph.levels.size() - 1), row_count = static_cast<std::uint32_t>(graph.neurons.size());
    tables.members.push_back({rows, levels, level_count, graph.inputs, row_count, first_output[m], static_cast<std::uint32_t>(graph.outputs.size()), planes,
                              graph.update == Update::feed_forward ? 1 : graph.steps, first_column[static_cast<std::size_t>(network.operators[m].inputs[0])]});
    first_quad.push_back(quads);
    rows += row_count;
    levels += level_count + 1;
    planes += graph.nodes();
    for (std::uint32_t row = 0; row < row_count; ++row) quads += quads_of(graph, row);
  }
  tables.records.resize(std::size_t{4} * rows);
  tables.extras.resize(packed.kinds.reads_extra() ? std::size_t{4} * rows : 0);
  tables.levels.resize(levels);
  tables.quads.resize(std::size_t{8} * quads);
  return first_quad;
}

class MemberPacker {
 public:
  MemberPacker(const KindFinder& finder, GraphTables& tables) : finder_(finder), tables_(tables) {}

  void pack(const NeuronGraph& graph, const kernel::GraphMember& member, std::uint32_t quad, std::string_view name) {
    std::copy(graph.levels.begin(), graph.levels.end(), tables_.levels.begin() + member.first_level);
    for (std::uint32_t row = 0; row < member.rows; ++row) {
      pack_row(graph, row, member.first_row + row, quad, name);
      quad += quads_of(graph, row);
    }
  }

 private:
  static std::uint32_t word(float value) { return std::bit_cast<std::uint32_t>(value); }

  void pack_row(const NeuronGraph& graph, std::uint32_t row, std::uint32_t place, std::uint32_t quad, std::string_view name) {
    const Neuron& neuron = graph.neurons[row];
    const NeuronFunction& function = graph.functions[neuron.function];
    const std::uint32_t begin = graph.edge_begin[row], length = graph.edge_begin[row + 1] - begin;
    const double factor = double{kernel::argument_factor(function.curve)};
    const double scale = factor * function.slope * neuron.response;
    double bias = factor * (function.slope * neuron.bias + function.shift), of_weights = 1;
    if (length == 0 && neuron.aggregation == Aggregation::product) bias += scale;  // the product of nothing is 1
    if (neuron.aggregation == Aggregation::sum) of_weights = scale;
    if (neuron.aggregation == Aggregation::mean && length != 0) of_weights = scale / length;
    const std::uint32_t head = length == 0 ? 0 : (length - 1) % 4 + 1;
    float total = std::abs(static_cast<float>(bias)) + std::abs(static_cast<float>(scale));
    for (std::uint32_t e = 0; e < length; ++e) {
      const std::uint32_t slot = e < head ? e : e - head + 4;
      const std::size_t at = std::size_t{8} * (quad + slot / 4) + slot % 4;
      const auto weight = static_cast<float>(graph.weights[begin + e] * of_weights);
      tables_.quads[at] = graph.sources[begin + e];
      tables_.quads[at + 4] = word(weight);
      total += std::abs(weight);
    }
    if (!std::isfinite(total))
      throw Unsupported(fmt::format("{}: a weight or bias of {} is beyond what a float holds; compile it in f64 for the cpu", name, graph.name(graph.inputs + row)));
    const std::uint32_t aggregation = length == 0 ? kernel::row_is_empty : KindFinder::walked_as(neuron.aggregation);
    const std::uint32_t record[4] = {quad, length == 0 ? 0 : (length - head) / 4, kernel::row_kind(finder_.ending_of(function.curve), aggregation, head), word(static_cast<float>(bias))};
    std::copy_n(record, 4, tables_.records.begin() + std::size_t{4} * place);
    if (tables_.extras.empty()) return;
    const float decay = graph.update == Update::continuous ? static_cast<float>(std::exp(-graph.time_step / neuron.time_constant)) : 0;
    const std::uint32_t extra[4] = {word(static_cast<float>(scale)), word(decay), finder_.place_of(function), 0};
    std::copy_n(extra, 4, tables_.extras.begin() + std::size_t{4} * place);
  }

  const KindFinder& finder_;
  GraphTables& tables_;
};

}  // namespace

PackedGraphs pack_graphs(const Network& network, unsigned threads) {
  constexpr std::uint64_t worth_threads = 1 << 14;  // edges
  PackedGraphs packed;
  KindFinder finder;
  for (std::size_t m = 0; m < network.operators.size(); ++m) finder.add(graph_of(network, m));
  packed.kinds = finder.kinds();
  make_groups(network, packed);
  packed.kinds.has_decay = std::any_of(packed.groups.begin(), packed.groups.end(), [](const GraphGroup& group) { return group.update == Update::continuous; });
  const auto first_quad = place_members(network, packed);
  packed.tables.functions = finder.records();
  base::parallel_for(count_edges(network) < worth_threads ? 1 : threads, packed.order.size(), [&](std::size_t place, unsigned) {
    const std::uint32_t m = packed.order[place];
    MemberPacker(finder, packed.tables).pack(graph_of(network, m), packed.tables.members[place], first_quad[place], network.value(network.operators[m].output).name);
  });
  return packed;
}

}  // namespace lacuna::plan::gpus
