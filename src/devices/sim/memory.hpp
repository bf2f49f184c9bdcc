// The memory of one simulated GPU: allocations at 64-bit device addresses with gaps between them, so that an overrun meets nothing.
// Looking up, reading and writing may happen on several threads at once; allocating and freeing too, but not of memory that is in use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>

#include "devices/sim/fault.hpp"

namespace lacuna::sim {

using Address = std::uint64_t;

/// A live allocation, or nothing (`bytes` is 0).
struct Allocation {
  Address begin = 0;
  std::size_t bytes = 0;
  std::byte* host = nullptr;

  bool holds(Address address, std::size_t count) const { return address >= begin && address - begin <= bytes && count <= bytes - (address - begin); }
};

class Memory {
 public:
  explicit Memory(std::size_t capacity_bytes);

  /// An address that is not 0 and a multiple of 256. What stands there is not zero (small allocations are filled with 0xff bytes): kernels must not count on it.
  /// Throws DeviceError naming the bytes wanted and free when the capacity is used up.
  Address allocate(std::size_t bytes);

  /// Throws DeviceError where nothing was allocated at this very address.
  void free(Address address);

  /// The host memory of [address, address + bytes). Throws KernelFault (out_of_bounds) naming the address, the access and the nearest allocation.
  std::byte* lookup(Address address, std::size_t bytes) const;

  /// The allocation that holds this address, or one of 0 bytes.
  Allocation find(Address address) const;

  /// "16 bytes after the end of the allocation of 4096 bytes at 0x...": for messages.
  std::string describe(Address address) const;

  std::size_t capacity_bytes() const { return capacity_bytes_; }
  std::size_t used_bytes() const;
  std::size_t allocations() const;

 private:
  struct Block {
    std::size_t bytes = 0;
    std::unique_ptr<std::byte, void (*)(void*)> host{nullptr, nullptr};
  };

  std::size_t capacity_bytes_;
  std::size_t used_bytes_ = 0;
  Address next_;
  std::map<Address, Block> blocks_;
  mutable std::shared_mutex mutex_;
};

}  // namespace lacuna::sim
