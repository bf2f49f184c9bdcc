// The bound every device must keep: a running error analysis beside the reference. With u = 2^-24, a row of n products, a bias and r
// residuals has a rounding error of at most (n + r + 3) u times the sum of the magnitudes, plus what its sources' errors carry over
// (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1). All activations have slopes of at most 1.5 (hard_swish; most 1); the
// ones computed by approximation add 8 units in the last place of 1. Values that are kept in 16 bits between layers, the inputs too, are rounded once more.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <lacuna/network.hpp>

namespace lacuna::tests {

struct Bounded {
  std::vector<double> value;
  std::vector<double> error;
};

/// What a value loses when it is kept: a part of itself, and below the normal numbers a part of the smallest one.
struct Storage {
  double part = 0;
  double step = 0;
};
inline constexpr Storage kept_in_f16{1.0 / (1 << 11), 1.0 / (1 << 25)}, kept_in_bf16{1.0 / (1 << 8), 0};

inline Bounded evaluate_with_bound(const Network& network, const std::vector<double>& input, const Storage& storage = {}) {
  constexpr double u = 1.0 / (1 << 24);
  const auto keep = [&](Bounded& bounded) {
    for (std::size_t k = 0; k < bounded.value.size(); ++k) bounded.error[k] += storage.part * (std::abs(bounded.value[k]) + bounded.error[k]) + storage.step;
  };
  std::vector<Bounded> values(network.values.size());
  values[static_cast<std::size_t>(network.input)] = {input, std::vector<double>(input.size(), 0.0)};
  keep(values[static_cast<std::size_t>(network.input)]);
  for (const Operator& op : network.operators) {
    const auto* linear = std::get_if<Linear>(&op.operation);
    const Activation activation = linear != nullptr ? linear->activation : std::get<Add>(op.operation).activation;
    const bool approximated = activation.kind == ActivationKind::sigmoid || activation.kind == ActivationKind::tanh || activation.kind >= ActivationKind::hard_sigmoid;
    const double slope = activation.kind == ActivationKind::hard_swish || activation.kind == ActivationKind::swish ? 1.5 : 1;
    Bounded result;
    for (std::uint32_t row = 0; row < network.width(op.output); ++row) {
      double sum = 0, magnitude = 0, carried = 0, terms = 3;
      const auto add = [&](double weight, const Bounded& source, std::size_t place) {
        sum += weight * source.value[place];
        magnitude += std::abs(weight) * (std::abs(source.value[place]) + source.error[place]);
        carried += std::abs(weight) * source.error[place];
        ++terms;
      };
      if (linear != nullptr) {
        const double bias = linear->bias.empty() ? 0.0 : linear->bias[linear->bias.size() == 1 ? 0 : row];
        sum += bias;
        magnitude += std::abs(bias);
        const SparseMatrix& weights = linear->weights;
        for (std::size_t e = weights.row_begin[row]; e < weights.row_begin[row + std::size_t{1}]; ++e)
          add(weights.value(e), values[static_cast<std::size_t>(op.inputs[0])], weights.column(e));
      }
      for (std::size_t k = linear != nullptr ? 1 : 0; k < op.inputs.size(); ++k) add(1, values[static_cast<std::size_t>(op.inputs[k])], row);
      result.value.push_back(apply(activation, sum));
      result.error.push_back(slope * (carried + terms * u * magnitude) + (approximated ? 8 * u * std::max(1.0, std::abs(sum)) : 0));
    }
    keep(result);
    values[static_cast<std::size_t>(op.output)] = std::move(result);
  }
  return values[static_cast<std::size_t>(network.output)];
}

}  // namespace lacuna::tests
