#include "base/text.hpp"

#include <fmt/format.h>

#include <iterator>

namespace lacuna::base {

std::string quote(std::string_view text) {
  constexpr std::size_t shown = 32;
  std::string quoted = "\"";
  for (const char c : text.substr(0, shown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f)
      quoted += c;
    else
      fmt::format_to(std::back_inserter(quoted), "\\x{:02x}", byte);
  }
  if (text.size() > shown) quoted += "...";
  return quoted + '"';
}

std::string human_bytes(std::uint64_t bytes) {
  constexpr const char* units[] = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  double amount = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; amount >= 1024 && unit + 1 < std::size(units); ++unit) amount /= 1024;
  return fmt::format("{:.1f} {}", amount, units[unit]);
}

}  // namespace lacuna::base
