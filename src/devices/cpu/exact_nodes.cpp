// Neurons in double, bit for bit as a plain loop over one input computes them: lanes are independent, so the compiler may take several at a time,
// but no product is fused with a sum, and functions are those of the C library.
#include <algorithm>
#include <cmath>
#include <vector>

#include "devices/cpu/node_table.hpp"

namespace lacuna::cpu {
namespace {

struct Row {
  const NodeEdge<double>* edges;
  std::uint32_t length;
};

/// Visits each edge with its plane.
template <typename Visit>
void for_each_edge(const Row& row, const double* before, unsigned lanes, const Visit& visit) {
  for (std::uint32_t e = 0; e < row.length; ++e) visit(row.edges[e].weight, before + std::size_t{row.edges[e].plane} * lanes, e == 0);
}

double middle_of(std::vector<double>& terms) {
  if (terms.size() <= 2) {
    double sum = 0;
    for (const double term : terms) sum += term;
    return sum / static_cast<double>(terms.size());
  }
  std::sort(terms.begin(), terms.end());
  const std::size_t middle = terms.size() / 2;
  return terms.size() % 2 == 1 ? terms[middle] : (terms[middle - 1] + terms[middle]) / 2;
}

void median(const Row& row, const double* before, unsigned lanes, double* result) {
  std::vector<double> terms(row.length);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    for (std::uint32_t e = 0; e < row.length; ++e) terms[e] = before[std::size_t{row.edges[e].plane} * lanes + lane] * row.edges[e].weight;
    result[lane] = middle_of(terms);
  }
}

void aggregate(Aggregation aggregation, const Row& row, const double* before, unsigned lanes, double* result) {
  const bool is_product = aggregation == Aggregation::product;
  std::fill_n(result, lanes, is_product ? 1.0 : 0.0);
  if (row.length == 0) return;
  const auto fold = [&](const auto& step) {
    for_each_edge(row, before, lanes, [&](double weight, const double* plane, bool is_first) {
      for (unsigned lane = 0; lane < lanes; ++lane) result[lane] = step(result[lane], plane[lane] * weight, is_first);
    });
  };
  switch (aggregation) {
    case Aggregation::sum: return fold([](double sum, double term, bool) { return sum + term; });
    case Aggregation::product: return fold([](double product, double term, bool) { return product * term; });
    case Aggregation::max: return fold([](double most, double term, bool is_first) { return is_first || term > most ? term : most; });
    case Aggregation::min: return fold([](double least, double term, bool is_first) { return is_first || term < least ? term : least; });
    case Aggregation::maxabs: return fold([](double most, double term, bool is_first) { return is_first || std::abs(term) > std::abs(most) ? term : most; });
    case Aggregation::mean:
      fold([](double sum, double term, bool) { return sum + term; });
      for (unsigned lane = 0; lane < lanes; ++lane) result[lane] /= static_cast<double>(row.length);
      return;
    case Aggregation::median: return median(row, before, lanes, result);
  }
}

}  // namespace

void run_exact_nodes(const ExactNodes& nodes, unsigned lanes, const double* before, double* after) {
  const NodeEdge<double>* edges = nodes.edges;
  std::size_t row = 0;
  for (const NodeRun& run : nodes.runs) {
    const NeuronFunction& function = nodes.functions[run.function];
    for (std::uint32_t k = 0; k < run.rows; ++k, ++row, edges += run.length) {
      const std::size_t plane = (nodes.plane + row) * lanes;
      double* const result = after + plane;
      aggregate(run.aggregation, {edges, run.length}, before, lanes, result);
      for (unsigned lane = 0; lane < lanes; ++lane) result[lane] = apply(function, nodes.bias[row] + nodes.response[row] * result[lane]);
      if (nodes.decay == nullptr) continue;
      const double decay = nodes.decay[row];
      for (unsigned lane = 0; lane < lanes; ++lane) result[lane] = decay * before[plane + lane] + (1.0 - decay) * result[lane];
    }
  }
}

}  // namespace lacuna::cpu
