// ElementType: what one element of a tensor is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lacuna {

enum class ElementType : std::uint8_t { f32, f64, f16, bf16, i8, u8, i16, u16, i32, u32, i64, u64, boolean };

/// Bytes of one element.
constexpr std::size_t size_of(ElementType type) {
  switch (type) {
    case ElementType::f64:
    case ElementType::i64:
    case ElementType::u64: return 8;
    case ElementType::f32:
    case ElementType::i32:
    case ElementType::u32: return 4;
    case ElementType::f16:
    case ElementType::bf16:
    case ElementType::i16:
    case ElementType::u16: return 2;
    default: return 1;
  }
}

constexpr std::string_view name_of(ElementType type) {
  switch (type) {
    case ElementType::f32: return "f32";
    case ElementType::f64: return "f64";
    case ElementType::f16: return "f16";
    case ElementType::bf16: return "bf16";
    case ElementType::i8: return "i8";
    case ElementType::u8: return "u8";
    case ElementType::i16: return "i16";
    case ElementType::u16: return "u16";
    case ElementType::i32: return "i32";
    case ElementType::u32: return "u32";
    case ElementType::i64: return "i64";
    case ElementType::u64: return "u64";
    case ElementType::boolean: return "bool";
  }
  return "?";
}

/// The ElementType of a C++ type; f16 and bf16 have none.
template <typename T>
inline constexpr ElementType element_type_of = ElementType::f32;
template <>
inline constexpr ElementType element_type_of<double> = ElementType::f64;
template <>
inline constexpr ElementType element_type_of<std::int8_t> = ElementType::i8;
template <>
inline constexpr ElementType element_type_of<std::uint8_t> = ElementType::u8;
template <>
inline constexpr ElementType element_type_of<std::int16_t> = ElementType::i16;
template <>
inline constexpr ElementType element_type_of<std::uint16_t> = ElementType::u16;
template <>
inline constexpr ElementType element_type_of<std::int32_t> = ElementType::i32;
template <>
inline constexpr ElementType element_type_of<std::uint32_t> = ElementType::u32;
template <>
inline constexpr ElementType element_type_of<std::int64_t> = ElementType::i64;
template <>
inline constexpr ElementType element_type_of<std::uint64_t> = ElementType::u64;
template <>
inline constexpr ElementType element_type_of<bool> = ElementType::boolean;

}  // namespace lacuna
