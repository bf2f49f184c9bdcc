// Lacuna beside NVIDIA's cuSPARSE on the same GPU, network and inputs. The peer multiplies layer by layer (compressed rows times dense rows, f32), and a small kernel of ours adds the bias
// and applies the activation. Every input is alive, so nothing is left out on either side. Answers are compared with the reference and with each other before a figure is
// printed. One JSON object a line. Usage:
//   gpu_peers DEVICE general|radix NEURONS LAYERS INPUTS        DEVICE: cuda, or a simulated one, on which a library cannot be timed
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <numeric>
#include <string>

#include <lacuna/lacuna.hpp>

#include "devices/cuda/sparse_products.hpp"
#include "kernel/templates/activation.hpp"
#include "plan/gpus/kernel_text.hpp"

namespace {

using namespace lacuna;

constexpr std::uint32_t threads = 256;
constexpr int repeats = 5;

/// values[row, :] = activation(values[row, :] + bias[row]). Blocks: x over rows, y over inputs.
kernel::ThreadProgram build_ending(const Activation& activation) {
  kernel::ThreadBuilder b("ending", "bias and activation");
  const kernel::Register values = b.address_parameter("values"), bias = b.address_parameter("bias", true, false), width = b.u32_parameter("width");
  const kernel::Register row = b.special(kernel::Special::block_x);
  const kernel::Register column = b.multiply_add(b.special(kernel::Special::block_y), threads, b.special(kernel::Special::thread));
  b.return_if(b.compare(kernel::Comparison::greater_equal, column, width));
  const kernel::Register at = b.advance(b.advance(values, b.multiply(row, width), 4), column, 4);
  const kernel::Register sum = b.add(b.load_f32(at), b.load_f32(b.advance(bias, row, 4)));
  kernel::apply_activation(b, activation, sum);
  b.store_f32(at, 0, sum);
  return b.finish(threads);
}

class Peer {
 public:
  Peer(const Network& network, const std::string& device_name, std::uint32_t inputs) : device_(gpu::open_devices(device_name).at(0)), products_(device_), width_(inputs) {
    std::uint32_t widest = network.width(network.input);
    for (const Operator& op : network.operators) {
      const auto& linear = std::get<Linear>(op.operation);
      const SparseMatrix& weights = linear.weights;
      std::vector<std::uint32_t> columns(weights.nnz());
      std::vector<float> values(weights.nnz()), bias(weights.rows);
      for (std::size_t e = 0; e < columns.size(); ++e) columns[e] = weights.column(e), values[e] = weights.value(e);
      for (std::uint32_t row = 0; row < weights.rows; ++row) bias[row] = linear.bias.empty() ? 0 : linear.bias[linear.bias.size() == 1 ? 0 : row];
      const std::vector<std::uint32_t> row_begin(weights.row_begin.begin(), weights.row_begin.end());
      layers_.push_back({products_.upload(weights.columns, row_begin, columns, values), device_->allocate(bias.size() * 4), {}});
      device_->write(layers_.back().bias, 0, std::as_bytes(std::span(bias)));
      const std::array programs{build_ending(linear.activation)};
      layers_.back().ending = plan::gpus::load_kernels(programs, *device_).at(0);
      widest = std::max(widest, weights.rows);
    }
    for (gpu::BufferPointer& half : halves_) half = device_->allocate(std::size_t{widest} * inputs * 4);
  }

  /// `planes`: neuron by neuron. Gives the outputs the same way, and the device's seconds.
  std::pair<std::vector<float>, double> run(std::span<const float> planes) {
    device_->write(halves_[0], 0, std::as_bytes(planes));
    device_->start_clock();
    for (std::size_t k = 0; k < layers_.size(); ++k) {
      const Layer& layer = layers_[k];
      const gpu::BufferPointer& y = halves_[(k + 1) % 2];
      products_.multiply(layer.weights, halves_[k % 2], y, width_);
      device_->launch({layer.ending, layer.weights.rows, (width_ + threads - 1) / threads, {y, layer.bias, width_}});
    }
    const double seconds = device_->stop_clock();
    std::vector<float> outputs(std::size_t{layers_.back().weights.rows} * width_);
    device_->read(halves_[layers_.size() % 2], 0, std::as_writable_bytes(std::span(outputs)));
    return {std::move(outputs), seconds};
  }

