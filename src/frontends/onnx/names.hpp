// Names of values and nodes in messages: whole, because exporters give long ones that differ at their ends.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/text.hpp"

namespace lacuna::frontends::onnx {

/// In double quotes; a name that is absurdly long or does not print is shown as far as base::quote shows it.
inline std::string quote_name(std::string_view name) {
  constexpr std::size_t longest = 256;
  const bool prints = std::all_of(name.begin(), name.end(), [](char c) { return c >= ' ' && c <= '~' && c != '"'; });
  return prints && name.size() <= longest ? '"' + std::string(name) + '"' : base::quote(name);
}

/// A message that quotes texts of a file here and there, safe to show: what does not print becomes \\xNN.
inline std::string printable(std::string_view message) {
  std::string shown;
  for (const char c : message) {
    if (c >= ' ' && c <= '~')
      shown += c;
    else
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return shown;
}

}  // namespace lacuna::frontends::onnx
