// The rules every Network obeys; checked after reading and after each pass.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <set>

#include <lacuna/error.hpp>
#include <lacuna/network.hpp>

#include "base/parallel.hpp"

namespace lacuna {
namespace {

[[noreturn]] void fail(const Network& network, const Operator& op, const std::string& sentence) {
  throw InputError(fmt::format("{}: {}", network.value(op.output).name, sentence));
}

/// Without branches inside a row, so that the compiler takes many columns at a time: a network of billions of edges is verified again and again.
template <typename Column>
bool columns_ascend(const SparseMatrix& matrix, const Column* columns) {
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    const std::size_t begin = matrix.row_begin[row];
    const std::size_t end = matrix.row_begin[row + 1];
    if (begin == end) continue;
    unsigned descends = 0;
    for (std::size_t e = begin + 1; e < end; ++e) descends |= static_cast<unsigned>(columns[e] <= columns[e - 1]);
    if (descends != 0 || columns[end - 1] >= matrix.columns) return false;  // the last is the largest
  }
  return true;
}

bool columns_ascend(const SparseMatrix& matrix) {
  if (matrix.wide_columns.empty()) return columns_ascend(matrix, matrix.narrow_columns.data());
  return columns_ascend(matrix, matrix.wide_columns.data());
}

void verify_matrix(const Network& network, const Operator& op, const SparseMatrix& matrix) {
  const auto& begin = matrix.row_begin;
  if (begin.size() != matrix.rows + std::size_t{1} || begin[0] != 0)
    fail(network, op, fmt::format("{} row positions for {} rows; expected {}", begin.size(), matrix.rows, matrix.rows + std::size_t{1}));
  for (std::size_t row = 0; row < matrix.rows; ++row)
    if (begin[row] > begin[row + 1]) fail(network, op, fmt::format("row {} ends before it starts", row));

  const std::size_t nnz = matrix.nnz();
  const std::size_t stored = matrix.wide_columns.empty() ? matrix.narrow_columns.size() : matrix.wide_columns.size();
  if (stored != nnz) fail(network, op, fmt::format("{} columns for {} weights", stored, nnz));
  if (matrix.values.size() != nnz && !(matrix.values.size() == 1 && nnz > 0))
    fail(network, op, fmt::format("{} values for {} weights", matrix.values.size(), nnz));

  if (columns_ascend(matrix)) return;
  for (std::size_t row = 0; row < matrix.rows; ++row) {  // name the first that is wrong
    std::int64_t previous = -1;
    for (std::size_t e = begin[row]; e < begin[row + 1]; ++e) {
      const std::int64_t column = matrix.column(e);
      if (column >= matrix.columns)
        fail(network, op, fmt::format("row {} reads neuron {}, but its input has {}", row, column, matrix.columns));
      if (column <= previous) fail(network, op, fmt::format("row {} lists source {} after {}; sources must ascend", row, column, previous));
      previous = column;
    }
  }
}

void verify_values_finite(const Network& network, const Operator& op, const Array<float>& values, std::string_view what) {
  unsigned infinite = 0;  // no early end: many at a time
  for (const float value : values) infinite |= static_cast<unsigned>(!(std::abs(value) <= std::numeric_limits<float>::max()));
  if (infinite == 0) return;
  const auto broken = std::find_if_not(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
  fail(network, op, fmt::format("{0} {1} is {2}; {0}{3} must be finite", what, broken - values.begin(), *broken, what == "bias" ? "es" : "s"));
}

void verify_activation(const Network& network, const Operator& op, const Activation& activation) {
  if (!std::isfinite(activation.first) || !std::isfinite(activation.second))
    fail(network, op, fmt::format("activation {} has a parameter that is not finite", to_string(activation)));
  if (activation.kind == ActivationKind::clip && activation.first > activation.second)
    fail(network, op, fmt::format("activation {} has its bounds in the wrong order", to_string(activation)));
}

void verify_same_width(const Network& network, const Operator& op, std::size_t first_skip) {
  const std::uint32_t width = network.width(op.output);
  for (std::size_t k = first_skip; k < op.inputs.size(); ++k)
    if (network.width(op.inputs[k]) != width)
      fail(network, op, fmt::format("adds {} of {} neurons to a value of {}", network.value(op.inputs[k]).name,
                                    network.width(op.inputs[k]), width));
}

void verify_operation(const Network& network, const Operator& op, const Linear& linear) {
  if (op.inputs.empty()) fail(network, op, "linear needs an input");
  const std::uint32_t outputs = network.width(op.output);
  const std::uint32_t inputs = network.width(op.inputs[0]);
  if (linear.weights.rows != outputs || linear.weights.columns != inputs)
    fail(network, op, fmt::format("weights are {} x {}, but the layer maps {} neurons to {} (expected {} x {})", linear.weights.rows,
                                  linear.weights.columns, inputs, outputs, outputs, inputs));
  if (linear.bias.size() > 1 && linear.bias.size() != outputs)
    fail(network, op, fmt::format("{} biases for {} neurons; give none, one, or one for each", linear.bias.size(), outputs));
  verify_values_finite(network, op, linear.bias, "bias");
  verify_matrix(network, op, linear.weights);
  verify_values_finite(network, op, linear.weights.values, "weight");
  verify_same_width(network, op, 1);
  verify_activation(network, op, linear.activation);
}

void verify_operation(const Network& network, const Operator& op, const Add& add) {
  if (op.inputs.size() < 2) fail(network, op, fmt::format("add needs at least two inputs; it has {}", op.inputs.size()));
  verify_same_width(network, op, 0);
  verify_activation(network, op, add.activation);
}

/// Shapes of tensors are checked by src/operators, which infers them.
void verify_operation(const Network& network, const Operator& op, const Conv& conv) {
  if (op.inputs.empty() || op.inputs.size() > 2) fail(network, op, fmt::format("conv takes an input and maybe a skip connection; it has {}", op.inputs.size()));
  std::uint64_t weights = std::uint64_t{conv.output_channels} * conv.group_channels;
  for (const std::uint32_t extent : conv.kernel) weights *= extent;
  if (conv.weights.size() != weights) fail(network, op, fmt::format("{} weights; expected {}", conv.weights.size(), weights));
  if (conv.groups == 0 || conv.output_channels % conv.groups != 0)
    fail(network, op, fmt::format("{} output channels in {} groups", conv.output_channels, conv.groups));
  for (const auto* axes : {&conv.strides, &conv.dilations, &conv.pads_begin, &conv.pads_end})
    if (axes->size() != conv.kernel.size()) fail(network, op, "kernel, strides, dilations and pads have different numbers of axes");
  for (const auto* axes : {&conv.kernel, &conv.strides, &conv.dilations})
    if (std::find(axes->begin(), axes->end(), 0u) != axes->end()) fail(network, op, "a kernel, stride or dilation is 0");
  if (!conv.bias.empty() && conv.bias.size() != conv.output_channels)
    fail(network, op, fmt::format("{} biases for {} channels", conv.bias.size(), conv.output_channels));
  verify_activation(network, op, conv.activation);
}

void verify_operation(const Network& network, const Operator& op, const Call& call) {
  if (call.name.empty()) fail(network, op, "an operator has no name");
}

void verify_edges(const Network& network, const Operator& op, const NeuronGraph& graph) {
  if (graph.edge_begin.size() != graph.neurons.size() + 1 || graph.edge_begin[0] != 0 || graph.edge_begin[graph.neurons.size()] != graph.sources.size() ||
      graph.weights.size() != graph.sources.size())
    fail(network, op, fmt::format("{} sources and {} weights do not fit the edges of {} neurons", graph.sources.size(), graph.weights.size(), graph.neurons.size()));
  const std::uint32_t nodes = graph.nodes();
  for (std::size_t k = 0; k < graph.neurons.size(); ++k) {
    if (graph.edge_begin[k] > graph.edge_begin[k + 1]) fail(network, op, fmt::format("the edges of neuron {} end before they start", k));
    for (std::size_t e = graph.edge_begin[k]; e < graph.edge_begin[k + 1]; ++e) {
      const auto target = [&] { return graph.name(graph.inputs + static_cast<std::uint32_t>(k)); };
      if (graph.sources[e] >= nodes) fail(network, op, fmt::format("neuron {} reads node {}, but there are {}", target(), graph.sources[e], nodes));
      if (!std::isfinite(graph.weights[e]))
        fail(network, op, fmt::format("the weight from {} to {} is {}; weights must be finite", graph.name(graph.sources[e]), target(), graph.weights[e]));
    }
  }
}

/// Names are numbered as nodes were at first; neurons may have been sorted and dropped since.
void verify_names(const Network& network, const Operator& op, const NeuronGraph& graph) {
  if (!graph.earlier.empty() && graph.earlier.size() != graph.neurons.size())
    fail(network, op, fmt::format("{} earlier numbers for {} neurons", graph.earlier.size(), graph.neurons.size()));
  if (graph.names.empty()) return;
  if (graph.earlier.empty() && graph.names.size() != graph.nodes()) fail(network, op, fmt::format("{} names for {} nodes", graph.names.size(), graph.nodes()));
  for (const std::uint32_t neuron : graph.earlier)
    if (std::size_t{graph.inputs} + neuron >= graph.names.size()) fail(network, op, fmt::format("neuron {} was number {} of {}", neuron, graph.inputs + neuron, graph.names.size()));
}

void verify_levels(const Network& network, const Operator& op, const NeuronGraph& graph) {
  if (graph.levels.empty()) return;
  if (graph.levels[0] != 0 || graph.levels[graph.levels.size() - 1] != graph.neurons.size() || !std::is_sorted(graph.levels.begin(), graph.levels.end()))
    fail(network, op, "levels do not go from the first neuron to the last");
  if (graph.update != Update::feed_forward) return;
  for (std::size_t level = 0; level + 1 < graph.levels.size(); ++level)
    for (std::size_t e = graph.edge_begin[graph.levels[level]]; e < graph.edge_begin[graph.levels[level + 1]]; ++e)
      if (graph.sources[e] >= graph.inputs + graph.levels[level])
        fail(network, op, fmt::format("level {} reads node {}, which is not in a lower level", level, graph.name(graph.sources[e])));
}

void verify_operation(const Network& network, const Operator& op, const NeuronGraph& graph) {
  if (op.inputs.size() != 1) fail(network, op, fmt::format("a neuron graph reads one value; it has {}", op.inputs.size()));
  if (network.width(op.inputs[0]) != graph.inputs || network.width(op.output) != graph.outputs.size())
    fail(network, op, fmt::format("a neuron graph of {} inputs and {} outputs maps {} neurons to {}", graph.inputs, graph.outputs.size(),
                                  network.width(op.inputs[0]), network.width(op.output)));
  if (graph.neurons.size() > max_neurons) fail(network, op, fmt::format("{} neurons; a graph has at most {}", graph.neurons.size(), max_neurons));
  verify_names(network, op, graph);
  for (const std::uint32_t node : graph.outputs)
    if (node >= graph.nodes()) fail(network, op, fmt::format("the output node {} does not exist; there are {}", node, graph.nodes()));
  for (const NeuronFunction& function : graph.functions)
    if (!std::isfinite(function.slope + function.shift + function.bend + function.gain + function.offset) || !(function.limit > 0))
      fail(network, op, fmt::format("the function {} has a parameter out of range", to_string(function)));
  for (std::uint32_t k = 0; k < graph.neurons.size(); ++k) {
    const Neuron& neuron = graph.neurons[k];
    const auto node = [&] { return graph.name(graph.inputs + k); };
    if (neuron.function >= graph.functions.size()) fail(network, op, fmt::format("neuron {} has function {} of {}", node(), neuron.function, graph.functions.size()));
    if (!std::isfinite(neuron.bias)) fail(network, op, fmt::format("the bias of {} is {}; biases must be finite", node(), neuron.bias));
    if (!std::isfinite(neuron.response)) fail(network, op, fmt::format("the response of {} is {}; it must be finite", node(), neuron.response));
    if (graph.update == Update::continuous && !(std::isfinite(neuron.time_constant) && neuron.time_constant > 0))
      fail(network, op, fmt::format("the time constant of {} is {}; it must be above 0", node(), neuron.time_constant));
  }
  if (graph.update != Update::feed_forward && graph.steps == 0) fail(network, op, "a network of 0 steps");
  if (graph.update == Update::continuous && !(std::isfinite(graph.time_step) && graph.time_step > 0))
    fail(network, op, fmt::format("the time step is {}; it must be above 0", graph.time_step));
  verify_edges(network, op, graph);
  verify_levels(network, op, graph);
}

/// Neuron graphs keep to themselves: they map inputs of the network to its outputs.
void verify_neuron_graphs(const Network& network) {
  std::vector<bool> is_input(network.values.size(), false);
  for (const ValueId id : network.all_inputs()) is_input[static_cast<std::size_t>(id)] = true;
  for (const Operator& op : network.operators) {
    if (!std::holds_alternative<NeuronGraph>(op.operation)) fail(network, op, "stands beside neuron graphs; a network has either these or other operators");
    if (op.inputs.size() == 1 && !is_input[static_cast<std::size_t>(op.inputs[0])])
      fail(network, op, fmt::format("reads {}, which another graph computes; a neuron graph reads inputs of the network", network.value(op.inputs[0]).name));
  }
}

void verify_values(const Network& network) {
  std::set<std::string_view> names;
  for (const Value& value : network.values) {
    if (value.name.empty()) throw InputError("a value has no name");
    if (!names.insert(value.name).second) throw InputError(fmt::format("two values are called {}", value.name));
    if (value.is_constant && value.constant.size() != value.shape.size() * size_of(value.type))
      throw InputError(fmt::format("{} has {} bytes for {} elements of {}", value.name, value.constant.size(), value.shape.size(), name_of(value.type)));
    if (network.has_batch_in_shapes) continue;
    if (value.shape.size() == 0 || value.shape.size() > max_neurons)
      throw InputError(fmt::format("{} has {} neurons; a value has 1 to {}", value.name, value.shape.size(), max_neurons));
  }
}

/// Operators on all cores; of several mistakes the first is told.
void verify_operations(const Network& network) {
  constexpr std::size_t worth_threads = 1 << 20;
  std::size_t edges = 0;  // not count_edges: nothing is known to be sound yet
  for (const Operator& op : network.operators)
    if (const auto* linear = std::get_if<Linear>(&op.operation))
      edges += linear->weights.narrow_columns.size() + linear->weights.wide_columns.size();
    else if (const auto* graph = std::get_if<NeuronGraph>(&op.operation))
      edges += graph->sources.size();
  const unsigned threads = edges < worth_threads ? 1 : base::thread_count(0);
  std::vector<std::exception_ptr> mistakes(network.operators.size());
  base::parallel_for(threads, network.operators.size(), [&](std::size_t k, unsigned) {
    const Operator& op = network.operators[k];
    try {
      std::visit([&](const auto& operation) { verify_operation(network, op, operation); }, op.operation);
    } catch (const InputError&) {
      mistakes[k] = std::current_exception();
    }
  });
  for (const std::exception_ptr& mistake : mistakes)
    if (mistake) std::rethrow_exception(mistake);
}

}  // namespace

void verify(const Network& network) {
  if (network.values.empty()) throw InputError("the network has no input");
  verify_values(network);
  std::vector<bool> known(network.values.size(), false);
  const auto index = [&](ValueId id) {
    const auto k = static_cast<std::size_t>(id);
    if (k >= known.size()) throw InputError(fmt::format("value {} does not exist; the network has {}", k, known.size()));
    return k;
  };
  for (std::size_t k = 0; k < known.size(); ++k) known[k] = network.values[k].is_constant;
  for (ValueId id : network.all_inputs()) known[index(id)] = true;
  for (const Operator& op : network.operators) {
    for (ValueId id : op.inputs)
      if (id != no_value && !known[index(id)])
        fail(network, op, fmt::format("reads {} before it is computed", network.value(id).name));
    if (known[index(op.output)]) fail(network, op, "is computed twice");
    known[index(op.output)] = true;
  }
  const auto is_graph = [](const Operator& op) { return std::holds_alternative<NeuronGraph>(op.operation); };
  if (std::any_of(network.operators.begin(), network.operators.end(), is_graph)) verify_neuron_graphs(network);
  verify_operations(network);
  for (ValueId id : network.all_outputs())
    if (!known[index(id)]) throw InputError(fmt::format("the output {} is never computed", network.value(id).name));
}

}  // namespace lacuna
