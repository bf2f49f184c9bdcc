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

bool is_same(const Operator& a, const Operator& b) {
  if (a.inputs != b.inputs || a.output != b.output || a.operation.index() != b.operation.index()) return false;
  return std::visit([&](const auto& operation) { return is_same(operation, std::get<std::remove_cvref_t<decltype(operation)>>(b.operation)); }, a.operation);
}

bool is_same(const Value& a, const Value& b) { return a.name == b.name && a.shape == b.shape; }

}  // namespace

bool is_same(const Network& a, const Network& b) {
  const auto same = [](const auto& x, const auto& y) { return is_same(x, y); };
  return a.input == b.input && a.output == b.output && std::equal(a.values.begin(), a.values.end(), b.values.begin(), b.values.end(), same) &&
         std::equal(a.operators.begin(), a.operators.end(), b.operators.begin(), b.operators.end(), same);
}

}  // namespace lacuna::network
