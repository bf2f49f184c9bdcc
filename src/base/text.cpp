#include "base/text.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <iterator>

namespace lacuna::base {
namespace {

constexpr std::array units = {"KiB", "MiB", "GiB", "TiB"};

}  // namespace

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
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  double amount = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; amount >= 1024 && unit + 1 < units.size(); ++unit) amount /= 1024;
  return fmt::format("{:.1f} {}", amount, units[unit]);
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  double amount = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), amount);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.starts_with(' ')) text.remove_prefix(1);
  if (!text.empty()) {
    std::size_t unit = 0;
    while (unit < units.size() && text != units[unit]) ++unit;
    if (unit == units.size()) return std::nullopt;
    amount *= static_cast<double>(std::uint64_t{1024} << (10 * unit));
  }
  if (!(amount >= 1 && amount < 0x1p63)) return std::nullopt;
  return static_cast<std::uint64_t>(amount);
}

}  // namespace lacuna::base
