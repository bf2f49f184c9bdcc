#include "network/element_text.hpp"

#include <bit>
#include <cstring>

namespace lacuna::network {
namespace {

/// f(an element of the C++ type that holds it): 16-bit floats as their bits, bool as a byte.
template <typename F>
auto with_element(ElementType type, F f) {
  switch (type) {
    case ElementType::f32: return f(float{});
    case ElementType::f64: return f(double{});
    case ElementType::i8: return f(std::int8_t{});
    case ElementType::i16: return f(std::int16_t{});
    case ElementType::f16:
    case ElementType::bf16:
    case ElementType::u16: return f(std::uint16_t{});
    case ElementType::i32: return f(std::int32_t{});
    case ElementType::u32: return f(std::uint32_t{});
    case ElementType::i64: return f(std::int64_t{});
    case ElementType::u64: return f(std::uint64_t{});
    default: return f(std::uint8_t{});
  }
}

bool has_bits(ElementType type) { return type == ElementType::f16 || type == ElementType::bf16; }

template <typename T>
using BitsOf = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <typename T>
void append(std::string& text, T element, bool as_bits) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(element))
      text += fmt::format("nan{:x}", std::bit_cast<BitsOf<T>>(element));
    else
      text += fmt::format("{}", element);
  } else {
    text += as_bits ? fmt::format("{:#06x}", element) : fmt::format("{}", element);
  }
}

/// The whole word as a number.
template <typename T>
bool read(std::string_view word, T& element, int base = 10) {
  std::from_chars_result result{};
  if constexpr (std::is_floating_point_v<T>)
    result = std::from_chars(word.data(), word.data() + word.size(), element);
  else
    result = std::from_chars(word.data(), word.data() + word.size(), element, base);
  return result.ec == std::errc{} && result.ptr == word.data() + word.size();
}

template <typename T>
bool read_element(std::string_view word, T& element, bool as_bits) {
  if constexpr (std::is_floating_point_v<T>) {
    BitsOf<T> bits{};
    if (word.starts_with("nan") && word.size() > 3) {
      if (!read(word.substr(3), bits, 16)) return false;
      element = std::bit_cast<T>(bits);
      return std::isnan(element);
    }
    return read(word, element);
  } else {
    if (as_bits) return word.starts_with("0x") && read(word.substr(2), element, 16);
    return read(word, element);
  }
}

std::string number_text(float number) {
  std::string text;
  append(text, number, false);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;  // n: nan and inf
}

}  // namespace

std::string quoted_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      quoted += {'\\', c};
    else if (static_cast<unsigned char>(c) < 32 || c == 127)
      quoted += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      quoted += c;
  }
  return quoted + "\"";
}

std::string name_text(std::string_view name) {
  bool plain = !name.empty() && name != "-" && name != "input" && name != "output";
  for (const char c : name) plain = plain && static_cast<unsigned char>(c) > 32 && c != 127 && std::string_view("={}[](),:*#\"").find(c) == std::string_view::npos;
  return plain ? std::string(name) : quoted_text(name);
}

std::string shape_text(const Shape& shape) { return shape.extents.empty() ? "scalar" : to_string(shape); }

std::string elements_text(ElementType type, std::span<const std::byte> bytes) {
  std::string text;
  with_element(type, [&](auto element) {
    for (std::size_t at = 0; at + sizeof(element) <= bytes.size(); at += sizeof(element)) {
      std::memcpy(&element, bytes.data() + at, sizeof(element));
      if (at != 0) text += ' ';
      append(text, element, has_bits(type));
    }
  });
  return text;
}

std::vector<std::byte> take_elements(Words& words, ElementType type) {
  std::vector<std::byte> bytes;
  with_element(type, [&](auto element) {
    while (!words.take_if("]")) {
      if (!read_element(words.peek(), element, has_bits(type))) words.fail(fmt::format("expected an element of {}, found {}", name_of(type), words.described()));
      words.take();
      const auto* const first = reinterpret_cast<const std::byte*>(&element);
      bytes.insert(bytes.end(), first, first + sizeof(element));
    }
  });
  return bytes;
}

std::vector<float> take_floats(Words& words) {
  const std::vector<std::byte> bytes = take_elements(words, ElementType::f32);
  std::vector<float> values(bytes.size() / sizeof(float));
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

std::string attribute_text(const Attribute& attribute) {
  if (const auto* const integer = std::get_if<std::int64_t>(&attribute)) return fmt::format("{}", *integer);
  if (const auto* const number = std::get_if<float>(&attribute)) return number_text(*number);
  if (const auto* const text = std::get_if<std::string>(&attribute)) return quoted_text(*text);
  if (const auto* const list = std::get_if<std::vector<std::int64_t>>(&attribute)) return fmt::format("[{}]", fmt::join(*list, " "));
  std::string text;
  for (const float number : std::get<std::vector<float>>(attribute)) text += (text.empty() ? "" : " ") + number_text(number);
  return "[" + (text.empty() ? "." : text) + "]";
}

Attribute take_attribute(Words& words) {
  const auto expected = [&](std::string_view what) { words.fail(fmt::format("expected {}, found {}", what, words.described())); };
  if (words.is_quoted()) return words.take_name("a text");
  std::int64_t integer = 0;
  float number = 0;
  if (!words.take_if("[")) {
    if (read(words.peek(), integer)) {
      words.take();
      return integer;
    }
    if (!read_element(words.peek(), number, false)) expected("a number, a text in quotes or a list");
    words.take();
    return number;
  }
  std::vector<std::int64_t> integers;
  while (read(words.peek(), integer)) {
    integers.push_back(integer);
    words.take();
  }
  if (words.take_if("]")) return integers;
  if (!integers.empty()) expected("an integer");
  words.take_if(".");
  return take_floats(words);
}

}  // namespace lacuna::network
