// Names, shapes, attributes and elements of constants in the text form, both ways.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <lacuna/network.hpp>

#include "network/words.hpp"

namespace lacuna::network {

/// The name as it is, or between double quotes where the parser would take it for something else.
std::string name_text(std::string_view name);
std::string quoted_text(std::string_view text);

/// "1x3x8x8", or "scalar" for a shape without axes.
std::string shape_text(const Shape& shape);

/// Elements between blanks: numbers that read back as the same bits. 16-bit floats as 0x and their bits, not-a-number as nan and its bits.
std::string elements_text(ElementType type, std::span<const std::byte> bytes);
template <typename T>
std::string elements_text(std::span<const T> elements) {
  return elements_text(element_type_of<T>, std::as_bytes(elements));
}

/// Reads up to and with the closing bracket.
std::vector<std::byte> take_elements(Words& words, ElementType type);
std::vector<float> take_floats(Words& words);

/// 1, 0.5, "text", [1 2] or [0.5 1.0]; a number has a point or an exponent, [.] is a list without numbers.
std::string attribute_text(const Attribute& attribute);
Attribute take_attribute(Words& words);

}  // namespace lacuna::network
