// Layered networks by NVIDIA's libraries: products layer by layer, and a kernel of ours for bias and activation.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <lacuna/network.hpp>

#include "devices/gpu/open.hpp"

namespace peers {

/// How a library multiplies: y = weights * x, on values that stand neuron by neuron or input by input.
struct Library {
  using Product = std::function<void(const lacuna::gpu::BufferPointer& x, const lacuna::gpu::BufferPointer& y)>;

  std::string name;
  bool is_neuron_by_neuron = false;
  std::function<Product(const lacuna::SparseMatrix& weights)> prepare;
};

/// Compressed rows times dense rows. Throw where the library or the device is not there.
Library open_cusparse(const lacuna::gpu::DevicePointer& device, std::uint32_t inputs);
/// All weights, zeros too.
Library open_cublas(const lacuna::gpu::DevicePointer& device, std::uint32_t inputs);

class LayerPeer {
 public:
  LayerPeer(const lacuna::Network& network, lacuna::gpu::DevicePointer device, Library library, std::uint32_t inputs);

  /// Inputs and outputs row by row. Gives the outputs, and the device's seconds.
  std::pair<std::vector<float>, double> run(const std::vector<float>& rows);

 private:
  struct Layer {
    Library::Product multiply;
    std::uint32_t rows;
    lacuna::gpu::BufferPointer bias;
    lacuna::gpu::KernelPointer ending;
    std::uint32_t blocks;
  };
  void add_layer(const lacuna::Linear& linear);
  std::vector<float> turned(const std::vector<float>& values, std::size_t rows) const;  ///< from rows to columns; nothing to do input by input

  lacuna::gpu::DevicePointer device_;
  Library library_;
  std::uint32_t inputs_;
  std::vector<Layer> layers_;
  std::array<lacuna::gpu::BufferPointer, 2> halves_;
};

}  // namespace peers
