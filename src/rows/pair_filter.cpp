#include "rows/pair_filter.hpp"

namespace lacuna::rows {
namespace {

constexpr double finite_points[most_pair_taps] = {0, 1, -1, 2};

/// The coefficients, lowest power first, of the product of (x - point) over the first `count` points but `left_out`.
std::vector<double> product(std::size_t count, std::size_t left_out) {
  std::vector<double> coefficients{1};
  for (std::size_t k = 0; k < count; ++k) {
    if (k == left_out) continue;
    coefficients.push_back(0);
    for (std::size_t power = coefficients.size(); power-- > 0;) coefficients[power] = (power > 0 ? coefficients[power - 1] : 0) - finite_points[k] * coefficients[power];
  }
  return coefficients;
}

double value_at(const std::vector<double>& coefficients, double x) {
  double value = 0;
  for (std::size_t power = coefficients.size(); power-- > 0;) value = value * x + coefficients[power];
  return value;
}

}  // namespace

PairFilter pair_filter(std::size_t taps) {
  PairFilter filter;
  for (std::size_t point = 0; point < taps; ++point) {
    std::vector<double> others = product(taps, point);
    const double at_point = value_at(others, finite_points[point]);
    std::vector<double>& weights = filter.weights.emplace_back();
    for (double power = 1; weights.size() < taps; power *= finite_points[point]) weights.push_back(power / at_point);
    others.resize(taps + 1, 0.0);
    filter.inputs.push_back(std::move(others));
  }
  filter.weights.emplace_back(taps, 0.0).back() = 1;
  filter.inputs.push_back(product(taps, taps));
  return filter;
}

double second_ending(std::size_t point, std::size_t points) { return point + 1 == points ? 1 : finite_points[point]; }

}  // namespace lacuna::rows
