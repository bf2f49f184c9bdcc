// Outputs of a network of tensors against the reference.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <lacuna/check.hpp>

#include "engine/check_graphs.hpp"
#include "reference/reference.hpp"

namespace lacuna {
namespace {

/// Largest difference as a share of the largest magnitude; infinite where one has NaN or an infinity that the other lacks.
double float_error(std::span<const float> computed, std::span<const float> expected) {
  double scale = 0;
  double error = 0;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    if (std::isfinite(expected[k])) scale = std::max(scale, std::abs(double{expected[k]}));
    const bool same = computed[k] == expected[k] || (std::isnan(computed[k]) && std::isnan(expected[k]));
    if (same) continue;
    const double difference = std::abs(double{computed[k]} - double{expected[k]});
    error = std::max(error, std::isfinite(difference) ? difference : HUGE_VAL);
  }
  return error == 0 ? 0 : error / std::max(scale, 1e-30);
}

/// Largest difference as a share of all that bytes can differ.
template <typename T>
double byte_error(std::span<const T> computed, std::span<const T> expected) {
  int error = 0;
  for (std::size_t k = 0; k < expected.size(); ++k) error = std::max(error, std::abs(int{computed[k]} - int{expected[k]}));
  return error / 255.0;
}

double error_of(const TypedTensor& computed, const TypedTensor& expected) {
  if (computed.type != expected.type || computed.shape != expected.shape) return HUGE_VAL;
  if (computed.type == ElementType::u8) return byte_error(computed.as<std::uint8_t>(), expected.as<std::uint8_t>());
  if (computed.type == ElementType::i8) return byte_error(computed.as<std::int8_t>(), expected.as<std::int8_t>());
  if (computed.type == ElementType::f32) return float_error(computed.as<float>(), expected.as<float>());
  return std::equal(computed.bytes.begin(), computed.bytes.end(), expected.bytes.begin(), expected.bytes.end()) ? 0 : HUGE_VAL;
}

}  // namespace

Verdict check_outputs(const Network& network, std::span<const TypedTensor> inputs, std::span<const TypedTensor> outputs, double tolerance) {
  if (network.has_neuron_graphs()) return engine::check_graphs(network, inputs, outputs);
  Verdict verdict;
  verdict.tolerance = tolerance;
  const std::vector<TypedTensor> expected = reference::evaluate(network, inputs);
  for (std::size_t k = 0; k < expected.size() && k < outputs.size(); ++k) {
    const double error = error_of(outputs[k], expected[k]);
    verdict.largest_error = std::max(verdict.largest_error, error);
    verdict.checked += expected[k].size();
  }
  verdict.right = outputs.size() == expected.size() && verdict.largest_error <= tolerance;
  verdict.sentence = verdict.right ? fmt::format("{} output values against the reference, largest error {:.1e} of the largest value", verdict.checked, verdict.largest_error)
                                   : fmt::format("{} of {} outputs given; largest error {:.1e} of the largest value, allowed {:.0e}", outputs.size(), expected.size(),
                                                 verdict.largest_error, tolerance);
  return verdict;
}

}  // namespace lacuna
