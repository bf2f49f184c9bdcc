#include "layer_peers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "devices/cuda/sparse_products.hpp"
#include "devices/gpu/dense.hpp"
#include "kernel/templates/layer_ending.hpp"
#include "plan/gpus/kernel_text.hpp"

namespace peers {

using namespace lacuna;

namespace {

template <typename T>
gpu::BufferPointer upload(gpu::Device& device, const std::vector<T>& values) {
  gpu::BufferPointer buffer = device.allocate(values.size() * sizeof(T));
  device.write(buffer, 0, std::as_bytes(std::span(values)));
  return buffer;
}

}  // namespace

Library open_cusparse(const gpu::DevicePointer& device, std::uint32_t inputs) {
  auto products = std::make_shared<cuda::SparseProducts>(device);
  const int version = products->version();
  const auto prepare = [products, inputs](const SparseMatrix& weights) -> Library::Product {
    std::vector<std::uint32_t> columns(weights.nnz());
    std::vector<float> values(weights.nnz());
    for (std::size_t e = 0; e < columns.size(); ++e) columns[e] = weights.column(e), values[e] = weights.value(e);
    const std::vector<std::uint32_t> row_begin(weights.row_begin.begin(), weights.row_begin.end());
    const cuda::SparseOnDevice matrix = products->upload(weights.columns, row_begin, columns, values);
    return [products, matrix, inputs](const gpu::BufferPointer& x, const gpu::BufferPointer& y) { products->multiply(matrix, x, y, inputs); };
  };
  return {fmt::format("cuSPARSE {}.{}.{}", version / 1000, version % 1000 / 100, version % 100), true, prepare};
}

Library open_cublas(const gpu::DevicePointer& device, std::uint32_t inputs) {
  const auto products = gpu::open_dense_products(device);
  const auto prepare = [products, device, inputs](const SparseMatrix& weights) -> Library::Product {
    std::vector<float> all(std::size_t{weights.rows} * weights.columns);
    for (std::uint32_t row = 0; row < weights.rows; ++row)
      for (std::size_t e = weights.row_begin[row]; e < weights.row_begin[row + std::size_t{1}]; ++e) all[std::size_t{row} * weights.columns + weights.column(e)] = weights.value(e);
    const std::shared_ptr<gpu::DenseWork> work = products->prepare({inputs, weights.columns, weights.rows, {0, weights.columns}, {0, weights.rows}});
    const gpu::BufferPointer on_device = upload(*device, all);
    return [work, on_device](const gpu::BufferPointer& x, const gpu::BufferPointer& y) { work->run(x, on_device, y); };
  };
  return {products->name(), false, prepare};
}

LayerPeer::LayerPeer(const Network& network, gpu::DevicePointer device, Library library, std::uint32_t inputs) : device_(std::move(device)), library_(std::move(library)), inputs_(inputs) {
  std::uint32_t widest = network.width(network.input);
  for (const Operator& op : network.operators) {
    add_layer(std::get<Linear>(op.operation));
    widest = std::max(widest, layers_.back().rows);
  }
  for (gpu::BufferPointer& half : halves_) half = device_->allocate(std::size_t{widest} * inputs * sizeof(float));
}

void LayerPeer::add_layer(const Linear& linear) {
  const std::uint32_t rows = linear.weights.rows;
  std::vector<float> bias(rows);
  for (std::uint32_t row = 0; row < rows; ++row) bias[row] = linear.bias.empty() ? 0 : linear.bias[linear.bias.size() == 1 ? 0 : row];
  const bool by_neuron = library_.is_neuron_by_neuron;
  const std::array<std::uint32_t, 4> extents{1, 1, by_neuron ? rows : inputs_, by_neuron ? inputs_ : rows};
  const kernel::LayerEnding ending{.name = "ending",
                                   .output = {extents, {0, 0, extents[3], 1}, 0},
                                   .bias = kernel::StridedOperand{extents, {0, 0, by_neuron ? 1u : 0u, by_neuron ? 0u : 1u}, 0},
                                   .activation = linear.activation,
                                   .elements = rows * inputs_};
  const std::array programs{kernel::build(ending)};
  layers_.push_back({library_.prepare(linear.weights), rows, upload(*device_, bias), plan::gpus::load_kernels(programs, *device_).at(0), ending.blocks()});
}

std::vector<float> LayerPeer::turned(const std::vector<float>& values, std::size_t rows) const {
  if (!library_.is_neuron_by_neuron) return values;
  const std::size_t columns = values.size() / rows;
  std::vector<float> columns_first(values.size());
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < columns; ++column) columns_first[column * rows + row] = values[row * columns + column];
  return columns_first;
}

std::pair<std::vector<float>, double> LayerPeer::run(const std::vector<float>& rows) {
  const std::vector<float> arranged = turned(rows, inputs_);
  device_->write(halves_[0], 0, std::as_bytes(std::span(arranged)));
  device_->start_clock();
  for (std::size_t k = 0; k < layers_.size(); ++k) {
    const Layer& layer = layers_[k];
    const gpu::BufferPointer& y = halves_[(k + 1) % 2];
    layer.multiply(halves_[k % 2], y);
    device_->launch({layer.ending, layer.blocks, 1, {y, layer.bias}});
  }
  const double seconds = device_->stop_clock();
  std::vector<float> outputs(std::size_t{layers_.back().rows} * inputs_);
  device_->read(halves_[layers_.size() % 2], 0, std::as_writable_bytes(std::span(outputs)));
  return {turned(outputs, layers_.back().rows), seconds};
}

}  // namespace peers
