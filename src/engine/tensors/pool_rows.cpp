#include "engine/tensors/pool_rows.hpp"

#include <algorithm>

namespace lacuna::engine::tensors {
namespace {

using rows::Planes;
using Kind = dense::PoolShape::Kind;

template <typename Combine>
void combine_lanes(float* target, const float* source, std::size_t lanes, const Combine& combine) {
  for (std::size_t lane = 0; lane < lanes; ++lane) target[lane] = combine(target[lane], source[lane]);
}

}  // namespace

PoolRows::PoolRows(dense::PoolShape pool, const Planes& from, const Planes& to, cpu::Isa isa) : pool_(std::move(pool)), from_(from), to_(to), kernels_(cpu::kernels_for(isa)) {
  if (pool_.kernel.size() == 1)  // 1-D: a plane of height 1
    for (auto* numbers : {&pool_.kernel, &pool_.strides}) numbers->insert(numbers->begin(), 1);
  if (pool_.pads_begin.size() == 1)
    for (auto* numbers : {&pool_.pads_begin, &pool_.pads_end}) numbers->insert(numbers->begin(), 0);
  whole_ = whole_windows();
}

PoolRows::Reach PoolRows::reach(std::uint32_t at, std::size_t axis, std::uint32_t extent) const {
  const std::int64_t first = std::int64_t{at} * pool_.strides[axis] - pool_.pads_begin[axis];
  return {static_cast<std::size_t>(std::max<std::int64_t>(first, 0)), static_cast<std::size_t>(std::min<std::int64_t>(first + pool_.kernel[axis], extent))};
}

PoolRows::Whole PoolRows::whole_windows() const {
  if (to_.lanes_are_inputs()) return {0, 0};
  const std::int64_t stride = pool_.strides[1], pad = pool_.pads_begin[1], beyond = std::int64_t{from_.width} + pad - pool_.kernel[1];
  const auto begin = static_cast<std::uint32_t>(std::min<std::int64_t>((pad + stride - 1) / stride, to_.width));
  const auto end = static_cast<std::uint32_t>(beyond < 0 ? 0 : std::min<std::int64_t>(beyond / stride + 1, to_.width));
  return {begin, std::max(begin, end)};
}

std::uint32_t PoolRows::end_of_alike(std::uint32_t begin, std::uint32_t end) const {
  const Reach first = reach(begin, 0, from_.height);
  std::uint32_t y = begin + 1;
  for (Reach before = first; y < end; ++y) {
    const Reach here = reach(y, 0, from_.height);
    if (here.end - here.begin != first.end - first.begin || here.begin != before.begin + pool_.strides[0]) break;
    before = here;
  }
  return y;
}

template <typename Combine>
void PoolRows::pool(const Alike& rows, const Combine& combine, std::vector<float>& best) const {
  const Whole whole = whole_;
  const std::size_t lines = std::max(rows.lines.end, rows.lines.begin + 1) - rows.lines.begin;
  const float* const input = rows.input + rows.lines.begin * from_.row;
  float* const output = rows.output + rows.begin * to_.row;
  const cpu::PoolLines shape{lines, from_.row, from_.row_lanes(), pool_.kernel[1], pool_.strides[1], whole.end - whole.begin, pool_.kind == Kind::maximum,
                             rows.end - rows.begin, pool_.strides[0] * from_.row, to_.row};
  if (whole.begin < whole.end) kernels_.pool_lines(shape, input, best.data(), whole.begin * pool_.strides[1] - pool_.pads_begin[1], output + whole.begin);
  for (std::uint32_t row = 0; row < rows.end - rows.begin; ++row) {
    const auto pool_at = [&](std::uint32_t x) { pool_window(input + row * shape.source_step, lines, x, output + row * to_.row + x * to_.column, combine, best.data()); };
    for (std::uint32_t x = 0; x < whole.begin; ++x) pool_at(x);
    for (std::uint32_t x = whole.end; x < to_.width; ++x) pool_at(x);
    if (pool_.kind != Kind::maximum) divide(rows.lines.end - rows.lines.begin, output + row * to_.row);
  }
}

/// One window, of all lanes: down its lines, then along, as the others.
template <typename Combine>
void PoolRows::pool_window(const float* input, std::size_t lines, std::uint32_t x, float* target, const Combine& combine, float* best) const {
  const Reach columns = reach(x, 1, from_.width);
  const std::size_t lanes = to_.lanes_are_inputs() ? to_.batch : 1;
  for (std::size_t column = 0; column < std::max(columns.end, columns.begin + 1) - columns.begin; ++column) {
    float* const down = column == 0 ? target : best;
    const float* const source = input + (columns.begin + column) * from_.column;
    std::copy_n(source, lanes, down);
    for (std::size_t line = 1; line < lines; ++line) combine_lanes(down, source + line * from_.row, lanes, combine);
    if (column > 0) combine_lanes(target, best, lanes, combine);
  }
}

/// Sums of a row by what their windows have.
void PoolRows::divide(std::size_t lines, float* output) const {
  const auto window = static_cast<float>(pool_.kernel[0] * pool_.kernel[1]);
  const std::size_t lanes = to_.lanes_are_inputs() ? to_.batch : 1;
  for (std::uint32_t x = 0; x < to_.width; ++x) {
    const Reach columns = reach(x, 1, from_.width);
    const float seen = pool_.kind == Kind::average_with_padding ? window : static_cast<float>(lines * (columns.end - columns.begin));
    for (std::size_t lane = 0; lane < lanes; ++lane) output[x * to_.column + lane] /= seen;
  }
}

void PoolRows::run(const float* input, float* output, std::uint32_t first_row, std::uint32_t last_row) const {
  thread_local std::vector<float> best;
  best.resize(from_.row_lanes() + 2 * std::size_t{kernels_.vector_lanes} + pool_.kernel[1]);
  for (std::uint32_t y = first_row; y < last_row;) {
    const Alike rows{reach(y, 0, from_.height), y, end_of_alike(y, last_row), input, output};
    pool_.kind == Kind::maximum ? pool(rows, [](float a, float b) { return a > b ? a : b; }, best) : pool(rows, [](float a, float b) { return a + b; }, best);
    y = rows.end;
  }
}

}  // namespace lacuna::engine::tensors