  bool is_simulated() const { return device_->limits().is_simulated; }
  std::string device_name() const { return device_->limits().name; }
  int version() const { return products_.version(); }

 private:
  struct Layer {
    cuda::SparseOnDevice weights;
    gpu::BufferPointer bias;
    gpu::KernelPointer ending;
  };
  gpu::DevicePointer device_;
  cuda::SparseProducts products_;
  std::uint32_t width_;
  std::vector<Layer> layers_;
  std::array<gpu::BufferPointer, 2> halves_;
};

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

/// The largest difference, of the larger of 1 and the magnitude.
double difference(const Tensor& outputs, const std::vector<float>& planes, std::size_t inputs) {
  double worst = 0;
  for (std::size_t row = 0; row < inputs; ++row)
    for (std::size_t k = 0; k < outputs.row_size(); ++k) {
      const double ours = outputs.values[row * outputs.row_size() + k], theirs = planes[k * inputs + row];
      const double error = std::abs(ours - theirs) / std::max(1.0, std::abs(ours));
      worst = std::isnan(error) ? INFINITY : std::max(worst, error);
    }
  return worst;
}

int compare(const std::string& device, const std::string& kind, std::uint32_t neurons, std::uint32_t layers, std::uint32_t count) {
  const Network network = kind == "general" ? generate_general({neurons, layers, 16, 48, 1}) : generate_radix({neurons, layers, 1, {}});
  const SparseMatrix inputs = some_inputs(count, neurons);
  CompileOptions options;
  options.device = device;
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

  Peer peer(network, device, count);
  std::vector<float> planes(std::size_t{neurons} * count);
  for (std::uint32_t row = 0; row < count; ++row)
    for (std::size_t e = inputs.row_begin[row]; e < inputs.row_begin[row + std::size_t{1}]; ++e) planes[std::size_t{inputs.column(e)} * count + row] = inputs.value(e);
  auto [answer, theirs] = peer.run(planes);
  for (int round = 0; round < repeats; ++round) theirs = std::min(theirs, peer.run(planes).second);
  const double worst = difference(outputs.to_tensor(), answer, count);
  if (worst > 1e-3) return fmt::print(stderr, "WRONG: cuSPARSE and Lacuna differ by {:.3g}\n", worst), 1;

  const std::string of_both = fmt::format("\"device\": \"{}\", \"network\": \"{} {} x {}\", \"inputs\": {}, \"verified\": true", peer.device_name(), kind, neurons, layers, count);
  fmt::print("{{\"program\": \"lacuna\", {}, \"seconds\": {:.6g}, \"predicted\": {}}}\n", of_both, ours, peer.is_simulated());
  const std::string version = fmt::format("{}.{}.{}", peer.version() / 1000, peer.version() % 1000 / 100, peer.version() % 100);
  if (peer.is_simulated())
    fmt::print("{{\"program\": \"cusparse {}\", {}, \"seconds\": null, \"why\": \"the simulator predicts kernels that it executes, and not libraries\"}}\n", version, of_both);
  else
    fmt::print("{{\"program\": \"cusparse {}\", {}, \"seconds\": {:.6g}, \"lacuna_times_faster\": {:.3g}}}\n", version, of_both, theirs, theirs / ours);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count != 6 || (std::string(words[2]) != "general" && std::string(words[2]) != "radix")) {
    fmt::print(stderr, "usage: gpu_peers DEVICE general|radix NEURONS LAYERS INPUTS\n");
    return 2;
  }
  try {
    const auto number = [&](int k) { return static_cast<std::uint32_t>(std::strtoul(words[k], nullptr, 10)); };
    return compare(words[1], words[2], number(3), number(4), number(5));
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 4;
  }
}
