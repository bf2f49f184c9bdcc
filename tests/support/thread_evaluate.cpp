// The meaning of operations and elements, for the interpreter of thread programs.
#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "support/thread_interpreter.hpp"

namespace lacuna::tests {
namespace {

using kernel::Arithmetic;
using kernel::Element;
using kernel::Type;

float as_float(std::uint32_t bits) { return std::bit_cast<float>(bits); }
std::uint32_t as_bits(float value) { return std::bit_cast<std::uint32_t>(value); }

std::uint32_t evaluate_float(Arithmetic operation, float a, float b, float c) {
  switch (operation) {
    case Arithmetic::copy: return as_bits(a);
    case Arithmetic::add: return as_bits(a + b);
    case Arithmetic::subtract: return as_bits(a - b);
    case Arithmetic::multiply: return as_bits(a * b);
    case Arithmetic::multiply_add: return as_bits(std::fma(a, b, c));
    case Arithmetic::divide: return as_bits(a / b);
    case Arithmetic::minimum: return as_bits(std::fmin(a, b));
    case Arithmetic::maximum: return as_bits(std::fmax(a, b));
    case Arithmetic::negate: return as_bits(-a);
    case Arithmetic::absolute: return as_bits(std::fabs(a));
    case Arithmetic::floor: return as_bits(std::floor(a));
    case Arithmetic::square_root: return as_bits(std::sqrt(a));
    case Arithmetic::exp2: return as_bits(std::exp2(a));
    case Arithmetic::log2: return as_bits(std::log2(a));
    case Arithmetic::sine: return as_bits(std::sin(a));
    case Arithmetic::cosine: return as_bits(std::cos(a));
    case Arithmetic::to_integer: return !(a > 0) ? 0u : a >= 0x1p32f ? 0xFFFFFFFFu : static_cast<std::uint32_t>(a);
    case Arithmetic::as_integer: return as_bits(a);
    default: throw std::runtime_error("not an operation on f32");
  }
}

std::uint32_t evaluate_integer(Arithmetic operation, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  switch (operation) {
    case Arithmetic::copy: return a;
    case Arithmetic::add: return a + b;
    case Arithmetic::subtract: return a - b;
    case Arithmetic::multiply: return a * b;
    case Arithmetic::multiply_add: return a * b + c;
    case Arithmetic::divide:
    case Arithmetic::remainder:
      if (b == 0) throw std::runtime_error("a division by 0");
      return operation == Arithmetic::divide ? a / b : a % b;
    case Arithmetic::minimum: return std::min(a, b);
    case Arithmetic::maximum: return std::max(a, b);
    case Arithmetic::bit_and: return a & b;
    case Arithmetic::bit_or: return a | b;
    case Arithmetic::bit_xor: return a ^ b;
    case Arithmetic::bit_not: return ~a;
    case Arithmetic::shift_left:
    case Arithmetic::shift_right:
      if (b >= 32) throw std::runtime_error("a shift by more than 31");
      return operation == Arithmetic::shift_left ? a << b : a >> b;
    case Arithmetic::population: return static_cast<std::uint32_t>(std::popcount(a));
    case Arithmetic::to_float: return as_bits(static_cast<float>(a));
    case Arithmetic::as_float: return a;
    default: throw std::runtime_error("not an operation on u32");
  }
}

float from_half(std::uint32_t bits) {
  const auto fraction = static_cast<float>(bits & 0x3FFu);
  const int exponent = static_cast<int>(bits >> 10 & 0x1F);
  const float magnitude = exponent == 31 ? (fraction == 0 ? INFINITY : NAN) : exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
  return (bits & 0x8000u) != 0 ? -magnitude : magnitude;
}

std::uint32_t to_half(float value) {
  const std::uint32_t sign = std::signbit(value) ? 0x8000u : 0u;
  if (std::isnan(value)) return 0x7FFFu;
  const double magnitude = std::fabs(static_cast<double>(value));
  const int exponent = magnitude == 0 ? -14 : std::max(std::ilogb(magnitude), -14);
  if (exponent > 15) return sign | 0x7C00u;
  const auto quanta = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));  // 2048 carries into the exponent by itself
  return sign | (static_cast<std::uint32_t>(exponent + 14) * 1024 + quanta);
}

std::uint32_t to_bfloat(float value) {
  if (std::isnan(value)) return 0x7FFFu;
  const std::uint32_t bits = as_bits(value), below = bits & 0xFFFFu, above = bits >> 16;
  return above + (below > 0x8000u || (below == 0x8000u && above % 2 == 1) ? 1 : 0);
}

}  // namespace

std::uint32_t evaluate(Arithmetic operation, Type type, const std::vector<std::uint32_t>& sources) {
  const auto source = [&](std::size_t i) { return i < sources.size() ? sources[i] : 0u; };
  if (operation == Arithmetic::select) return source(0) != 0 ? source(1) : source(2);
  if (type == Type::f32) return evaluate_float(operation, as_float(source(0)), as_float(source(1)), as_float(source(2)));
  const std::uint32_t value = evaluate_integer(operation, source(0), source(1), source(2));
  return type == Type::flag ? value & 1u : value;
}

std::uint32_t widen(Element element, std::uint32_t bits) {
  switch (element) {
    case Element::f16: return as_bits(from_half(bits));
    case Element::bf16: return bits << 16;
    default: return bits;
  }
}

std::uint32_t narrow(Element element, std::uint32_t bits) {
  switch (element) {
    case Element::u8: return bits & 0xFFu;
    case Element::u16: return bits & 0xFFFFu;
    case Element::f16: return to_half(as_float(bits));
    case Element::bf16: return to_bfloat(as_float(bits));
    default: return bits;
  }
}

}  // namespace lacuna::tests
