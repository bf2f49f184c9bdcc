// PTX text as words, numbers and signs, each with its place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna::sim {

struct Token {
  enum class Kind : std::uint8_t { word, number, text, sign, end };
  Kind kind = Kind::end;
  std::string_view text;
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  bool is(std::string_view what) const { return text == what && kind != Kind::text; }
};

/// A word holds its dots: "add.rn.f32", "%tid.x", ".reg". The last token is of kind end. Throws InputError.
std::vector<Token> tokenise(std::string_view text, std::string_view name);

/// A literal by its value: bits of an integer, or a float.
struct Number {
  bool is_float = false;
  std::uint64_t bits = 0;   ///< of an integer; of the float as f64
  unsigned float_bytes = 0; ///< 4 for 0f..., 8 for 0d... and decimal fractions
  std::uint32_t single = 0; ///< the float as f32
};

/// False where the text is none.
bool parse_number(std::string_view text, Number& number);

}  // namespace lacuna::sim
