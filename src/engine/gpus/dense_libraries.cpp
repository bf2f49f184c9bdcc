#include "engine/gpus/dense_libraries.hpp"

#include <algorithm>

#include <lacuna/error.hpp>

namespace lacuna::engine::gpus {
namespace {

bool has_layers(const Network& network, bool with_window) {
  return std::any_of(network.operators.begin(), network.operators.end(), [&](const Operator& op) {
    const auto* conv = std::get_if<Conv>(&op.operation);
    return conv != nullptr && conv->kernel.empty() != with_window;
  });
}

template <typename Open>
auto open_or_tell(Open open, const gpu::DevicePointer& device, bool is_wanted, TensorTarget::Library& told) -> decltype(open(device)) {
  try {
    auto library = open(device);
    told.name = library->name();
    return library;
  } catch (const Error& error) {
    if (is_wanted) throw;
    told.missing = error.what();
    return nullptr;
  }
}

}  // namespace

std::unique_ptr<gpu::DenseWork> DenseLibraries::prepare(const gpu::DenseLayer& layer) const {
  if (const auto* conv = std::get_if<gpu::DenseConv>(&layer)) return convs->prepare(*conv);
  return products->prepare(std::get<gpu::DenseProduct>(layer));
}

DenseLibraries open_dense_libraries(const Network& network, const gpu::DevicePointer& device, plan::KernelWish kernel, TensorTarget& target) {
  DenseLibraries libraries;
  if (kernel == plan::KernelWish::table || kernel == plan::KernelWish::baked) return libraries;
  const bool is_wanted = kernel == plan::KernelWish::dense;
  if (has_layers(network, true)) libraries.convs = open_or_tell(gpu::open_dense_convs, device, is_wanted, target.convs);
  if (has_layers(network, false)) libraries.products = open_or_tell(gpu::open_dense_products, device, is_wanted, target.products);
  return libraries;
}

}  // namespace lacuna::engine::gpus
