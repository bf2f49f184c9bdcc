// Buffers: memory of a run. Each buffer lives from the step that writes it to the last step that reads it; buffers that never live at once share memory.
#pragma once

#include <cstddef>
#include <vector>

namespace lacuna::engine::tensors {

class Buffers {
 public:
  static constexpr std::size_t end_of_time = static_cast<std::size_t>(-1);

  /// A buffer that `step` writes first. Only buffers of the same pitch share memory, at distances that are multiples of it (0: any): threads that divide every
  /// plane alike then write where they wrote before, and no core has to fetch what another left in its cache. A multiple of 64.
  std::size_t add(std::size_t bytes, std::size_t step, std::size_t pitch = 0);

  /// `step` reads or writes it; end_of_time: the caller does.
  void touch(std::size_t buffer, std::size_t step);

  /// Chooses all offsets, largest buffers first, each at the lowest place that is free during its life; multiples of 64 bytes.
  void place();

  std::size_t offset(std::size_t buffer) const { return buffers_[buffer].offset; }
  std::size_t size(std::size_t buffer) const { return buffers_[buffer].bytes; }
  std::size_t arena_bytes() const { return arena_bytes_; }

  /// The most bytes that live at once: no placement needs less.
  std::size_t least_bytes() const;

 private:
  struct Buffer {
    std::size_t bytes;
    std::size_t first;
    std::size_t last;
    std::size_t pitch;
    std::size_t offset = 0;
  };

  /// Places those of one pitch behind what there is.
  void place_alike(std::size_t pitch);

  std::vector<Buffer> buffers_;
  std::size_t arena_bytes_ = 0;
};

}  // namespace lacuna::engine::tensors
