#include "frontends/tensor/tensor_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <lacuna/error.hpp>
#include <limits>

#include "base/atomic_file.hpp"
#include "base/byte_source.hpp"
#include "base/text.hpp"

namespace lacuna::frontends {

std::size_t count_elements(const std::vector<std::size_t>& shape, std::size_t element_bytes, std::size_t bytes,
                           const std::string& name) {
  std::size_t elements = 1;
  bool has_zero = false;
  bool too_large = false;
  for (const std::size_t extent : shape) {
    has_zero = has_zero || extent == 0;
    if (extent != 0 && elements > std::numeric_limits<std::size_t>::max() / extent / element_bytes)
      too_large = true;
    else if (extent != 0)
      elements *= extent;
  }
  if (has_zero) elements = 0;
  if ((too_large && !has_zero) || elements * element_bytes != bytes)
    throw InputError(name, fmt::format("holds {} bytes of values, but its shape ({}) of {}-byte elements does not make "
                                       "that; the file may be cut short",
                                       bytes, fmt::join(shape, ", "), element_bytes));
  return elements;
}

Tensor read_tensor(std::string_view bytes, const std::string& name) {
  constexpr std::string_view idx_magic("\0\0", 2);
  if (bytes.starts_with(npy_magic)) return read_npy(bytes, name);
  if (bytes.starts_with(idx_magic)) return read_idx(bytes, name);
  throw InputError(name, fmt::format("is no tensor: it starts with {}; give NumPy's .npy or MNIST's .idx",
                                     bytes.empty() ? "nothing (it is empty)" : base::quote(bytes.substr(0, 8))));
}

}  // namespace lacuna::frontends

namespace lacuna {

Tensor load_tensor(const std::filesystem::path& file) {
  const std::string bytes = base::read_all(*base::open_source(file));
  return frontends::read_tensor(bytes, file.string());
}

TypedTensor load_typed_tensor(const std::filesystem::path& file) {
  const std::string bytes = base::read_all(*base::open_source(file));
  if (std::string_view(bytes).starts_with(frontends::npy_magic)) return frontends::read_typed_npy(bytes, file.string());
  const Tensor tensor = frontends::read_tensor(bytes, file.string());
  return make_tensor<float>(tensor.shape, tensor.values);
}

namespace {

void save(const std::filesystem::path& file, const std::string& head, const void* elements, std::size_t bytes) {
  base::AtomicFile writer(file);
  writer.write(head.data(), head.size());
  writer.write(elements, bytes);
  writer.commit();
}

}  // namespace

void save_tensor(const Tensor& tensor, const std::filesystem::path& file) {
  save(file, frontends::npy_head(ElementType::f32, tensor.shape), tensor.values.data(), tensor.values.size() * sizeof(float));
}

void save_typed_tensor(const TypedTensor& tensor, const std::filesystem::path& file) {
  save(file, frontends::npy_head(tensor.type, tensor.shape), tensor.bytes.data(), tensor.bytes.size());
}

}  // namespace lacuna
