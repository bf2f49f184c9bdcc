// The rows of planes, shared out among threads.
#pragma once

#include <cstddef>
#include <utility>

#include "base/team.hpp"
#include "rows/planes.hpp"

namespace lacuna::engine::tensors {

/// Calls work(image, channel, first row, last row) for every plane, spread over the team, and zeroes the halo around. Each thread takes some rows of all planes, as convolutions
/// do, so that it finds in its own cache what it wrote; some planes where there are few rows. With lanes of the batch an "image" is all of them at once.
template <typename Work>
void for_each_part(const rows::Planes& planes, float* memory, unsigned threads, const Work& work) {
  const std::size_t count = std::size_t{planes.plane_sets()} * planes.channels, height = planes.height;
  const bool by_rows = height >= threads;
  if (!by_rows) rows::zero_halo(planes, memory);
  base::run_team(threads, [&](unsigned worker) {
    const auto part = [&](std::size_t total) { return std::pair(total * worker / threads, total * (worker + 1) / threads); };
    const auto [first_plane, last_plane] = by_rows ? std::pair(std::size_t{0}, count) : part(count);
    const auto [first_row, last_row] = by_rows ? part(height) : std::pair(std::size_t{0}, height);
    if (by_rows) rows::zero_halo(planes, memory, first_row, last_row);
    for (std::size_t plane = first_plane; plane < last_plane; ++plane) work(plane / planes.channels, plane % planes.channels, first_row, last_row);
  });
}

/// The same with work(image, channel, y) for every row.
template <typename Work>
void for_each_row(const rows::Planes& planes, float* memory, unsigned threads, const Work& work) {
  for_each_part(planes, memory, threads, [&](std::size_t image, std::size_t channel, std::size_t first_row, std::size_t last_row) {
    for (std::size_t y = first_row; y < last_row; ++y) work(image, channel, y);
  });
}

}  // namespace lacuna::engine::tensors
