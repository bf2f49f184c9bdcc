// MNIST's format: two zeros, the kind of element, the number of extents, the extents (big-endian), the values.
#include <fmt/format.h>

#include <algorithm>
#include <lacuna/error.hpp>

#include "frontends/tensor/tensor_file.hpp"

namespace lacuna::frontends {

Tensor read_idx(std::string_view bytes, const std::string& name) {
  constexpr unsigned unsigned_bytes = 0x08;
  const auto byte = [&](std::size_t k) { return unsigned{static_cast<unsigned char>(bytes[k])}; };
  if (bytes.size() < 4)
    throw InputError(name, fmt::format("this .idx file is cut short: {} bytes, its head alone has 4", bytes.size()));
  if (byte(2) != unsigned_bytes)
    throw Unsupported(
        fmt::format("{}: .idx elements of kind 0x{:02x} are not read; unsigned bytes (0x08) are", name, byte(2)));
  const std::size_t extents = byte(3);
  const std::size_t head = 4 + 4 * extents;
  if (extents == 0 || bytes.size() < head)
    throw InputError(name, fmt::format("this .idx file is broken: {} bytes for {} extents", bytes.size(), extents));
  Tensor tensor;
  for (std::size_t k = 0; k < extents; ++k) {
    const std::size_t at = 4 + 4 * k;
    tensor.shape.push_back(byte(at) << 24 | byte(at + 1) << 16 | byte(at + 2) << 8 | byte(at + 3));
  }
  tensor.values.resize(count_elements(tensor.shape, 1, bytes.size() - head, name));
  // One extent: labels, which are numbers; more: images, whose pixels are fractions of white.
  const float white = extents == 1 ? 1.0f : 255.0f;
  std::transform(bytes.begin() + static_cast<std::ptrdiff_t>(head), bytes.end(), tensor.values.begin(),
                 [&](char c) { return static_cast<float>(static_cast<unsigned char>(c)) / white; });
  return tensor;
}

}  // namespace lacuna::frontends
