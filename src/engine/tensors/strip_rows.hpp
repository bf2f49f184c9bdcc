// Which rows a chain of convolutions and pooling computes, strip after strip.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lacuna::engine::tensors {

/// How an operator reads rows.
struct StageShape {
  std::int32_t kernel = 1, stride = 1, pad = 0;
  std::int32_t height = 0;  ///< rows it has to compute in all

  std::int32_t reads_from(std::int32_t row) const { return row * stride - pad; }
  std::int32_t reads_before(std::int32_t row_end) const { return (row_end - 1) * stride - pad + kernel; }
};

/// What a stage does for one strip.
struct StripRows {
  std::int32_t begin = 0, end = 0;  ///< rows it computes; an even number of them, from an even one on, if its height is even. None: what is there is enough
  std::int32_t held_from = 0;       ///< the first of its rows that the next stage reads, or that it computes; may be above the image
  std::int32_t held_before = 0;     ///< the row after the last that the next stage reads; may be below the image

  bool operator==(const StripRows&) const = default;
};

/// For each strip the rows of all stages, so that the last computes [begin, end), at most `step` rows at a time.
std::vector<std::vector<StripRows>> strip_rows(std::span<const StageShape> stages, std::int32_t begin, std::int32_t end, std::int32_t step);

}  // namespace lacuna::engine::tensors
