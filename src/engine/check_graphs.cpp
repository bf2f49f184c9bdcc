// Neuron graphs against the reference: bit for bit in f64, within a running error bound in f32.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include <lacuna/check.hpp>
#include <lacuna/error.hpp>

#include "engine/check_graphs.hpp"
#include "passes/pass_list.hpp"
#include "reference/reference.hpp"

namespace lacuna::engine {
namespace {

double element(const TypedTensor& tensor, std::size_t k) { return tensor.type == ElementType::f64 ? tensor.as<double>()[k] : double{tensor.as<float>()[k]}; }

/// The inputs of one row of the batch, step by step.
std::vector<std::vector<double>> sequence_of(const TypedTensor& input, std::size_t row) {
  const std::size_t width = input.shape.back(), batch = input.shape[input.shape.size() - 2];
  const std::size_t steps = input.shape.size() == 3 ? input.shape[0] : 1;
  std::vector<std::vector<double>> sequence(steps, std::vector<double>(width));
  for (std::size_t step = 0; step < steps; ++step)
    for (std::size_t k = 0; k < width; ++k) sequence[step][k] = element(input, (step * batch + row) * width + k);
  return sequence;
}

bool has_same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof(a)) == 0 || (std::isnan(a) && std::isnan(b)); }

class GraphCheck {
 public:
  GraphCheck(const Network& network, std::span<const TypedTensor> inputs, std::span<const TypedTensor> outputs)
      : network_(network), inputs_(inputs), outputs_(outputs) {}

  Verdict run() {
    const auto input_ids = network_.all_inputs();
    const std::size_t batch = inputs_[0].shape[inputs_[0].shape.size() - 2];
    const std::size_t rows = std::min<std::size_t>(batch, sample(batch));
    for (std::size_t m = 0; m < network_.operators.size(); ++m) {
      const Operator& op = network_.operators[m];
      const auto at = std::find(input_ids.begin(), input_ids.end(), op.inputs[0]) - input_ids.begin();
      const auto graph = passes::levelise(std::get<NeuronGraph>(op.operation), true, network_.value(op.output).name);
      for (std::size_t k = 0; k < rows; ++k) {
        const std::size_t row = rows == 1 ? 0 : k * (batch - 1) / (rows - 1);
        check_row(graph, m, row, batch, sequence_of(inputs_[static_cast<std::size_t>(at)], row));
      }
    }
    verdict_.checked = rows;
    if (verdict_.right)
      verdict_.sentence = fmt::format("{} of {} inputs {}", rows, batch,
                                      is_exact() ? "agree with the reference bit for bit"
                                                 : fmt::format("agree with the reference within the running error bound; largest error {:.1e}", verdict_.largest_error));
    return verdict_;
  }

 private:
  bool is_exact() const { return outputs_[0].type == ElementType::f64; }

  std::size_t sample(std::size_t batch) const {
    constexpr std::uint64_t edges_in_a_second = 20'000'000;
    const std::size_t steps = batch == 0 ? 1 : inputs_[0].size() / (batch * std::max<std::size_t>(1, inputs_[0].shape.back()));
    return std::clamp<std::size_t>(edges_in_a_second / std::max<std::uint64_t>(1, count_edges(network_) * steps), 1, 64);
  }

  void check_row(const NeuronGraph& graph, std::size_t m, std::size_t row, std::size_t batch, const std::vector<std::vector<double>>& sequence) {
    constexpr double float_unit = 1.0 / (1 << 24);
    const auto exact = is_exact() ? reference::evaluate(graph, sequence) : std::vector<std::vector<double>>{};
    const auto bounded = is_exact() ? std::vector<std::vector<reference::Bounded>>{} : reference::evaluate_bounded(graph, sequence, float_unit);
    for (std::size_t step = 0; step < sequence.size(); ++step)
      for (std::size_t k = 0; k < graph.outputs.size(); ++k) {
        const double value = element(outputs_[m], (step * batch + row) * graph.outputs.size() + k);
        const double wanted = is_exact() ? exact[step][k] : bounded[step][k].value;
        const double bound = is_exact() ? 0 : bounded[step][k].error;
        const double error = std::abs(value - wanted);
        const bool right = is_exact() ? has_same_bits(value, wanted) : (error <= bound || !std::isfinite(bound) || value == wanted);
        if (std::isfinite(error)) verdict_.largest_error = std::max(verdict_.largest_error, error / std::max(1.0, std::abs(wanted)));
        if (right || !verdict_.right) continue;
        verdict_.right = false;
        verdict_.tolerance = bound;
        verdict_.sentence = fmt::format("{}, input {}, step {}, output {}: {} where the reference has {} (bound {:.2e})", network_.value(network_.operators[m].output).name,
                                        row, step, graph.name(graph.outputs[k]), value, wanted, bound);
      }
  }

  const Network& network_;
  std::span<const TypedTensor> inputs_;
  std::span<const TypedTensor> outputs_;
  Verdict verdict_;
};

}  // namespace

Verdict check_graphs(const Network& network, std::span<const TypedTensor> inputs, std::span<const TypedTensor> outputs) {
  if (outputs.size() != network.operators.size() || inputs.empty()) throw InputError(fmt::format("{} outputs of {} graphs", outputs.size(), network.operators.size()));
  return GraphCheck(network, inputs, outputs).run();
}

}  // namespace lacuna::engine
