#include "devices/cuda/sparse_products.hpp"

#include <array>

#include "devices/cuda/sparse_api.hpp"

namespace lacuna::cuda {

struct SparseProducts::Parts : OpenedLibrary<SparseApi> {
  using OpenedLibrary::OpenedLibrary;
};

SparseProducts::SparseProducts(const gpu::DevicePointer& device) : parts_(std::make_unique<Parts>(cusparse, device)) {
  const Context::Turn turn(*parts_->context);
  parts_->call(parts_->api.version, parts_->handle, &version_);
}

SparseProducts::~SparseProducts() = default;

SparseOnDevice SparseProducts::upload(std::uint32_t columns, std::span<const std::uint32_t> row_begin, std::span<const std::uint32_t> column_of, std::span<const float> values) {
  gpu::Device& device = *parts_->device;
  const auto copy = [&](auto of) {
    gpu::BufferPointer buffer = device.allocate(of.size_bytes());
    device.write(buffer, 0, std::as_bytes(of));
    return buffer;
  };
  return {static_cast<std::uint32_t>(row_begin.size() - 1), columns, values.size(), copy(row_begin), copy(column_of), copy(values)};
}

void SparseProducts::multiply(const SparseOnDevice& matrix, const gpu::BufferPointer& x, const gpu::BufferPointer& y, std::uint32_t width) {
  const SparseApi& api = parts_->api;
  Context& context = *parts_->context;
  const Context::Turn turn(context);
  const std::array buffers{parts_->own(matrix.row_begin, 0), parts_->own(matrix.column_of, 0), parts_->own(matrix.values, 0),
                           parts_->own(x, std::size_t{matrix.columns} * width * sizeof(float)), parts_->own(y, std::size_t{matrix.rows} * width * sizeof(float))};
  Held<SparseMatrixHandle, SparseStatus> rows(api.destroy_rows);
  Held<DenseMatrixHandle, SparseStatus> from(api.destroy_dense), to(api.destroy_dense);
  parts_->call(api.create_rows, rows.place(), std::int64_t{matrix.rows}, std::int64_t{matrix.columns}, static_cast<std::int64_t>(matrix.nonzeros), buffers[0]->address(), buffers[1]->address(),
               buffers[2]->address(), SparseIndex::i32, SparseIndex::i32, SparseBase::zero, DataType::f32);
  parts_->call(api.create_dense, from.place(), std::int64_t{matrix.columns}, std::int64_t{width}, std::int64_t{width}, buffers[3]->address(), DataType::f32, SparseOrder::row_by_row);
  parts_->call(api.create_dense, to.place(), std::int64_t{matrix.rows}, std::int64_t{width}, std::int64_t{width}, buffers[4]->address(), DataType::f32, SparseOrder::row_by_row);
  const float one = 1, zero = 0;
  const auto as_it_is = SparseOperation::as_it_is;
  std::size_t bytes = 0;
  parts_->call(api.product_bytes, parts_->handle, as_it_is, as_it_is, static_cast<const void*>(&one), rows.get(), from.get(), static_cast<const void*>(&zero), to.get(), DataType::f32,
               SparseAlgorithm::automatic, &bytes);
  const DeviceAddress work = parts_->work(bytes);
  for (const auto& buffer : buffers) buffer->begin_use();
  parts_->call(api.product, parts_->handle, as_it_is, as_it_is, static_cast<const void*>(&one), rows.get(), from.get(), static_cast<const void*>(&zero), to.get(), DataType::f32,
               SparseAlgorithm::automatic, work);
  for (const auto& buffer : buffers) buffer->end_use();
}

}  // namespace lacuna::cuda
