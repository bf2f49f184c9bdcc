#include "operators/walk.hpp"

#include <algorithm>
#include <cstring>

#include "operators/element.hpp"

namespace lacuna::operators {
namespace {

/// Two axes trade places: `rows` (next to each other in the input) and `columns` (next to each other in the output), in tiles that fit the cache.
template <typename T>
void copy_transposed(const T* input, std::int64_t column_stride, T* output, std::int64_t row_stride, std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t tile = 16;
  for (std::int64_t row = 0; row < rows; row += tile)
    for (std::int64_t column = 0; column < columns; column += tile)
      for (std::int64_t r = row; r < std::min(rows, row + tile); ++r)
        for (std::int64_t c = column; c < std::min(columns, column + tile); ++c) output[r * row_stride + c] = input[r + c * column_stride];
}

template <typename T>
void copy_walk(const T* input, Walk<2> walk, T* output) {
  const std::int64_t length = walk.run_length();
  const std::int64_t stride = walk.run_stride(0);
  if (stride == 1)
    return walk.for_each_run([&](const auto& place) { std::memcpy(output + place[1], input + place[0], static_cast<std::size_t>(length) * sizeof(T)); });
  const auto next = std::find(walk.strides[0].begin(), walk.strides[0].end(), 1);
  if (next == walk.strides[0].end() || stride == 0)
    return walk.for_each_run([&](const auto& place) {
      for (std::int64_t k = 0; k < length; ++k) output[place[1] + k] = input[place[0] + k * stride];
    });
  const auto axis = next - walk.strides[0].begin();
  const std::int64_t rows = walk.extents[static_cast<std::size_t>(axis)];
  const std::int64_t row_stride = walk.strides[1][static_cast<std::size_t>(axis)];
  walk.extents[static_cast<std::size_t>(axis)] = 1;
  const bool is_empty = rows == 0 || length == 0;
  walk.extents.back() = 1;
  if (is_empty) return;
  walk.for_each_run([&](const auto& place) { copy_transposed(input + place[0], stride, output + place[1], row_stride, rows, length); });
}

}  // namespace

void copy_strided(const std::byte* input, std::int64_t start, const Integers& extents, const Integers& strides, std::size_t bytes, std::byte* output) {
  Walk<2> walk{extents, {strides, Integers(extents.size(), 1)}};
  for (std::size_t k = extents.size(); k-- > 1;) walk.strides[1][k - 1] = walk.strides[1][k] * extents[k];
  walk.simplify();
  with_width(bytes, [&](auto tag) {
    using T = typename decltype(tag)::type;
    copy_walk(reinterpret_cast<const T*>(input) + start, walk, reinterpret_cast<T*>(output));
  });
}

}  // namespace lacuna::operators
