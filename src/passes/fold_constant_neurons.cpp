// fold_constant_neurons: a neuron without sources is activation(bias) whatever the input; its readers add weight * value to their bias instead of
// reading it. A row whose sources are all constant becomes constant itself, so one sweep in order finds all of them.
#include <cmath>

#include "passes/pass_list.hpp"

namespace lacuna::passes {
namespace {

/// The constant neurons of a value.
struct Constants {
  std::vector<bool> is_constant;  ///< of each neuron; empty: none is
  std::vector<float> value;       ///< zero for those that are not
};

float bias_of(const Linear& linear, std::size_t row) { return linear.bias.empty() ? 0.0f : linear.bias[linear.bias.size() == 1 ? 0 : row]; }

/// Neurons that have no sources and are not added to.
Constants find_constants(const Linear& linear) {
  const SparseMatrix& weights = linear.weights;
  Constants constants;
  for (std::size_t row = 0; row < weights.rows; ++row) {
    if (weights.row_begin[row] != weights.row_begin[row + 1]) continue;
    const auto value = static_cast<float>(apply(linear.activation, bias_of(linear, row)));
    if (!std::isfinite(value)) continue;
    constants.is_constant.resize(weights.rows, false);
    constants.value.resize(weights.rows, 0.0f);
    constants.is_constant[row] = true;
    constants.value[row] = value;
  }
  return constants;
}

/// The layer without its constant sources.
class FoldedLayer {
 public:
  FoldedLayer(const Linear& linear, const Constants& sources) : linear_(linear), sources_(sources) {
    for (std::size_t row = 0; row < linear.weights.rows; ++row) add_row(row);
  }

  void replace(Linear& linear) && {
    if (columns_.size() == linear.weights.nnz()) return;  // nobody reads the constants
    linear.weights = make_sparse_matrix(linear.weights.rows, linear.weights.columns, std::move(row_begin_), std::move(columns_), std::move(values_));
    if (bias_changed_) linear.bias = std::move(bias_);
  }

 private:
  void add_row(std::size_t row) {
    const SparseMatrix& weights = linear_.weights;
    const float bias = bias_of(linear_, row);
    double constant = 0;  // others have the value zero
    for (std::size_t e = weights.row_begin[row]; e < weights.row_begin[row + 1]; ++e)
      constant += double{weights.value(e)} * sources_.value[weights.column(e)];
    const auto folded = static_cast<float>(double{bias} + constant);
    const bool folds = std::isfinite(folded);  // else the row stays as it is
    for (std::size_t e = weights.row_begin[row]; e < weights.row_begin[row + 1]; ++e) {
      if (folds && sources_.is_constant[weights.column(e)]) continue;
      columns_.push_back(weights.column(e));
      values_.push_back(weights.value(e));
    }
    row_begin_.push_back(static_cast<std::uint32_t>(columns_.size()));
    bias_.push_back(folds && constant != 0 ? folded : bias);
    bias_changed_ = bias_changed_ || (folds && constant != 0);
  }

  const Linear& linear_;
  const Constants& sources_;
  std::vector<std::uint32_t> row_begin_{0};
  std::vector<std::uint32_t> columns_;
  std::vector<float> values_;
  std::vector<float> bias_;
  bool bias_changed_ = false;
};

}  // namespace

Network fold_constant_neurons(Network network, const PassSettings&) {
  std::vector<Constants> constants(network.values.size());
  for (Operator& op : network.operators) {
    auto* linear = std::get_if<Linear>(&op.operation);
    if (linear == nullptr) continue;
    const Constants& sources = constants[static_cast<std::size_t>(op.inputs[0])];
    if (!sources.is_constant.empty()) FoldedLayer(*linear, sources).replace(*linear);
    if (op.inputs.size() == 1) constants[static_cast<std::size_t>(op.output)] = find_constants(*linear);
  }
  return network;
}

}  // namespace lacuna::passes
