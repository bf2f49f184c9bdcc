// Two neighbouring outputs of a filter with fewer multiplications (Winograd 1980: F(2, taps) takes taps + 1 instead of 2 taps of them):
//
//   out[0] = g[0] d[0] + ... + g[t-1] d[t-1]          out[j] = sum over points p of  ending[j][p] * (weights[p] . g) * (inputs[p] . d)
//   out[1] = g[0] d[1] + ... + g[t-1] d[t]
//
// d and g are polynomials that are known by their values at as many points: 0, 1, -1, 2 and infinity, in this order, infinity last. What a point gives to the outputs does not
// depend on how many others there are, so filters of different lengths may be added up point by point.
#pragma once

#include <cstddef>
#include <vector>

namespace lacuna::rows {

/// More points would have larger factors, and so larger rounding errors.
inline constexpr std::size_t most_pair_taps = 4;

struct PairFilter {
  std::vector<std::vector<double>> weights;  ///< of each point: a factor for each tap
  std::vector<std::vector<double>> inputs;   ///< of each point: a factor for each of taps + 1 inputs

  std::size_t points() const { return weights.size(); }
};

/// Needs: 1 <= taps <= most_pair_taps.
PairFilter pair_filter(std::size_t taps);

/// Number of a filter's point among those of a longer one, with `points` points.
inline std::size_t point_among(std::size_t point, std::size_t own_points, std::size_t points) { return point + 1 == own_points ? points - 1 : point; }

/// What a point gives to the second output; to the first all but infinity give their value, infinity nothing.
double second_ending(std::size_t point, std::size_t points);

}  // namespace lacuna::rows
