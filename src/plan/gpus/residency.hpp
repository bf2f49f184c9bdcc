// Which layers' tables stay in a device's memory, and which are copied there every time they are needed. It knows no device.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace lacuna::plan::gpus {

/// Tables that do not stay come through buffers that take turns: while one layer is computed, the next one's table travels.
struct Residency {
  std::vector<bool> stays;         ///< of each layer
  std::size_t all_bytes = 0;       ///< of all tables
  std::size_t resident_bytes = 0;  ///< of those that stay
  std::size_t turns = 0;           ///< buffers that take turns: none, one (a single table), or two
  std::size_t turn_bytes = 0;      ///< of each: the largest table that does not stay

  bool is_streamed() const { return turns != 0; }
  std::size_t streamed_bytes() const { return all_bytes - resident_bytes; }              ///< that travel in each run
  std::size_t device_bytes() const { return resident_bytes + turns * turn_bytes; }
};

/// All of them stay if they fit into `room_bytes`. Otherwise as many as leave room for two turns, spread evenly over the network, so that every copy has about as
/// many layers to hide behind. Where two turns alone exceed the room nothing stays: compare device_bytes() with what there is.
Residency choose_residency(std::span<const std::size_t> table_bytes, std::size_t room_bytes);

/// "weights resident: 4096 bytes" or "weights streamed: 1024 of 4096 bytes resident, ...".
std::string print(const Residency& residency);

}  // namespace lacuna::plan::gpus
