#include "engine/gpus/stored_values.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "kernel/thread_statements.hpp"
#include "operators/element.hpp"

namespace lacuna::engine::gpus {
namespace {

using kernel::Element;
using operators::BFloat16;
using operators::Float16;

template <typename Stored>
void narrow_to(std::span<const float> values, std::byte* bytes) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Stored value(values[k]);
    std::memcpy(bytes + k * sizeof value, &value, sizeof value);
  }
}

template <typename Stored>
void widen_from(const std::byte* bytes, std::span<float> values) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    Stored value;
    std::memcpy(&value, bytes + k * sizeof value, sizeof value);
    values[k] = static_cast<float>(value);
  }
}

}  // namespace

std::span<const std::byte> narrow(std::span<const float> values, Element stored, std::vector<std::byte>& bytes) {
  if (stored == Element::f32) return std::as_bytes(values);
  bytes.resize(values.size() * kernel::bytes_of(stored));
  if (stored == Element::f16)
    narrow_to<Float16>(values, bytes.data());
  else
    narrow_to<BFloat16>(values, bytes.data());
  return bytes;
}

void widen(std::span<const std::byte> bytes, Element stored, std::span<float> values) {
  if (stored == Element::f16)
    widen_from<Float16>(bytes.data(), values);
  else if (stored == Element::bf16)
    widen_from<BFloat16>(bytes.data(), values);
  else
    widen_from<float>(bytes.data(), values);
}

bool is_too_large(float value, Element stored) {
  if (stored == Element::f32 || !std::isfinite(value)) return false;
  return std::isinf(stored == Element::f16 ? static_cast<float>(Float16(value)) : static_cast<float>(BFloat16(value)));
}

std::string advice_on_overflow(Element stored) {
  return stored == Element::f16 ? "f16 holds at most 65504; take --precision bf16 or f32" : "bf16 holds at most 3.39e38; take --precision f32";
}

}  // namespace lacuna::engine::gpus
