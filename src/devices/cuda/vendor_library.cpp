#include "devices/cuda/vendor_library.hpp"

#include <cstdlib>

#include "devices/cuda/cublas_api.hpp"
#include "devices/cuda/cudnn_api.hpp"
#include "devices/cuda/sparse_api.hpp"

namespace lacuna::cuda {
namespace {

std::string file_wished(const VendorLibrary& which) {
  const char* const wish = std::getenv(which.variable);
  return wish == nullptr ? "" : wish;
}

std::string is_simulated(const VendorLibrary& which, const Device& device) {
  return fmt::format("{}: {} is simulated, and NVIDIA's library computes on real GPUs only: take --device cuda", which.name, device.context().label());
}

}  // namespace

base::DynamicLibrary VendorLibrary::open() const {
  const std::string wish = file_wished(*this);
  if (!wish.empty()) return base::DynamicLibrary(std::vector<std::string>{wish});
  return base::DynamicLibrary(std::vector<std::string>(files.begin(), files.end()));
}

std::string VendorLibrary::what_is_missing(const base::DynamicLibrary& library) const {
  return fmt::format("{}: not here ({}): {}; {}, or name the file with {}", name, library.why_not(), who_needs_it, how_to_get, variable);
}

FoundLibrary find(const VendorLibrary& which) {
  const base::DynamicLibrary library = which.open();
  return {which.name, library.file(), library.is_open() ? "" : which.what_is_missing(library)};
}

std::vector<FoundLibrary> find_vendor_libraries() { return {find(cusparse), find(cublas), find(cudnn)}; }

std::shared_ptr<Device> cuda_device(const VendorLibrary& which, const gpu::DevicePointer& device) {
  auto own = std::dynamic_pointer_cast<Device>(device);
  if (own == nullptr) throw Unsupported(fmt::format("{}: {} is not a device of CUDA: take --device cuda", which.name, device->limits().name));
  return own;
}

void refuse_unnamed_on_simulated(const VendorLibrary& which, const Device& device) {
  if (device.limits().is_simulated && file_wished(which).empty()) throw Unsupported(is_simulated(which, device));
}

void refuse_on_simulated(const VendorLibrary& which, const base::DynamicLibrary& library, const Device& device) {
  if (!device.limits().is_simulated) return;
  int (*mark)() = nullptr;
  library.find("lacuna_computes_on_simulated_memory", mark);  // what stands in for it in the tests has this
  if (mark == nullptr) throw Unsupported(is_simulated(which, device));
}

std::shared_ptr<Buffer> own_buffer(const Context& context, const gpu::BufferPointer& buffer, std::size_t least_bytes) {
  auto own = std::dynamic_pointer_cast<Buffer>(buffer);
  if (own == nullptr || &own->context() != &context) throw InternalError(context.label() + ": a product with a buffer that is not of this device");
  if (own->bytes() < least_bytes) throw InternalError(context.label() + ": a product with a buffer that is too small");
  return own;
}

}  // namespace lacuna::cuda
