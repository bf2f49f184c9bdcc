// Races in shared memory: for each word (or byte, where a kernel has narrower accesses) who wrote and who read it since the last barrier. Lanes of one
// warp are no exception: only bar.warp.sync orders them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lacuna::sim {

enum class SharedAccess : std::uint8_t { read, write, atomic };

/// Two accesses of the same memory without a barrier in between. The later one is `lane`'s.
struct Race {
  unsigned lane = 0;
  std::uint32_t thread = 0;       ///< of the earlier one
  std::uint32_t instruction = 0;
  bool is_write = false;          ///< the earlier one
};

/// A memory instruction of a warp.
struct WarpAccess {
  const std::uint32_t* offsets = nullptr;  ///< of the lanes
  std::uint32_t mask = 0;
  std::uint32_t bytes = 0;
  std::uint32_t first_thread = 0;
  std::uint32_t instruction = 0;
  std::uint32_t synchronised = 0;          ///< how often the warp ordered its lanes
  SharedAccess access = SharedAccess::read;
};

class SharedCheck {
 public:
  /// For a block with this much shared memory; forgets everything.
  void start(std::size_t bytes, bool is_narrow, bool has_warp_barriers);
  void barrier() { ++epoch_; }

  /// Notes an access, lane after lane; true, and `race` filled, at the first lane that conflicts with an access since the barrier.
  bool note(const WarpAccess& access, Race& race);

 private:
  /// An access in 32 bits: thread, whether it is atomic, instruction.
  using Access = std::uint32_t;
  struct Cell {
    std::uint32_t write_epoch = 0, read_epoch = 0;
    Access writer = 0, reader = 0, other_reader = 0;  ///< the first reader, and one that is another thread (or the same as the first)
  };
  using Orders = std::array<std::uint32_t, 3>;        ///< WarpAccess::synchronised of writer, reader, other reader

  bool note_read(std::size_t cell, Access who, const WarpAccess& access, Race& race);
  bool note_write(std::size_t cell, Access who, const WarpAccess& access, Race& race);
  bool is_ordered(Access earlier, Access later, std::size_t cell, unsigned which, const WarpAccess& access) const;

  std::vector<Cell> cells_;
  std::vector<Orders> orders_;  ///< empty where the kernel has no barriers of warps
  std::uint32_t epoch_ = 1;
  unsigned shift_ = 2;
};

}  // namespace lacuna::sim
