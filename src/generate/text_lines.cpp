#include "generate/text_lines.hpp"

#include <array>
#include <cmath>

namespace lacuna::generate {

std::string shortest_text(float value) {
  std::array<char, 32> text;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

std::string weight_text(float weight) {
  std::array<char, 32> text;
  const auto print = [&](auto... precision) {
    return std::string(
        text.data(),
        std::to_chars(text.data(), text.data() + text.size(), weight, std::chars_format::scientific, precision...).ptr);
  };
  // Seven digits read back as the same float exactly when no more than seven are needed: "-d.dddddde".
  const std::size_t exponent_at = print().find('e');
  const std::size_t longest = std::signbit(weight) ? 9 : 8;
  return exponent_at <= longest ? print(6) : shortest_text(weight);
}

}  // namespace lacuna::generate
