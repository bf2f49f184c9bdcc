// Lacuna beside NVIDIA's libraries on the same GPU, weights and inputs. Layered networks: cuSPARSE (compressed rows) and cuBLAS (all weights) multiply layer by layer, and a small kernel of ours adds
// the bias and applies the activation; every input is alive, so nothing is left out on either side. A convolution: cuDNN. Answers are compared before a figure is printed. One JSON object a line.
// Usage:
//   gpu_peers DEVICE general|radix NEURONS LAYERS INPUTS                    DEVICE: cuda, or a simulated one, on which a library cannot be timed
//   gpu_peers DEVICE conv IMAGES INPUTS OUTPUTS EXTENT WINDOW SPARSITY
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include <lacuna/lacuna.hpp>

#include "conv_peer.hpp"
#include "devices/gpu/usable_memory.hpp"
#include "layer_peers.hpp"
#include "peer_report.hpp"

namespace {

using namespace lacuna;

constexpr int repeats = 5;
constexpr double tolerance = 1e-3;

SparseMatrix some_inputs(std::uint32_t count, std::uint32_t width) {
  std::vector<Entry> entries;
  std::uint32_t state = 12345;
  for (std::uint32_t row = 0; row < count; ++row)
    for (std::uint32_t column = 0; column < width; ++column) {
      state = state * 1664525 + 1013904223;
      entries.push_back({row, column, static_cast<float>(state >> 8) / (1 << 24)});
    }
  return make_sparse_matrix(count, width, entries);
}

std::vector<float> rows_of(const SparseMatrix& matrix) {
  std::vector<float> rows(std::size_t{matrix.rows} * matrix.columns);
  for (std::uint32_t row = 0; row < matrix.rows; ++row)
    for (std::size_t e = matrix.row_begin[row]; e < matrix.row_begin[row + std::size_t{1}]; ++e) rows[std::size_t{row} * matrix.columns + matrix.column(e)] = matrix.value(e);
  return rows;
}

/// The largest difference, of the larger of 1 and the magnitude.
double difference(const Tensor& outputs, const std::vector<float>& others) {
  double worst = 0;
  for (std::size_t k = 0; k < others.size(); ++k) {
    const double ours = outputs.values[k], error = std::abs(ours - others[k]) / std::max(1.0, std::abs(ours));
    worst = std::isnan(error) ? INFINITY : std::max(worst, error);
  }
  return worst;
}

std::string why_too_large(const Network& network, const gpu::Device& device) {
  double bytes = 0;
  for (const Operator& op : network.operators) bytes += 4.0 * std::get<Linear>(op.operation).weights.rows * std::get<Linear>(op.operation).weights.columns;
  const auto usable = static_cast<double>(gpu::usable_bytes(device.limits()));
  return bytes < usable ? "" : fmt::format("all weights take {:.1f} GiB, and {:.1f} GiB of memory may be used", bytes / (1 << 30), usable / (1 << 30));
}

/// Prints a line. Gives 1 where the answer is another.
int compare_with(const Network& network, const gpu::DevicePointer& device, peers::Library library, const SparseMatrix& inputs, const Tensor& answer, const peers::Report& report) {
  const std::string name = library.name;
  peers::LayerPeer peer(network, device, std::move(library), inputs.rows);
  const std::vector<float> rows = rows_of(inputs);
  auto [outputs, seconds] = peer.run(rows);
  for (int round = 0; round < repeats; ++round) seconds = std::min(seconds, peer.run(rows).second);
  const double worst = difference(answer, outputs);
  if (worst > tolerance) return fmt::print(stderr, "WRONG: {} and Lacuna differ by {:.3g}\n", name, worst), 1;
  report.print_peer(name, seconds);
  return 0;
}

int compare_layers(const std::string& device_name, const std::string& kind, std::uint32_t neurons, std::uint32_t layers, std::uint32_t count) {
  const Network network = kind == "general" ? generate_general({neurons, layers, 16, 48, 1}) : generate_radix({neurons, layers, 1, {}});
  const SparseMatrix inputs = some_inputs(count, neurons);
  CompileOptions options;
  options.device = device_name;
  options.optimise = "none";
  Session session = compile(network, options).open();
  Outputs outputs = session.run(inputs);
  double ours = INFINITY;
  for (int round = 0; round < repeats; ++round) {
    outputs = session.run(inputs);
    ours = std::min(ours, session.report().seconds);
  }
  const Verdict verdict = check_outputs(network, inputs, outputs, 16);
  if (!verdict.right) return fmt::print(stderr, "WRONG: {}\n", verdict.sentence), 1;

  const gpu::DevicePointer device = gpu::open_devices(device_name).at(0);
  const peers::Report report{fmt::format("\"device\": \"{}\", \"network\": \"{} {} x {}\", \"inputs\": {}", device->limits().name, kind, neurons, layers, count), device->limits().is_simulated, ours};
  report.print_lacuna("lacuna", ours);
  const Tensor answer = outputs.to_tensor();
  int wrong = 0;
  const auto beside = [&](const char* name, auto open, const std::string& why_not) {
    if (!why_not.empty()) return report.print_missing(name, why_not);
    try {
      wrong |= compare_with(network, device, open(device, count), inputs, answer, report);
    } catch (const Error& error) {
      report.print_missing(name, error.what());
    }
  };
  beside("cuSPARSE", peers::open_cusparse, "");
  beside("cuBLAS", peers::open_cublas, why_too_large(network, *device));
  return wrong;
}

}  // namespace

int main(int count, char** words) {
  const std::string kind = count > 2 ? words[2] : "";
  const auto number = [&](int k) { return static_cast<std::uint32_t>(std::strtoul(words[k], nullptr, 10)); };
  try {
    if (count == 6 && (kind == "general" || kind == "radix")) return compare_layers(words[1], kind, number(3), number(4), number(5));
    if (count == 9 && kind == "conv") return peers::compare_conv(words[1], {number(3), number(4), number(5), number(6), number(7), std::strtod(words[8], nullptr)});
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 4;
  }
  fmt::print(stderr, "usage: gpu_peers DEVICE general|radix NEURONS LAYERS INPUTS\n       gpu_peers DEVICE conv IMAGES INPUTS OUTPUTS EXTENT WINDOW SPARSITY\n");
  return 2;
}
