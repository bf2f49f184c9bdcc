// Numbers in lines of text, for the inner loops of the readers. Every function stops at a newline by itself, so the
// text must end with one; a failure is nullptr, and explain_line (edge_list.hpp) finds the words for it afterwards.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

namespace lacuna::frontends {

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }

inline const char* skip_blanks(const char* at) {
  while (is_blank(*at)) ++at;
  return at;
}

/// Past the end of the line if nothing but blanks (and a carriage return) is left of it.
inline const char* end_of_line(const char* at) {
  at = skip_blanks(at);
  if (*at == '\r') ++at;
  return *at == '\n' ? at + 1 : nullptr;
}

/// A whole number below 2^32.
inline const char* parse_index(const char* at, std::uint32_t& index) {
  unsigned digit = static_cast<unsigned char>(*at) - unsigned{'0'};
  if (digit > 9) return nullptr;
  std::uint64_t number = digit;
  for (++at; (digit = static_cast<unsigned char>(*at) - unsigned{'0'}) <= 9; ++at) {
    number = number * 10 + digit;
    if (number > std::numeric_limits<std::uint32_t>::max()) return nullptr;
  }
  index = static_cast<std::uint32_t>(number);
  return at;
}

/// A finite number; what is too small for 32 bits becomes zero or denormal, what is too large fails.
inline const char* parse_value(const char* at, const char* end, float& value) {
  if (*at == '+' && at[1] != '-') ++at;
  auto [stop, error] = std::from_chars(at, end, value);
  if (error == std::errc::result_out_of_range) {
    double wide = 0;
    if (std::from_chars(at, end, wide).ec != std::errc{} || std::abs(wide) >= 1) return nullptr;
    value = static_cast<float>(wide);
  } else if (error != std::errc{}) {
    return nullptr;
  }
  return std::isfinite(value) ? stop : nullptr;
}

}  // namespace lacuna::frontends
