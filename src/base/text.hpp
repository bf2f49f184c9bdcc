// Small things about text that every reader's messages need.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lacuna::base {

/// The text in double quotes, safe to show: bytes that do not print as \xNN, at most about 32 characters, then "...".
std::string quote(std::string_view text);

/// Bytes as a person reads them: "512 bytes", "3.1 MiB".
std::string human_bytes(std::uint64_t bytes);

/// The other way round: "4096", "64KiB", "1.5 GiB", with a unit of human_bytes or none. Nothing for any other text, and for 0.
std::optional<std::uint64_t> parse_bytes(std::string_view text);

}  // namespace lacuna::base
