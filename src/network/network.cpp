// The small functions of Network: adding values, counting, hashing, activations.
#include <lacuna/network.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <type_traits>

#include "base/parallel.hpp"
#include "network/activation_names.hpp"

namespace lacuna {

ValueId Network::add_value(std::string name, Shape shape) {
  values.push_back({.name = std::move(name), .shape = std::move(shape)});
  return static_cast<ValueId>(values.size() - 1);
}

namespace {

std::vector<ValueId> with_first(ValueId first, const std::vector<ValueId>& others) {
  std::vector<ValueId> all{first};
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

}  // namespace

std::vector<ValueId> Network::all_inputs() const { return with_first(input, other_inputs); }
std::vector<ValueId> Network::all_outputs() const { return with_first(output, other_outputs); }

namespace {

std::uint64_t edges_of(const Network&, const Operator&, const Linear& linear) { return linear.weights.nnz(); }

/// Each nonzero weight meets every output position of its channel; borders that read padding count too.
std::uint64_t edges_of(const Network& network, const Operator& op, const Conv& conv) {
  const auto nonzeros = static_cast<std::uint64_t>(conv.weights.size() - static_cast<std::size_t>(std::count(conv.weights.begin(), conv.weights.end(), 0.0f)));
  const std::uint64_t outputs = network.value(op.output).shape.size();
  return conv.output_channels == 0 ? 0 : nonzeros * (outputs / conv.output_channels);
}

std::uint64_t edges_of(const Network&, const Operator&, const Add&) { return 0; }

/// A convolution of bytes multiplies; other calls are not counted.
std::uint64_t edges_of(const Network& network, const Operator& op, const Call& call) {
  if (call.name != "QLinearConv" || !network.value(op.inputs[3]).is_constant) return 0;
  const Value& weights = network.value(op.inputs[3]);
  const auto zeros = static_cast<std::uint64_t>(std::count(weights.constant.begin(), weights.constant.end(), std::byte{0}));
  return (weights.shape.size() - zeros) * (network.value(op.output).shape.size() / std::max(weights.shape.extents[0], 1u));
}

std::uint64_t edges_of(const Network&, const Operator&, const NeuronGraph& graph) { return graph.weights.size(); }

}  // namespace

std::uint64_t count_edges(const Network& network) {
  std::uint64_t edges = 0;
  for (const Operator& op : network.operators)
    std::visit([&](const auto& operation) { edges += edges_of(network, op, operation); }, op.operation);
  return edges;
}

namespace {

/// Feeds values to one running hash.
class Hasher {
 public:
  Hasher() : state_(XXH3_createState(), XXH3_freeState) { XXH3_64bits_reset(state_.get()); }

  template <typename T>
  void add(const T& value) {
    XXH3_64bits_update(state_.get(), &value, sizeof(value));
  }
  template <typename T>
  void add(std::span<const T> values) {
    add(values.size());
    XXH3_64bits_update(state_.get(), values.data(), values.size_bytes());
  }
  void add(const Activation& activation) {
    add(activation.kind);
    add(activation.first);
    add(activation.second);
  }
  /// By content: narrow and wide columns, one value or many, hash alike.
  void add(const SparseMatrix& matrix) {
    add(matrix.rows);
    add(matrix.columns);
    add(matrix.row_begin.span());
    std::vector<std::uint32_t> columns;
    std::vector<float> values;
    constexpr std::size_t chunk = 1 << 16;
    for (std::size_t start = 0; start < matrix.nnz(); start += chunk) {
      const std::size_t end = std::min(matrix.nnz(), start + chunk);
      columns.clear();
      values.clear();
      for (std::size_t e = start; e < end; ++e) {
        columns.push_back(matrix.column(e));
        values.push_back(matrix.value(e));
      }
      add(std::span<const std::uint32_t>(columns));
      add(std::span<const float>(values));
    }
  }
  std::uint64_t digest() const { return XXH3_64bits_digest(state_.get()); }

