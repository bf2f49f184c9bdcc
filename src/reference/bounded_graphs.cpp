// Neuron graphs in plain loops, each value with a bound of how far a computation in another precision may be from it: the errors of sources through
// weights, a rounding for every term, and what the function makes of an argument that is off by as much.
#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/reference.hpp"

namespace lacuna::reference {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Roundings of a function's own value, in units of its scale: measured on all functions, see the tests of the kernels.
constexpr double function_units = 16;

class BoundedGraph {
 public:
  BoundedGraph(const NeuronGraph& graph, double unit) : graph_(graph), unit_(unit), before_(graph.nodes()) {}

  std::vector<Bounded> step(const std::vector<double>& inputs) {
    for (std::size_t k = 0; k < inputs.size(); ++k) before_[k] = {inputs[k], unit_ * std::abs(inputs[k])};
    if (graph_.update == Update::feed_forward) {
      // In order of levels: the caller's graph is sorted.
      for (std::size_t k = 0; k < graph_.neurons.size(); ++k) before_[graph_.inputs + k] = neuron(k, before_);
    } else {
      for (std::uint32_t s = 0; s < graph_.steps; ++s) update_all();
    }
    std::vector<Bounded> outputs;
    for (const std::uint32_t node : graph_.outputs) outputs.push_back(before_[node]);
    return outputs;
  }

 private:
  void update_all() {
    std::vector<Bounded> after = before_;
    for (std::size_t k = 0; k < graph_.neurons.size(); ++k) {
      Bounded value = neuron(k, before_);
      if (graph_.update == Update::continuous) {
        const double decay = std::exp(-graph_.time_step / graph_.neurons[k].time_constant);
        const Bounded& old = before_[graph_.inputs + k];
        value = {decay * old.value + (1 - decay) * value.value,
                 decay * old.error + (1 - decay) * value.error + 4 * unit_ * (std::abs(old.value) + std::abs(value.value))};
      }
      after[graph_.inputs + k] = value;
    }
    before_ = std::move(after);
  }

  Bounded neuron(std::size_t k, const std::vector<Bounded>& values) const {
    std::vector<Bounded> terms;
    for (std::size_t e = graph_.edge_begin[k]; e < graph_.edge_begin[k + 1]; ++e) {
      const Bounded& source = values[graph_.sources[e]];
      const double weight = graph_.weights[e];
      terms.push_back({source.value * weight, std::abs(weight) * source.error + 2 * unit_ * std::abs(source.value * weight)});
    }
    const Neuron& neuron = graph_.neurons[k];
    const Bounded total = aggregate(neuron.aggregation, terms);
    const double z = neuron.bias + neuron.response * total.value;
    const double error = std::abs(neuron.response) * total.error + 4 * unit_ * (std::abs(neuron.bias) + std::abs(neuron.response * total.value));
    return through(graph_.functions[neuron.function], z, error);
  }

  Bounded aggregate(Aggregation aggregation, const std::vector<Bounded>& terms) const {
    std::vector<double> values;
    double errors = 0, largest_error = 0, sizes = 0, sizes_with_errors = 1, product_of_sizes = 1;
    for (const Bounded& term : terms) {
      values.push_back(term.value);
      errors += term.error;
      sizes += std::abs(term.value);
      largest_error = std::max(largest_error, term.error);
      product_of_sizes *= std::abs(term.value);
      sizes_with_errors *= std::abs(term.value) + term.error;
    }
    const double value = aggregate_values(aggregation, values);
    const auto count = static_cast<double>(terms.size());
    switch (aggregation) {
      case Aggregation::sum: return {value, errors + count * unit_ * sizes};
      case Aggregation::mean: return {value, terms.empty() ? 0 : (errors + (count + 2) * unit_ * sizes) / count};
      case Aggregation::product: return {value, sizes_with_errors - product_of_sizes + 2 * count * unit_ * sizes_with_errors};
      case Aggregation::maxabs: {
        bool may_flip = false;  // another term of the other sign that is nearly as large
        for (const Bounded& term : terms)
          may_flip = may_flip || (term.value * value < 0 && std::abs(term.value) + term.error >= std::abs(value) - largest_error);
        return {value, may_flip ? 2 * std::abs(value) + largest_error : largest_error};
      }
      default: return {value, largest_error + 2 * unit_ * std::abs(value)};
    }
  }

  Bounded through(const NeuronFunction& function, double z, double error) const {
    const double value = apply(function, z);
    if (!std::isfinite(error) || !std::isfinite(value)) return {value, infinity};
    const double argument = function.slope * z + function.shift;
    const double wide = error + unit_ * (std::abs(z) + std::abs(function.slope == 0 ? 0 : function.shift / function.slope));
    if (function.curve == Curve::inverse && std::abs(argument) <= 2 * std::abs(function.slope) * wide && argument != 0) return {value, infinity};
    double moved = 0;
    for (const double place : {z - wide, z - wide / 2, z + wide / 2, z + wide}) moved = std::max(moved, std::abs(apply(function, place) - value));
    return {value, 2 * moved + function_units * unit_ * (std::abs(value) + std::abs(function.gain) + std::abs(function.offset))};
  }

  const NeuronGraph& graph_;
  const double unit_;
  std::vector<Bounded> before_;
};

}  // namespace

std::vector<std::vector<Bounded>> evaluate_bounded(const NeuronGraph& graph, const std::vector<std::vector<double>>& sequence, double unit) {
  BoundedGraph bounded(graph, unit);
  std::vector<std::vector<Bounded>> outputs;
  for (const auto& inputs : sequence) outputs.push_back(bounded.step(inputs));
  return outputs;
}

}  // namespace lacuna::reference
