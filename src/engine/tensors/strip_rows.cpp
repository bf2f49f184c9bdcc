#include "engine/tensors/strip_rows.hpp"

#include <algorithm>

namespace lacuna::engine::tensors {

std::vector<std::vector<StripRows>> strip_rows(std::span<const StageShape> stages, std::int32_t begin, std::int32_t end, std::int32_t step) {
  std::vector<std::vector<StripRows>> strips;
  for (std::int32_t first = begin; first < end; first += step) {
    std::vector<StripRows> rows(stages.size());
    rows.back() = {first, std::min(first + step, end), first, std::min(first + step, end)};
    for (std::size_t k = stages.size() - 1; k-- > 0;) {
      const StageShape& reader = stages[k + 1];
      const std::int32_t height = stages[k].height, from = reader.reads_from(rows[k + 1].begin), before = reader.reads_before(rows[k + 1].end);
      const auto even = [&](std::int32_t row) { return std::min(row + row % 2, height); };
      rows[k].begin = strips.empty() ? std::max(from - (from & 1), 0) : strips.back()[k].end;
      rows[k].end = std::max(rows[k].begin, even(std::min(before, height)));
      rows[k].held_from = std::min(from, rows[k].begin);
      rows[k].held_before = std::max(before, rows[k].end);
    }
    strips.push_back(std::move(rows));
  }
  return strips;
}

}  // namespace lacuna::engine::tensors
