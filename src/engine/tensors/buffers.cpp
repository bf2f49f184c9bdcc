#include "engine/tensors/buffers.hpp"

#include <algorithm>
#include <numeric>

namespace lacuna::engine::tensors {

std::size_t Buffers::add(std::size_t bytes, std::size_t step) {
  constexpr std::size_t boundary = 64;
  buffers_.push_back({(std::max<std::size_t>(bytes, 1) + boundary - 1) / boundary * boundary, step, step});
  return buffers_.size() - 1;
}

void Buffers::touch(std::size_t buffer, std::size_t step) { buffers_[buffer].last = std::max(buffers_[buffer].last, step); }

void Buffers::place() {
  std::vector<std::size_t> order(buffers_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return buffers_[a].bytes > buffers_[b].bytes; });
  std::vector<const Buffer*> placed;  // by ascending offset
  for (std::size_t id : order) {
    Buffer& buffer = buffers_[id];
    std::size_t offset = 0;
    for (const Buffer* other : placed) {
      if (other->last < buffer.first || buffer.last < other->first) continue;
      if (other->offset >= offset + buffer.bytes) break;
      offset = std::max(offset, other->offset + other->bytes);
    }
    buffer.offset = offset;
    arena_bytes_ = std::max(arena_bytes_, offset + buffer.bytes);
    placed.insert(std::upper_bound(placed.begin(), placed.end(), &buffer, [](const Buffer* a, const Buffer* b) { return a->offset < b->offset; }), &buffer);
  }
}

std::size_t Buffers::least_bytes() const {
  std::size_t least = 0;
  for (const Buffer& at : buffers_) {  // the most live where some buffer begins
    std::size_t alive = 0;
    for (const Buffer& other : buffers_)
      if (other.first <= at.first && at.first <= other.last) alive += other.bytes;
    least = std::max(least, alive);
  }
  return least;
}

}  // namespace lacuna::engine::tensors
