#include "reference/reference.hpp"

#include <lacuna/error.hpp>

namespace lacuna::reference {

namespace {

using Values = std::vector<std::vector<double>>;

const std::vector<double>& value_of(const Values& values, ValueId id) { return values[static_cast<std::size_t>(id)]; }

std::vector<double> compute(const Operator& op, const Linear& linear, const Values& values) {
  const SparseMatrix& weights = linear.weights;
  const std::vector<double>& input = value_of(values, op.inputs[0]);
  std::vector<double> output(weights.rows);
  for (std::size_t row = 0; row < weights.rows; ++row) {
    double sum = linear.bias.empty() ? 0.0 : linear.bias[linear.bias.size() == 1 ? 0 : row];
    for (std::size_t e = weights.row_begin[row]; e < weights.row_begin[row + 1]; ++e)
      sum += double{weights.value(e)} * input[weights.column(e)];
    for (std::size_t k = 1; k < op.inputs.size(); ++k) sum += value_of(values, op.inputs[k])[row];
    output[row] = apply(linear.activation, sum);
  }
  return output;
}

std::vector<double> compute(const Operator& op, const Add& add, const Values& values) {
  std::vector<double> output(value_of(values, op.inputs[0]).size(), 0.0);
  for (std::size_t row = 0; row < output.size(); ++row) {
    for (ValueId id : op.inputs) output[row] += value_of(values, id)[row];
    output[row] = apply(add.activation, output[row]);
  }
  return output;
}

std::vector<double> compute(const Operator& op, const NeuronGraph& graph, const Values& values) { return evaluate(graph, {value_of(values, op.inputs[0])}).front(); }

template <typename Operation>
std::vector<double> compute(const Operator&, const Operation&, const Values&) {
  throw InternalError("a network of tensors is evaluated by another function");
}

}  // namespace

std::vector<double> evaluate(const Network& network, const std::vector<double>& input) {
  Values values(network.values.size());
  std::vector<std::size_t> reads_left(network.values.size(), 0);  // 1,920 layers of 65,536 neurons are a gigabyte: values go with their last reader
  for (const Operator& op : network.operators)
    for (ValueId id : op.inputs) ++reads_left[static_cast<std::size_t>(id)];
  values[static_cast<std::size_t>(network.input)] = input;
  for (const Operator& op : network.operators) {
    values[static_cast<std::size_t>(op.output)] =
        std::visit([&](const auto& operation) { return compute(op, operation, values); }, op.operation);
    for (ValueId id : op.inputs)
      if (--reads_left[static_cast<std::size_t>(id)] == 0 && id != network.output) values[static_cast<std::size_t>(id)] = std::vector<double>();  // = {} would keep its memory
  }
  return value_of(values, network.output);
}

std::vector<double> input_row(const SparseMatrix& inputs, std::size_t row) {
  std::vector<double> values(inputs.columns, 0.0);
  for (std::size_t e = inputs.row_begin[row]; e < inputs.row_begin[row + 1]; ++e) values[inputs.column(e)] = inputs.value(e);
  return values;
}

std::vector<double> input_row(const Tensor& inputs, std::size_t row) {
  const auto first = inputs.values.begin() + static_cast<std::ptrdiff_t>(row * inputs.row_size());
  return {first, first + static_cast<std::ptrdiff_t>(inputs.row_size())};
}

}  // namespace lacuna::reference
