// Values as they are kept on a GPU: f32, or f16 or bf16, rounded to nearest on the way there.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "kernel/thread_program.hpp"

namespace lacuna::engine::gpus {

/// Bytes of the values, side by side. `bytes` lends its memory where they have to be changed.
std::span<const std::byte> narrow(std::span<const float> values, kernel::Element stored, std::vector<std::byte>& bytes);

/// The way back.
void widen(std::span<const std::byte> bytes, kernel::Element stored, std::span<float> values);

/// Whether a value would become infinite. Infinite ones do not count: they stay what they are.
bool is_too_large(float value, kernel::Element stored);

/// "f16 holds at most 65504; take --precision bf16 or f32".
std::string advice_on_overflow(kernel::Element stored);

}  // namespace lacuna::engine::gpus
