#include "devices/cuda/sparse_products.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <tuple>
#include <vector>

#include <lacuna/error.hpp>

#include "base/dynamic_library.hpp"
#include "devices/cuda/device.hpp"
#include "devices/cuda/sparse_api.hpp"

namespace lacuna::cuda {
namespace {

base::DynamicLibrary open_library() {
  const char* const wish = std::getenv("LACUNA_CUSPARSE_LIBRARY");
  if (wish != nullptr && *wish != '\0') return base::DynamicLibrary(std::vector<std::string>{wish});
  return base::DynamicLibrary(std::vector<std::string>{"libcusparse.so.12", "libcusparse.so.11"});
}

std::string what_is_missing(const base::DynamicLibrary& library) {
  return fmt::format("cusparse: not here ({}): only the comparison with it needs it; install NVIDIA's CUDA libraries (PyPI has them as nvidia-cusparse-cu12), or name the file with "
                     "LACUNA_CUSPARSE_LIBRARY",
                     library.why_not());
}

SparseApi find_all(const base::DynamicLibrary& library) {
  if (!library.is_open()) throw DeviceError(what_is_missing(library));
  SparseApi api;
  const auto find = [&](auto& entry) {
    library.find(entry.name, entry.function);
    if (entry.function == nullptr) throw DeviceError(fmt::format("cusparse: {} has no {}: install the libraries of CUDA 11.4 or later", library.file(), entry.name));
  };
  std::apply([&](auto&... entry) { (find(entry), ...); }, api.all());
  return api;
}

std::shared_ptr<Device> cuda_device(const gpu::DevicePointer& device) {
  auto own = std::dynamic_pointer_cast<Device>(device);
  if (own == nullptr) throw Unsupported(fmt::format("cusparse: {} is not a device of CUDA; take --device cuda", device->limits().name));
  return own;
}

}  // namespace

struct SparseProducts::Parts {
  std::shared_ptr<Device> device;
  ContextPointer context;
  SparseApi api;
  SparseHandle handle = nullptr;
  gpu::BufferPointer work;  ///< what products need beside their matrices

  template <typename Function, typename... Arguments>
  void call(const SparseEntry<Function>& entry, Arguments... arguments) const {
    const SparseStatus status = entry.function(arguments...);
    if (status == SparseStatus::success) return;
    throw DeviceError(fmt::format("{}: {} gives {} ({}: {})", context->label(), entry.name, api.status_name.function(status), static_cast<int>(status), api.status_text.function(status)));
  }
};

namespace {

/// A handle that goes when the work with it was asked for.
template <typename Handle>
class Held {
 public:
  explicit Held(const SparseEntry<SparseStatus(Handle)>& destroy) : destroy_(destroy.function) {}
  ~Held() {
    if (handle_ != nullptr) destroy_(handle_);
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  Handle* place() { return &handle_; }
  Handle get() const { return handle_; }

 private:
  SparseStatus (*destroy_)(Handle);
  Handle handle_ = nullptr;
};

Buffer& buffer_of(const gpu::BufferPointer& buffer, const Context& context) {
  auto* const own = dynamic_cast<Buffer*>(buffer.get());
  if (own == nullptr || &own->context() != &context) throw InternalError(context.label() + ": a product with a buffer that is not of this device");
  return *own;
}

}  // namespace

SparseProducts::SparseProducts(gpu::DevicePointer device) : parts_(std::make_unique<Parts>()) {
  parts_->device = cuda_device(device);
  parts_->context = parts_->device->shared_context();
  parts_->api = find_all(open_library());
  const Context::Turn turn(*parts_->context);
  parts_->call(parts_->api.create, &parts_->handle);
  try {
    parts_->call(parts_->api.version, parts_->handle, &version_);
    parts_->call(parts_->api.set_stream, parts_->handle, parts_->context->stream());
  } catch (...) {
    parts_->api.destroy.function(parts_->handle);
    throw;
  }
}

SparseProducts::~SparseProducts() {
  const Context::Turn turn(*parts_->context, std::nothrow);
  parts_->api.destroy.function(parts_->handle);
}

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
  if (x->bytes() < std::size_t{matrix.columns} * width * sizeof(float) || y->bytes() < std::size_t{matrix.rows} * width * sizeof(float))
    throw InternalError(context.label() + ": a product with a buffer that is too small");
  const Context::Turn turn(context);
  const std::array buffers{&buffer_of(matrix.row_begin, context), &buffer_of(matrix.column_of, context), &buffer_of(matrix.values, context), &buffer_of(x, context), &buffer_of(y, context)};
  Held<SparseMatrixHandle> rows(api.destroy_rows);
  Held<DenseMatrixHandle> from(api.destroy_dense), to(api.destroy_dense);
  parts_->call(api.create_rows, rows.place(), std::int64_t{matrix.rows}, std::int64_t{matrix.columns}, static_cast<std::int64_t>(matrix.nonzeros), buffers[0]->address(), buffers[1]->address(),
               buffers[2]->address(), SparseIndex::i32, SparseIndex::i32, SparseBase::zero, DataType::f32);
  parts_->call(api.create_dense, from.place(), std::int64_t{matrix.columns}, std::int64_t{width}, std::int64_t{width}, buffers[3]->address(), DataType::f32, SparseOrder::row_by_row);
  parts_->call(api.create_dense, to.place(), std::int64_t{matrix.rows}, std::int64_t{width}, std::int64_t{width}, buffers[4]->address(), DataType::f32, SparseOrder::row_by_row);
  const float one = 1, zero = 0;
  const auto as_it_is = SparseOperation::as_it_is;
  std::size_t bytes = 0;
  parts_->call(api.product_bytes, parts_->handle, as_it_is, as_it_is, static_cast<const void*>(&one), rows.get(), from.get(), static_cast<const void*>(&zero), to.get(), DataType::f32,
               SparseAlgorithm::automatic, &bytes);
  if (!parts_->work || parts_->work->bytes() < bytes) {
    parts_->device->finish();  // a product that still runs has the old one
    parts_->work = parts_->device->allocate(bytes);
  }
  for (Buffer* buffer : buffers) buffer->begin_use();
  parts_->call(api.product, parts_->handle, as_it_is, as_it_is, static_cast<const void*>(&one), rows.get(), from.get(), static_cast<const void*>(&zero), to.get(), DataType::f32,
               SparseAlgorithm::automatic, buffer_of(parts_->work, context).address());
  for (Buffer* buffer : buffers) buffer->end_use();
}

SparseLibrary find_sparse_library() {
  const base::DynamicLibrary library = open_library();
  return {library.file(), library.is_open() ? "" : what_is_missing(library)};
}

}  // namespace lacuna::cuda
