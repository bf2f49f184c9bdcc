#include "engine/gpus/share_buffers.hpp"

#include <algorithm>
#include <numeric>

namespace lacuna::engine::gpus {

std::size_t SharedBuffers::add(const rows::Planes& planes, std::size_t step) {
  standings_.push_back({planes, step, step});
  return standings_.size() - 1;
}

void SharedBuffers::use(std::size_t standing, std::size_t step) { standings_[standing].last = std::max(standings_[standing].last, step); }

void SharedBuffers::keep(std::size_t standing) { standings_[standing].last = static_cast<std::size_t>(-1); }

std::vector<std::size_t> SharedBuffers::assign(std::vector<std::size_t>& bytes) const {
  struct Buffer {
    const rows::Planes* planes;
    std::size_t busy_until;
  };
  std::vector<std::size_t> order(standings_.size()), buffer_of(standings_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return standings_[a].first < standings_[b].first; });
  std::vector<Buffer> buffers;
  for (std::size_t k : order) {
    const Standing& standing = standings_[k];
    const auto fits = [&](const Buffer& buffer) { return *buffer.planes == standing.planes && buffer.busy_until < standing.first; };
    auto found = std::find_if(buffers.begin(), buffers.end(), fits);
    if (found == buffers.end()) {
      found = buffers.insert(buffers.end(), {&standing.planes, 0});
      bytes.push_back(std::max<std::size_t>(standing.planes.floats * sizeof(float), 4));
    }
    found->busy_until = standing.last;
    buffer_of[k] = static_cast<std::size_t>(found - buffers.begin());
  }
  return buffer_of;
}

}  // namespace lacuna::engine::gpus
