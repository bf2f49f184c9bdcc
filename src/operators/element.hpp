// The C++ type of each ElementType, with 16-bit floats as small structs that turn into float, and choosing a loop by type.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include <lacuna/element_type.hpp>
#include <lacuna/error.hpp>

namespace lacuna::operators {

/// IEEE half precision.
struct Float16 {
  std::uint16_t bits = 0;

  Float16() = default;
  explicit Float16(float value) : bits(round(value)) {}
  explicit Float16(double value) : Float16(static_cast<float>(value)) {}
  operator float() const {
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
    const std::uint32_t exponent = (bits >> 10) & 31u;
    const std::uint32_t fraction = bits & 0x3ffu;
    if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
    if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }

 private:
  /// To the nearest, ties to even.
  static std::uint16_t round(float value) {
    const std::uint32_t word = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = (word >> 16) & 0x8000u;
    const std::uint32_t magnitude = word & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00u);
    if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);  // rounds beyond 65504
    if (magnitude < 0x38800000u) {                                                    // below 2^-14: steps of 2^-24
      const float scaled = std::bit_cast<float>(magnitude) * 0x1p24f;
      return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(std::nearbyint(scaled)));
    }
    const std::uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
    return static_cast<std::uint16_t>(sign | (rounded - 0x38000000u) >> 13);
  }
};

/// The upper half of a float.
struct BFloat16 {
  std::uint16_t bits = 0;

  BFloat16() = default;
  explicit BFloat16(float value) {
    const std::uint32_t word = std::bit_cast<std::uint32_t>(value);
    if ((word & 0x7fffffffu) > 0x7f800000u)
      bits = 0x7fc0u;
    else
      bits = static_cast<std::uint16_t>((word + 0x7fffu + ((word >> 16) & 1u)) >> 16);
  }
  explicit BFloat16(double value) : BFloat16(static_cast<float>(value)) {}
  operator float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }
};

template <typename T>
inline constexpr bool is_float16 = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;
template <typename T>
inline constexpr bool is_float = std::is_floating_point_v<T> || is_float16<T>;

/// What an element is computed in: 16-bit floats as float, everything else as it is.
template <typename T>
using Computed = std::conditional_t<is_float16<T>, float, T>;

/// What many elements are added up in. Integers wrap around without being undefined.
template <typename T>
using Summed = std::conditional_t<is_float<T>, double, std::uint64_t>;

template <typename T>
struct Tag {
  using type = T;
};

/// A set of element types.
enum class Types : std::uint32_t {};
template <typename... Type>
constexpr Types types_of(Type... type) {
  return static_cast<Types>(((1u << static_cast<unsigned>(type)) | ...));
}
constexpr Types operator|(Types a, Types b) { return static_cast<Types>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b)); }
constexpr bool contains(Types types, ElementType type) { return (static_cast<std::uint32_t>(types) >> static_cast<unsigned>(type) & 1u) != 0; }

inline constexpr Types floats = types_of(ElementType::f32, ElementType::f64, ElementType::f16, ElementType::bf16);
inline constexpr Types integers = types_of(ElementType::i8, ElementType::u8, ElementType::i16, ElementType::u16, ElementType::i32, ElementType::u32,
                                           ElementType::i64, ElementType::u64);
inline constexpr Types booleans = types_of(ElementType::boolean);
inline constexpr Types numbers = floats | integers;
inline constexpr Types all_types = numbers | booleans;

namespace detail {
template <ElementType type>
auto tag_of() {
  if constexpr (type == ElementType::f32) return Tag<float>{};
  if constexpr (type == ElementType::f64) return Tag<double>{};
  if constexpr (type == ElementType::f16) return Tag<Float16>{};
  if constexpr (type == ElementType::bf16) return Tag<BFloat16>{};
  if constexpr (type == ElementType::i8) return Tag<std::int8_t>{};
  if constexpr (type == ElementType::u8 || type == ElementType::boolean) return Tag<std::uint8_t>{};
  if constexpr (type == ElementType::i16) return Tag<std::int16_t>{};
  if constexpr (type == ElementType::u16) return Tag<std::uint16_t>{};
  if constexpr (type == ElementType::i32) return Tag<std::int32_t>{};
  if constexpr (type == ElementType::u32) return Tag<std::uint32_t>{};
  if constexpr (type == ElementType::i64) return Tag<std::int64_t>{};
  if constexpr (type == ElementType::u64) return Tag<std::uint64_t>{};
}
}  // namespace detail

/// Calls f with the Tag of a type of `allowed`; inference has refused the others. A bool is read as a byte.
template <Types allowed, unsigned candidate = 0, typename F>
decltype(auto) with_type(ElementType type, F&& f) {
  constexpr auto this_type = static_cast<ElementType>(candidate);
  constexpr bool is_last = static_cast<std::uint32_t>(allowed) >> (candidate + 1) == 0;
  if constexpr (!contains(allowed, this_type)) {
    return with_type<allowed, candidate + 1>(type, std::forward<F>(f));
  } else if constexpr (is_last) {
    if (type != this_type) throw InternalError("an operator met elements of type " + std::string(name_of(type)) + ", which inference refuses");
    return f(detail::tag_of<this_type>());
  } else {
    return type == this_type ? f(detail::tag_of<this_type>()) : with_type<allowed, candidate + 1>(type, std::forward<F>(f));
  }
}

/// The nearest element of type T below `value` in magnitude; values out of range become the bound, not-a-number 0.
template <typename T>
T saturated(double value) {
  if constexpr (is_float<T>) {
    return static_cast<T>(value);
  } else {
    if (std::isnan(value)) return 0;
    if (value <= static_cast<double>(std::numeric_limits<T>::lowest())) return std::numeric_limits<T>::lowest();
    if (value >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
    return static_cast<T>(value);
  }
}

/// Calls f with the Tag of an unsigned integer of `bytes` bytes: for operators that only move elements.
template <typename F>
void with_width(std::size_t bytes, F&& f) {
  switch (bytes) {
    case 1: return f(Tag<std::uint8_t>{});
    case 2: return f(Tag<std::uint16_t>{});
    case 4: return f(Tag<std::uint32_t>{});
    default: return f(Tag<std::uint64_t>{});
  }
}

}  // namespace lacuna::operators
