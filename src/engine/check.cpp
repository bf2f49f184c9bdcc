// Outputs against the reference on a sample of inputs; survivors against the truth.
#include <lacuna/check.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <mutex>
#include <set>

#include "base/parallel.hpp"
#include "reference/reference.hpp"

namespace lacuna {
namespace {

/// Half of the sample evenly spread over the survivors, the rest over all inputs.
std::vector<std::size_t> choose_sample(const Outputs& outputs, std::size_t sample) {
  std::set<std::size_t> chosen;
  const std::size_t survivors = outputs.survivors.size();
  const std::size_t of_survivors = std::min(survivors, (sample + 1) / 2);
  for (std::size_t k = 0; k < of_survivors; ++k) chosen.insert(outputs.survivors[k * survivors / of_survivors]);
  const std::size_t wanted = std::min(sample, outputs.inputs);
  const std::size_t step = std::max<std::size_t>(1, outputs.inputs / std::max<std::size_t>(1, wanted));
  for (std::size_t start = 0; start < step; ++start)
    for (std::size_t input = start; input < outputs.inputs && chosen.size() < wanted; input += step) chosen.insert(input);
  return {chosen.begin(), chosen.end()};
}

}  // namespace

Verdict check_outputs(const Network& network, const SparseMatrix& inputs, const Outputs& outputs, std::size_t sample, double tolerance,
                      unsigned threads) {
  const std::vector<std::size_t> chosen = choose_sample(outputs, sample);
  Verdict verdict{true, chosen.size(), 0, tolerance, {}};
  std::mutex mutex;
  base::parallel_for(base::thread_count(threads), chosen.size(), [&](std::size_t k, unsigned) {
    const std::size_t input = chosen[k];
    const std::vector<double> expected = reference::evaluate(network, reference::input_row(inputs, input));
    const auto place = std::lower_bound(outputs.survivors.begin(), outputs.survivors.end(), input);
    const bool survives = place != outputs.survivors.end() && *place == input;
    const float* const row = survives ? outputs.of(static_cast<std::size_t>(place - outputs.survivors.begin())).data() : nullptr;
    double worst = 0;
    for (std::size_t j = 0; j < outputs.width; ++j) {
      const double got = survives ? row[j] : 0.0;
      const double error = std::abs(got - expected[j]) / std::max(1.0, std::abs(expected[j]));
      worst = std::isnan(error) ? INFINITY : std::max(worst, error);
    }
    const std::lock_guard lock(mutex);
    verdict.largest_error = std::max(verdict.largest_error, worst);
    if (worst > tolerance && verdict.right) {
      verdict.right = false;
      verdict.sentence = fmt::format("input {} differs from the reference by {:.3g}; {:.3g} is allowed", input + 1, worst, tolerance);
    }
  });
  if (verdict.right)
    verdict.sentence = fmt::format("{} inputs agree with the reference within {:.2g} (allowed {:.2g})", verdict.checked, verdict.largest_error, tolerance);
  return verdict;
}

Verdict check_survivors(std::span<const std::uint32_t> survivors, std::span<const std::uint32_t> truth) {
  Verdict verdict{true, truth.size(), 0, 0, {}};
  std::vector<std::uint32_t> missing;
  std::vector<std::uint32_t> extra;
  std::set_difference(truth.begin(), truth.end(), survivors.begin(), survivors.end(), std::back_inserter(missing));
  std::set_difference(survivors.begin(), survivors.end(), truth.begin(), truth.end(), std::back_inserter(extra));
  verdict.right = missing.empty() && extra.empty();
  if (verdict.right) {
    verdict.sentence = fmt::format("all {} survivors are those of the truth file", truth.size());
    return verdict;
  }
  verdict.sentence = fmt::format("{} survivors, but the truth file has {}", survivors.size(), truth.size());
  if (!missing.empty()) verdict.sentence += fmt::format("; input {} is missing ({} in all)", missing[0] + 1, missing.size());
  if (!extra.empty()) verdict.sentence += fmt::format("; input {} should not survive ({} in all)", extra[0] + 1, extra.size());
  return verdict;
}

}  // namespace lacuna
