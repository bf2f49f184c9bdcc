// The rules every Network obeys; checked after reading and after each pass.
#include <fmt/format.h>

#include <cmath>
#include <set>

#include <lacuna/error.hpp>
#include <lacuna/network.hpp>

namespace lacuna {
namespace {

[[noreturn]] void fail(const Network& network, const Operator& op, const std::string& sentence) {
  throw InputError(fmt::format("{}: {}", network.value(op.output).name, sentence));
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

  for (std::size_t row = 0; row < matrix.rows; ++row) {
    std::int64_t previous = -1;
    for (std::size_t e = begin[row]; e < begin[row + 1]; ++e) {
      const std::int64_t column = matrix.column(e);
      if (column >= matrix.columns)
        fail(network, op, fmt::format("row {} reads neuron {}, but its input has {}", row, column, matrix.columns));
      if (column <= previous) fail(network, op, fmt::format("row {} lists source {} after {}; sources must ascend", row, column, previous));
      previous = column;
    }
  }
  for (std::size_t e = 0; e < matrix.values.size(); ++e)
    if (!std::isfinite(matrix.values[e])) fail(network, op, fmt::format("weight {} is {}; weights must be finite", e, matrix.values[e]));
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
  for (std::size_t k = 0; k < linear.bias.size(); ++k)
    if (!std::isfinite(linear.bias[k])) fail(network, op, fmt::format("bias {} is {}; biases must be finite", k, linear.bias[k]));
  verify_matrix(network, op, linear.weights);
  verify_same_width(network, op, 1);
  verify_activation(network, op, linear.activation);
}

void verify_operation(const Network& network, const Operator& op, const Add& add) {
  if (op.inputs.size() < 2) fail(network, op, fmt::format("add needs at least two inputs; it has {}", op.inputs.size()));
  verify_same_width(network, op, 0);
  verify_activation(network, op, add.activation);
}

void verify_values(const Network& network) {
  std::set<std::string_view> names;
  for (const Value& value : network.values) {
    if (value.name.empty()) throw InputError("a value has no name");
    if (!names.insert(value.name).second) throw InputError(fmt::format("two values are called {}", value.name));
    if (value.shape.size() == 0 || value.shape.size() > max_neurons)
      throw InputError(fmt::format("{} has {} neurons; a value has 1 to {}", value.name, value.shape.size(), max_neurons));
  }
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
  known[index(network.input)] = true;
  for (const Operator& op : network.operators) {
    for (ValueId id : op.inputs)
      if (!known[index(id)])
        fail(network, op, fmt::format("reads {} before it is computed", network.value(id).name));
    if (known[index(op.output)]) fail(network, op, "is computed twice");
    std::visit([&](const auto& operation) { verify_operation(network, op, operation); }, op.operation);
    known[index(op.output)] = true;
  }
  if (!known[index(network.output)]) throw InputError(fmt::format("the output {} is never computed", network.value(network.output).name));
}

}  // namespace lacuna
