#include "engine/tensors/buffers.hpp"

#include <algorithm>
#include <set>

#include "base/round_up.hpp"

namespace lacuna::engine::tensors {

namespace {

using base::round_up;

constexpr std::size_t boundary = 64;

}  // namespace

std::size_t Buffers::add(std::size_t bytes, std::size_t step, std::size_t pitch) {
  buffers_.push_back({round_up(std::max<std::size_t>(bytes, 1), boundary), step, step, pitch});
  return buffers_.size() - 1;
}

void Buffers::touch(std::size_t buffer, std::size_t step) { buffers_[buffer].last = std::max(buffers_[buffer].last, step); }

void Buffers::place() {
  std::set<std::size_t> pitches;
  for (const Buffer& buffer : buffers_) pitches.insert(buffer.pitch);
  for (std::size_t pitch : pitches) place_alike(pitch);
}

void Buffers::place_alike(std::size_t pitch) {
  std::vector<Buffer*> order;
  for (Buffer& buffer : buffers_)
    if (buffer.pitch == pitch) order.push_back(&buffer);
  std::stable_sort(order.begin(), order.end(), [](const Buffer* a, const Buffer* b) { return a->bytes > b->bytes; });
  const std::size_t base = arena_bytes_, unit = std::max(pitch, boundary);
  std::vector<const Buffer*> placed;  // by ascending offset
  for (Buffer* buffer : order) {
    std::size_t offset = base;
    for (const Buffer* other : placed) {
      if (other->last < buffer->first || buffer->last < other->first) continue;
      if (other->offset >= offset + buffer->bytes) break;
      offset = std::max(offset, base + round_up(other->offset - base + other->bytes, unit));
    }
    buffer->offset = offset;
    arena_bytes_ = std::max(arena_bytes_, offset + buffer->bytes);
    placed.insert(std::upper_bound(placed.begin(), placed.end(), buffer, [](const Buffer* a, const Buffer* b) { return a->offset < b->offset; }), buffer);
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