 private:
  std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state_;
};

void hash_operation(Hasher& hasher, const Linear& linear) {
  hasher.add(linear.weights);
  hasher.add(linear.bias.span());
  hasher.add(linear.activation);
}

void hash_operation(Hasher& hasher, const Add& add) { hasher.add(add.activation); }

void hash_operation(Hasher& hasher, const Conv& conv) {
  hasher.add(conv.weights.span());
  hasher.add(conv.output_channels);
  hasher.add(conv.group_channels);
  hasher.add(conv.groups);
  for (const auto* axes : {&conv.kernel, &conv.strides, &conv.dilations, &conv.pads_begin, &conv.pads_end})
    hasher.add(std::span<const std::uint32_t>(*axes));
  hasher.add(conv.bias.span());
  hasher.add(conv.activation);
}

void hash_operation(Hasher& hasher, const Call& call) {
  hasher.add(std::span<const char>(call.name));
  hasher.add(call.which_output);
  for (const auto& [name, attribute] : call.attributes) {
    hasher.add(std::span<const char>(name));
    hasher.add(attribute.index());
    std::visit(
        [&](const auto& value) {
          if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(value)>>)
            hasher.add(value);
          else
            hasher.add(std::span<const typename std::remove_cvref_t<decltype(value)>::value_type>(value));
        },
        attribute);
  }
}

void hash_operation(Hasher& hasher, const NeuronGraph& graph) {
  hasher.add(graph.update);
  hasher.add(graph.inputs);
  for (const NeuronFunction& function : graph.functions) {  // by member: there is padding between them
    hasher.add(function.curve);
    for (const double parameter : {function.slope, function.shift, function.limit, function.bend, function.gain, function.offset}) hasher.add(parameter);
  }
  for (const Neuron& neuron : graph.neurons) {
    hasher.add(neuron.function);
    hasher.add(neuron.aggregation);
    for (const double parameter : {neuron.bias, neuron.response, neuron.time_constant}) hasher.add(parameter);
  }
  for (const auto* indices : {&graph.edge_begin, &graph.sources, &graph.outputs, &graph.levels}) hasher.add(indices->span());
  hasher.add(graph.weights.span());
  for (std::uint32_t node = 0; node < graph.nodes() && !graph.names.empty(); ++node) hasher.add(std::span<const char>(graph.name(node)));
  hasher.add(graph.steps);
  hasher.add(graph.time_step);
}

std::uint64_t hash_operator(const Operator& op) {
  Hasher hasher;
  hasher.add(op.operation.index());
  hasher.add(std::span<const ValueId>(op.inputs));
  hasher.add(op.output);
  std::visit([&](const auto& operation) { hash_operation(hasher, operation); }, op.operation);
  return hasher.digest();
}

}  // namespace

std::uint64_t hash(const Network& network) {
  constexpr std::uint64_t worth_threads = 1 << 20;
  const unsigned threads = count_edges(network) < worth_threads ? 1 : base::thread_count(0);
  std::vector<std::uint64_t> operators(network.operators.size());
  base::parallel_for(threads, operators.size(), [&](std::size_t k, unsigned) { operators[k] = hash_operator(network.operators[k]); });

  Hasher hasher;
  for (const Value& value : network.values) {
    hasher.add(std::span<const char>(value.name));
    hasher.add(std::span<const std::uint32_t>(value.shape.extents));
    if (value.is_constant) hasher.add(value.constant.span());
    if (value.type != ElementType::f32) hasher.add(value.type);
  }
  for (ValueId id : network.all_inputs()) hasher.add(id);
  for (ValueId id : network.all_outputs()) hasher.add(id);
  hasher.add(std::span<const std::uint64_t>(operators));
  return hasher.digest();
}

double apply(const Activation& activation, double sum) {
  switch (activation.kind) {
    case ActivationKind::identity: return sum;
    case ActivationKind::relu: return std::max(0.0, sum);
    case ActivationKind::clip: return std::min<double>(activation.second, std::max<double>(activation.first, sum));
    case ActivationKind::leaky_relu: return sum < 0 ? activation.first * sum : sum;
    case ActivationKind::sigmoid: return 1 / (1 + std::exp(-sum));
    case ActivationKind::tanh: return std::tanh(sum);
    case ActivationKind::hard_sigmoid: return std::clamp(activation.first * sum + activation.second, 0.0, 1.0);
    case ActivationKind::hard_swish: return sum * std::clamp(sum / 6 + 0.5, 0.0, 1.0);
    case ActivationKind::swish: return sum / (1 + std::exp(-sum));
  }
  return sum;
}

std::string to_string(const Activation& activation) {
  const ActivationName& entry = name_of(activation.kind);
  switch (entry.parameters) {
    case 0: return std::string(entry.name);
    case 1: return fmt::format("{}({})", entry.name, activation.first);
    default: return fmt::format("{}({},{})", entry.name, activation.first, activation.second);
  }
}

std::string to_string(const Shape& shape) { return fmt::format("{}", fmt::join(shape.extents, "x")); }

}  // namespace lacuna
