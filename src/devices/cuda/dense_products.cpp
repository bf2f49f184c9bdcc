#include "devices/cuda/dense_products.hpp"

#include <limits>

#include "devices/cuda/cublas_api.hpp"

namespace lacuna::cuda {
namespace {

using BlasLibrary = OpenedLibrary<BlasApi>;

class Product final : public gpu::DenseWork {
 public:
  Product(std::shared_ptr<BlasLibrary> library, const gpu::DenseProduct& product) : library_(std::move(library)), product_(product) {
    for (std::size_t number : {std::size_t{product.images}, std::size_t{product.inputs}, std::size_t{product.outputs}, product.source.stride, product.output.stride})
      if (number > std::numeric_limits<int>::max()) throw Unsupported("cuBLAS counts in 31 bits: use a smaller batch");
  }

  void run(const gpu::BufferPointer& source, const gpu::BufferPointer& weights, const gpu::BufferPointer& output) override {
    const auto& [images, inputs, outputs, from, to] = product_;
    const Context::Turn turn(*library_->context);
    const auto bytes_of = [&](const gpu::DenseProduct::Rows& rows, std::uint32_t width) { return (rows.origin + (images - std::size_t{1}) * rows.stride + width) * sizeof(float); };
    const std::array buffers{library_->own(source, bytes_of(from, inputs)), library_->own(weights, std::size_t{outputs} * inputs * sizeof(float)), library_->own(output, bytes_of(to, outputs))};
    const auto number = [](std::size_t of) { return static_cast<int>(of); };
    const float one = 1, zero = 0;
    for (const auto& buffer : buffers) buffer->begin_use();
    // Seen column by column all three are transposed: output^T = weights * source^T.
    library_->call(library_->api.multiply, library_->handle, BlasOperation::transposed, BlasOperation::as_it_is, number(outputs), number(images), number(inputs), &one,
                   buffers[1]->address(), number(inputs), buffers[0]->address() + from.origin * sizeof(float), number(from.stride), &zero, buffers[2]->address() + to.origin * sizeof(float),
                   number(to.stride));
    for (const auto& buffer : buffers) buffer->end_use();
  }

 private:
  std::shared_ptr<BlasLibrary> library_;
  gpu::DenseProduct product_;
};

class BlasProducts final : public gpu::DenseProducts {
 public:
  explicit BlasProducts(const gpu::DevicePointer& device) : library_(std::make_shared<BlasLibrary>(cublas, device)) {
    const Context::Turn turn(*library_->context);
    int version = 0;
    library_->call(library_->api.version, library_->handle, &version);
    library_->call(library_->api.set_math, library_->handle, BlasMath::pedantic);
    name_ = fmt::format("cuBLAS {}.{}.{}", version / 10000, version / 100 % 100, version % 100);
  }

  const std::string& name() const override { return name_; }
  std::unique_ptr<gpu::DenseWork> prepare(const gpu::DenseProduct& product) override { return std::make_unique<Product>(library_, product); }

 private:
  std::shared_ptr<BlasLibrary> library_;
  std::string name_;
};

}  // namespace

std::shared_ptr<gpu::DenseProducts> open_dense_products(const gpu::DevicePointer& device) { return std::make_shared<BlasProducts>(device); }

}  // namespace lacuna::cuda
