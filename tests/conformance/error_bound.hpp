// The bound every device must keep: a running error analysis beside the reference. With u = 2^-24, a row of n products, a bias and r
// residuals has a rounding error of at most (n + r + 3) u times the sum of the magnitudes, plus what its sources' errors carry over
// (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1). All activations have slopes of at most 1.5 (hard_swish; most 1); the
// ones computed by approximation add 8 units in the last place of 1.
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

inline Bounded evaluate_with_bound(const Network& network, const std::vector<double>& input) {
  constexpr double u = 1.0 / (1 << 24);
  std::vector<Bounded> values(network.values.size());
  values[static_cast<std::size_t>(network.input)] = {input, std::vector<double>(input.size(), 0.0)};
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
    values[static_cast<std::size_t>(op.output)] = std::move(result);
  }
  return values[static_cast<std::size_t>(network.output)];
}

}  // namespace lacuna::tests
