#include "network/same_network.hpp"

#include <algorithm>
#include <cstring>

namespace lacuna::network {
namespace {

template <typename T>
bool is_same(const Array<T>& a, const Array<T>& b) {
  return a.size() == b.size() && (a.empty() || a.data() == b.data() || std::memcmp(a.data(), b.data(), a.bytes()) == 0);
}

bool is_same(const SparseMatrix& a, const SparseMatrix& b) {
  return a.rows == b.rows && a.columns == b.columns && is_same(a.row_begin, b.row_begin) && is_same(a.narrow_columns, b.narrow_columns) &&
         is_same(a.wide_columns, b.wide_columns) && is_same(a.values, b.values);
}

bool is_same(const Linear& a, const Linear& b) { return a.activation == b.activation && is_same(a.weights, b.weights) && is_same(a.bias, b.bias); }
bool is_same(const Add& a, const Add& b) { return a.activation == b.activation; }

bool is_same(const Conv& a, const Conv& b) {
  return a.output_channels == b.output_channels && a.group_channels == b.group_channels && a.groups == b.groups && a.kernel == b.kernel &&
         a.strides == b.strides && a.dilations == b.dilations && a.pads_begin == b.pads_begin && a.pads_end == b.pads_end &&
         a.activation == b.activation && is_same(a.weights, b.weights) && is_same(a.bias, b.bias);
}

bool is_same(const Call& a, const Call& b) { return a.name == b.name && a.which_output == b.which_output && a.attributes == b.attributes; }

bool has_same_names(const NeuronGraph& a, const NeuronGraph& b) {
  if (a.names.empty() != b.names.empty() || a.nodes() != b.nodes()) return false;
  for (std::uint32_t node = 0; node < a.nodes() && !a.names.empty(); ++node)
    if (a.name(node) != b.name(node)) return false;
  return true;
}

bool is_same(const NeuronGraph& a, const NeuronGraph& b) {
  const auto equal = [](const auto& x, const auto& y) { return std::equal(x.begin(), x.end(), y.begin(), y.end()); };
  return a.update == b.update && a.inputs == b.inputs && a.steps == b.steps && a.time_step == b.time_step && equal(a.functions, b.functions) &&
         equal(a.neurons, b.neurons) && is_same(a.edge_begin, b.edge_begin) && is_same(a.sources, b.sources) && is_same(a.weights, b.weights) &&
         is_same(a.outputs, b.outputs) && has_same_names(a, b) && is_same(a.levels, b.levels);
}

bool is_same(const Operator& a, const Operator& b) {
  if (a.inputs != b.inputs || a.output != b.output || a.operation.index() != b.operation.index()) return false;
  return std::visit([&](const auto& operation) { return is_same(operation, std::get<std::remove_cvref_t<decltype(operation)>>(b.operation)); }, a.operation);
}

bool is_same(const Value& a, const Value& b) { 
  return a.name == b.name && a.shape == b.shape && a.type == b.type && a.is_constant == b.is_constant && is_same(a.constant, b.constant);
}

}  // namespace

bool is_same(const Network& a, const Network& b) {
  const auto same = [](const auto& x, const auto& y) { return is_same(x, y); };
  return a.all_inputs() == b.all_inputs() && a.all_outputs() == b.all_outputs() && a.has_batch_in_shapes == b.has_batch_in_shapes &&
         std::equal(a.values.begin(), a.values.end(), b.values.begin(), b.values.end(), same) &&
         std::equal(a.operators.begin(), a.operators.end(), b.operators.begin(), b.operators.end(), same);
}

}  // namespace lacuna::network
