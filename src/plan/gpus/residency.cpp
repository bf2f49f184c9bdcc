#include "plan/gpus/residency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace lacuna::plan::gpus {

Residency choose_residency(std::span<const std::size_t> table_bytes, std::size_t room_bytes) {
  Residency residency;
  residency.all_bytes = std::accumulate(table_bytes.begin(), table_bytes.end(), std::size_t{0});
  if (residency.all_bytes <= room_bytes) {
    residency.stays.assign(table_bytes.size(), true);
    residency.resident_bytes = residency.all_bytes;
    return residency;
  }
  const std::size_t two_turns = 2 * *std::max_element(table_bytes.begin(), table_bytes.end());
  const std::size_t room_to_stay = room_bytes > two_turns ? room_bytes - two_turns : 0;
  const double share = static_cast<double>(room_to_stay) / static_cast<double>(residency.all_bytes);
  std::size_t seen_bytes = 0;
  for (std::size_t bytes : table_bytes) {
    seen_bytes += bytes;
    const bool stays = static_cast<double>(residency.resident_bytes + bytes) <= share * static_cast<double>(seen_bytes);
    residency.stays.push_back(stays || bytes == 0);
    if (stays) {
      residency.resident_bytes += bytes;
    } else if (bytes != 0) {
      residency.turns = std::min<std::size_t>(residency.turns + 1, 2);
      residency.turn_bytes = std::max(residency.turn_bytes, bytes);
    }
  }
  return residency;
}

std::string print(const Residency& residency) {
  if (!residency.is_streamed()) return fmt::format("weights resident: {} bytes", residency.all_bytes);
  return fmt::format("weights streamed: {} of {} bytes resident, the others through {} of {} bytes", residency.resident_bytes, residency.all_bytes,
                     residency.turns == 1 ? "a buffer" : "two buffers", residency.turn_bytes);
}

}  // namespace lacuna::plan::gpus
