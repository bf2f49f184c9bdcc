#include "devices/sim/memory.hpp"

#include <cstdlib>
#include <cstring>
#include <iterator>
#include <mutex>

#include <fmt/format.h>

namespace lacuna::sim {

namespace {

constexpr Address first_address = 0x7'0000'0000;
constexpr Address alignment = 256;
constexpr Address gap_bytes = 64 * 1024;                       // what a kernel may overrun without meeting the next allocation
constexpr std::size_t filled_bytes = std::size_t{64} << 20;    // larger ones stay untouched, so that the system gives pages when they are used

Address round_up(Address value) { return (value + alignment - 1) / alignment * alignment; }

}  // namespace

Memory::Memory(std::size_t capacity_bytes) : capacity_bytes_(capacity_bytes), next_(first_address) {}

Address Memory::allocate(std::size_t bytes) {
  const std::unique_lock lock(mutex_);
  if (bytes == 0) throw DeviceError("simulated GPU: an allocation of 0 bytes; ask for at least 1");
  if (bytes > capacity_bytes_ - used_bytes_)
    throw DeviceError(fmt::format("simulated GPU: {} bytes wanted, {} of {} are free", bytes, capacity_bytes_ - used_bytes_, capacity_bytes_));
  Block block{bytes, {static_cast<std::byte*>(std::calloc(bytes, 1)), std::free}};
  if (block.host == nullptr) throw DeviceError(fmt::format("simulated GPU: this machine has no memory for an allocation of {} bytes", bytes));
  if (bytes <= filled_bytes) std::memset(block.host.get(), 0xff, bytes);
  const Address address = next_;
  next_ = round_up(address + bytes + gap_bytes);  // never given out again: a freed address stays recognisable
  used_bytes_ += bytes;
  blocks_.emplace(address, std::move(block));
  return address;
}

void Memory::free(Address address) {
  const std::unique_lock lock(mutex_);
  const auto found = blocks_.find(address);
  if (found == blocks_.end()) throw DeviceError(fmt::format("simulated GPU: nothing is allocated at {:#x}, so it cannot be freed", address));
  used_bytes_ -= found->second.bytes;
  blocks_.erase(found);
}

Allocation Memory::find(Address address) const {
  const std::shared_lock lock(mutex_);
  const auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return {};
  const auto& [begin, block] = *std::prev(after);
  const Allocation allocation{begin, block.bytes, block.host.get()};
  return allocation.holds(address, 1) ? allocation : Allocation{};
}

std::byte* Memory::lookup(Address address, std::size_t bytes) const {
  if (const Allocation allocation = find(address); allocation.holds(address, bytes)) return allocation.host + (address - allocation.begin);
  throw KernelFault(FaultKind::out_of_bounds, fmt::format("simulated GPU: {} bytes at {:#x} are not allocated: {}", bytes, address, describe(address)));
}

std::string Memory::describe(Address address) const {
  const std::shared_lock lock(mutex_);
  if (blocks_.empty()) return "nothing is allocated";
  const auto after = blocks_.upper_bound(address);
  const auto before = after == blocks_.begin() ? after : std::prev(after);
  const auto distance_before = address - before->first - before->second.bytes;
  if (address >= before->first && address < before->first + before->second.bytes)
    return fmt::format("{} bytes before the end of the allocation of {} bytes at {:#x}", before->first + before->second.bytes - address, before->second.bytes, before->first);
  if (address < before->first || (after != blocks_.end() && after->first - address < distance_before)) {
    const auto& next = address < before->first ? *before : *after;
    return fmt::format("{} bytes before the allocation of {} bytes at {:#x}", next.first - address, next.second.bytes, next.first);
  }
  return fmt::format("{} bytes after the end of the allocation of {} bytes at {:#x}", distance_before, before->second.bytes, before->first);
}

std::size_t Memory::used_bytes() const {
  const std::shared_lock lock(mutex_);
  return used_bytes_;
}

std::size_t Memory::allocations() const {
  const std::shared_lock lock(mutex_);
  return blocks_.size();
}

}  // namespace lacuna::sim
