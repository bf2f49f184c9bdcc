// Levelised graphs -> tables, phases and a panel width.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>

#include <lacuna/error.hpp>

#include "base/parallel.hpp"
#include "devices/cpu/cpu_info.hpp"
#include "engine/graphs/graph_program.hpp"

namespace lacuna::engine::graphs {
namespace {

/// Edges below which a level is not worth a barrier (two cores meet in about a microsecond).
constexpr std::uint64_t worth_splitting = 16384;

/// Cuts rows [begin, end) where a share of the edges ends.
std::vector<std::uint32_t> cut_by_edges(const NeuronGraph& graph, std::uint32_t begin, std::uint32_t end, unsigned parts) {
  std::vector<std::uint32_t> cuts{begin};
  const std::uint64_t first = graph.edge_begin[begin], edges = graph.edge_begin[end] - first;
  for (unsigned part = 1; part < parts; ++part) {
    const auto wanted = static_cast<std::uint32_t>(first + edges * part / parts);
    const auto place = std::lower_bound(graph.edge_begin.begin() + cuts.back(), graph.edge_begin.begin() + end, wanted);
    cuts.push_back(static_cast<std::uint32_t>(place - graph.edge_begin.begin()));
  }
  cuts.push_back(end);
  return cuts;
}

/// Small levels in a row are one phase of one worker.
template <typename T>
std::vector<Phase> split_levels(const NeuronGraph& graph, const plan::GraphTable<T>& table, unsigned threads) {
  if (threads < 2 || table.edges() < worth_splitting) return {};
  std::vector<Phase> phases;
  bool is_split = false;
  std::uint32_t waiting = 0;  // rows before the level that have no phase yet
  const auto flush = [&](std::uint32_t row) {
    if (waiting < row) phases.push_back({{table.slice(waiting, row)}});
    waiting = row;
  };
  for (std::size_t level = 0; level + 1 < graph.levels.size(); ++level) {
    const std::uint32_t begin = graph.levels[level], end = graph.levels[level + 1];
    if (graph.edge_begin[end] - graph.edge_begin[begin] < worth_splitting) continue;
    flush(begin);
    Phase phase;
    const auto cuts = cut_by_edges(graph, begin, end, threads);
    for (unsigned part = 0; part < threads; ++part) phase.parts.push_back(table.slice(cuts[part], cuts[part + 1]));
    phases.push_back(std::move(phase));
    waiting = end;
    is_split = true;
  }
  flush(static_cast<std::uint32_t>(graph.neurons.size()));
  return is_split ? phases : std::vector<Phase>{};
}

constexpr std::uint64_t worth_threads = 1 << 14;  // edges of all graphs

template <typename T>
std::vector<Member<T>> make_members(const Network& network, const GraphOptions& options) {
  const auto input_ids = network.all_inputs();
  std::vector<std::uint32_t> input_index(network.values.size(), 0);
  for (std::uint32_t k = 0; k < input_ids.size(); ++k) input_index[static_cast<std::size_t>(input_ids[k])] = k;
  const unsigned threads = count_edges(network) < worth_threads ? 1 : options.threads;
  std::vector<std::optional<Member<T>>> members(network.operators.size());
  base::parallel_for(threads, members.size(), [&](std::size_t k, unsigned) {
    const Operator& op = network.operators[k];
    const auto& graph = std::get<NeuronGraph>(op.operation);
    plan::GraphTable<T> table(graph, network.value(op.output).name);
    auto phases = split_levels(graph, table, options.threads);
    members[k].emplace(Member<T>{std::move(table), graph.outputs, graph.inputs, graph.nodes(), input_index[static_cast<std::size_t>(op.inputs[0])], graph.update,
                                 graph.update == Update::feed_forward ? 1 : graph.steps, std::move(phases)});
  });
  std::vector<Member<T>> made;
  made.reserve(members.size());
  for (auto& member : members) made.push_back(*std::move(member));
  return made;
}

/// Edges times lanes a second with panels of a width: the best of a few runs that last at least 20 microseconds.
template <typename T>
double measure_width(const Member<T>& member, const cpu::NodeKernel& kernel, unsigned lanes, T* arena) {
  using Clock = std::chrono::steady_clock;
  const std::size_t floats = std::size_t{member.planes} * lanes;
  std::fill_n(arena, 2 * floats, T{0.01f});
  const auto once = [&](unsigned runs) {
    const auto start = Clock::now();
    for (unsigned k = 0; k < runs; ++k) member.run(kernel, lanes, arena, member.update == Update::feed_forward ? arena : arena + floats);
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  once(1);
  const double first = once(1);
  const auto runs = static_cast<unsigned>(std::clamp(20e-6 / std::max(first, 1e-9), 1.0, 1000.0));
  const double seconds = std::min({once(runs), once(runs), once(runs)}) / runs;
  return static_cast<double>(member.table.edges()) * lanes / seconds;
}

/// The widest panel of which `planes` planes stay in half of L2.
template <typename T>
unsigned likely_width(std::uint32_t planes, unsigned vector_lanes) {
  const std::size_t room = std::max<std::size_t>(cpu::cpu_info().l2_bytes, 256 * 1024) / 2;
  unsigned lanes = vector_lanes;
  for (const unsigned vectors : cpu::node_panel_vectors)
    if (std::size_t{planes} * vectors * vector_lanes * sizeof(T) <= room) lanes = vectors * vector_lanes;
  return lanes;
}

/// The member that kernels are timed on; the end of the members if there are none.
template <typename T>
auto largest_of(GraphSet<T>& set) {
  return std::max_element(set.members.begin(), set.members.end(), [](const auto& a, const auto& b) { return a.table.edges() < b.table.edges(); });
}

template <typename T>
void choose_width(GraphSet<T>& set, const GraphOptions& options) {
  if (options.panel_lanes != 0) {
    bool is_known = options.panel_lanes == 1;
    for (const unsigned vectors : cpu::node_panel_vectors) is_known = is_known || options.panel_lanes == vectors * set.kernel.vector_lanes;
    if (!is_known) throw InputError(fmt::format("a panel of {} lanes; neuron graphs have 1, {}, {}, {} or {} here", options.panel_lanes, set.kernel.vector_lanes,
                                                2 * set.kernel.vector_lanes, 4 * set.kernel.vector_lanes, 8 * set.kernel.vector_lanes));
    set.lanes = options.panel_lanes;
    return;
  }
  const auto largest = largest_of(set);
  set.lanes = largest == set.members.end() ? set.kernel.vector_lanes : likely_width<T>(largest->planes, set.kernel.vector_lanes);
  if (largest == set.members.end() || !options.measure || largest->table.edges() == 0) return;
  constexpr std::size_t worth_measuring = 8 << 20;  // bytes of a panel; wider ones are slower, and slow to find that out
  const auto panel_values = [&](unsigned vectors) { return std::size_t{largest->planes} * vectors * set.kernel.vector_lanes; };
  std::vector<unsigned> candidates;
  for (const unsigned vectors : cpu::node_panel_vectors)
    if (panel_values(vectors) * sizeof(T) <= worth_measuring) candidates.push_back(vectors);
  if (candidates.size() < 2) return;
  base::AlignedFloats arena(2 * panel_values(candidates.back()) * sizeof(T) / sizeof(float));
  double best = 0;
  for (const unsigned vectors : candidates) {
    const unsigned lanes = vectors * set.kernel.vector_lanes;
    const double rate = measure_width(*largest, set.kernel, lanes, reinterpret_cast<T*>(arena.data()));
    set.widths.push_back({lanes, rate});
    if (rate > best) best = rate, set.lanes = lanes;
  }
}

const NeuronGraph& graph_of(const Network& network, std::size_t member) { return std::get<NeuronGraph>(network.operators[member].operation); }

/// Bytes of code for an edge; beyond a core's L2 the table is faster (decision 0012).
constexpr std::uint64_t edge_code_bytes = 16;

/// Those whose panels a narrow last one is halved to: no three vectors.
std::vector<plan::TileShape> shapes_for_panels(cpu::Isa isa) {
  std::vector<plan::TileShape> shapes;
  for (const plan::TileShape shape : plan::tile_shapes(isa))
    if (std::find(std::begin(cpu::node_panel_vectors), std::end(cpu::node_panel_vectors), shape.vectors) != std::end(cpu::node_panel_vectors)) shapes.push_back(shape);
  return shapes;
}

void bake_members(GraphSet<float>& set, const Network& network, cpu::Isa isa, plan::TileShape shape) {
  set.lanes = shape.vectors * set.kernel.vector_lanes;
  base::parallel_for(set.threads, set.members.size(), [&](std::size_t k, unsigned) {
    Member<float>& member = set.members[k];
    if (plan::can_be_baked(graph_of(network, k), member.table)) member.code = std::make_shared<const plan::BakedGraph>(graph_of(network, k), member.table, isa, shape);
  });
}

/// Code of each shape against the table on the widths that were timed, on the largest graph.
void choose_code(GraphSet<float>& set, const Network& network, const GraphOptions& options) {
  const auto largest = largest_of(set);
  if (largest == set.members.end() || largest->table.edges() == 0 || largest->table.edges() * edge_code_bytes > cpu::cpu_info().l2_bytes) return;
  const std::size_t member = static_cast<std::size_t>(largest - set.members.begin());
  if (!plan::can_be_baked(graph_of(network, member), largest->table)) return;
  double best = 0;
  for (const Width& width : set.widths) best = std::max(best, width.edges_per_s);
  plan::TileShape chosen;
  for (const plan::TileShape shape : shapes_for_panels(options.isa)) {
    Member<float> baked = *largest;
    const unsigned lanes = shape.vectors * set.kernel.vector_lanes;
    baked.code = std::make_shared<const plan::BakedGraph>(graph_of(network, member), baked.table, options.isa, shape);
    base::AlignedFloats arena(2 * std::size_t{baked.planes} * lanes);
    const double rate = measure_width(baked, set.kernel, lanes, arena.data());
    set.widths.push_back({lanes, rate, shape});
    if (rate > best) best = rate, chosen = shape;
  }
  if (chosen.vectors != 0) bake_members(set, network, options.isa, chosen);
}

/// Code for every graph, as it was asked for: as wide as the panels, or the widest there is.
void force_code(GraphSet<float>& set, const Network& network, const GraphOptions& options) {
  const std::vector<plan::TileShape> shapes = shapes_for_panels(options.isa);
  if (shapes.empty()) throw Unsupported(fmt::format("kernel \"baked\": there is baked code for avx2 and avx512, not for {}; ask for auto or table", cpu::name(options.isa)));
  for (std::size_t k = 0; k < set.members.size(); ++k)
    if (!plan::can_be_baked(graph_of(network, k), set.members[k].table))
      throw Unsupported(fmt::format("{}: there is baked code for feed-forward graphs of sums that end in bounds (relu, clamped, identity); ask for auto or table",
                                    network.value(network.operators[k].output).name));
  const auto fits = std::find_if(shapes.begin(), shapes.end(), [&](plan::TileShape shape) { return shape.vectors * set.kernel.vector_lanes == set.lanes; });
  if (fits == shapes.end() && options.panel_lanes != 0) throw Unsupported(fmt::format("kernel \"baked\": there is no code for panels of {} lanes; leave the width out", options.panel_lanes));
  bake_members(set, network, options.isa, fits != shapes.end() ? *fits : shapes.front());
}

template <typename T>
GraphSet<T> make_set(const Network& network, const GraphOptions& options) {
  GraphSet<T> set{make_members<T>(network, options), cpu::node_kernel_for(options.isa), 0, options.threads, {}};
  choose_width(set, options);
  if constexpr (std::is_same_v<T, float>) {
    if (options.kernel == plan::KernelWish::baked) force_code(set, network, options);
    if (options.kernel == plan::KernelWish::automatic && options.takes_time && options.panel_lanes == 0) choose_code(set, network, options);
  }
  return set;
}

template <typename T>
GraphSet<T> set_with_weights(const GraphSet<T>& set, const Network& network) {
  GraphSet<T> changed = set;
  base::parallel_for(count_edges(network) < worth_threads ? 1 : set.threads, changed.members.size(), [&](std::size_t k, unsigned) {
    const Operator& op = network.operators[k];
    Member<T>& member = changed.members[k];
    member.table = plan::GraphTable<T>(std::get<NeuronGraph>(op.operation), network.value(op.output).name);
    if constexpr (std::is_same_v<T, float>)
      if (member.code) member.code = std::make_shared<const plan::BakedGraph>(graph_of(network, k), member.table, member.code->isa(), member.code->shape());
  });
  return changed;
}

}  // namespace

GraphProgram with_weights(const GraphProgram& program, const Network& network) {
  return std::visit([&](const auto& set) { return GraphProgram(set_with_weights(set, network)); }, program);
}

GraphProgram build_program(const Network& network, const GraphOptions& options) {
  if (options.kernel == plan::KernelWish::dense) throw Unsupported("neuron graphs have no dense kernel; ask for auto, table or baked");
  if (options.precision == Precision::f64) {
    if (options.kernel == plan::KernelWish::baked) throw Unsupported("kernel \"baked\": exact answers (f64) come from the table; ask for auto or table");
    return make_set<double>(network, options);
  }
  return make_set<float>(network, options);
}

}  // namespace lacuna::engine::graphs
