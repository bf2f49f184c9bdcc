#include "devices/sim/shared_check.hpp"

#include "devices/sim/program.hpp"

namespace lacuna::sim {

namespace {

constexpr std::uint32_t thread_bits = 0x3ff, atomic_bit = 0x400;
constexpr unsigned instruction_shift = 11;

std::uint32_t thread_in(std::uint32_t access) { return access & thread_bits; }

bool found(Race& race, std::uint32_t earlier, bool is_write) {
  race.thread = thread_in(earlier);
  race.instruction = earlier >> instruction_shift;
  race.is_write = is_write;
  return true;
}

}  // namespace

void SharedCheck::start(std::size_t bytes, bool is_narrow, bool has_warp_barriers) {
  shift_ = is_narrow ? 0 : 2;
  const std::size_t cells = (bytes + 3) >> shift_;
  if (cells_.size() < cells) cells_.resize(cells);
  if (has_warp_barriers && orders_.size() < cells) orders_.resize(cells);
  ++epoch_;
}

/// By the same thread, or by the same warp that has ordered its lanes since.
bool SharedCheck::is_ordered(Access earlier, Access later, std::size_t cell, unsigned which, const WarpAccess& access) const {
  if (thread_in(earlier) == thread_in(later)) return true;
  return !orders_.empty() && thread_in(earlier) / lanes == thread_in(later) / lanes && orders_[cell][which] < access.synchronised;
}

bool SharedCheck::note_read(std::size_t number, Access who, const WarpAccess& access, Race& race) {
  Cell& cell = cells_[number];
  if (cell.write_epoch == epoch_ && !is_ordered(cell.writer, who, number, 0, access)) return found(race, cell.writer, true);
  if (cell.read_epoch != epoch_) {
    cell.read_epoch = epoch_;
    cell.reader = cell.other_reader = who;
    if (!orders_.empty()) orders_[number][1] = orders_[number][2] = access.synchronised;
  } else if (thread_in(cell.reader) == thread_in(who)) {
    if (!orders_.empty()) orders_[number][1] = access.synchronised;
  } else if (cell.other_reader == cell.reader || thread_in(cell.other_reader) == thread_in(who)) {
    cell.other_reader = who;
    if (!orders_.empty()) orders_[number][2] = access.synchronised;
  }
  return false;
}

bool SharedCheck::note_write(std::size_t number, Access who, const WarpAccess& access, Race& race) {
  Cell& cell = cells_[number];
  const bool are_atomic = (who & cell.writer & atomic_bit) != 0;
  if (cell.write_epoch == epoch_ && !are_atomic && !is_ordered(cell.writer, who, number, 0, access)) return found(race, cell.writer, true);
  if (cell.read_epoch == epoch_ && !is_ordered(cell.reader, who, number, 1, access)) return found(race, cell.reader, false);
  if (cell.read_epoch == epoch_ && !is_ordered(cell.other_reader, who, number, 2, access)) return found(race, cell.other_reader, false);
  cell.write_epoch = epoch_;
  cell.writer = who;
  if (!orders_.empty()) orders_[number][0] = access.synchronised;
  return false;
}

bool SharedCheck::note(const WarpAccess& access, Race& race) {
  const Access common = access.instruction << instruction_shift | (access.access == SharedAccess::atomic ? atomic_bit : 0);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (((access.mask >> lane) & 1u) == 0) continue;
    const Access who = common | (access.first_thread + lane);
    const std::size_t last = (access.offsets[lane] + access.bytes - 1) >> shift_;
    for (std::size_t cell = access.offsets[lane] >> shift_; cell <= last; ++cell) {
      const bool is_race = access.access == SharedAccess::read ? note_read(cell, who, access, race) : note_write(cell, who, access, race);
      if (!is_race) continue;
      race.lane = lane;
      return true;
    }
  }
  return false;
}

}  // namespace lacuna::sim
