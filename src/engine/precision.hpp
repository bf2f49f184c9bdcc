// Precision: what a network is computed in, where there is a choice.
#pragma once

#include <cstdint>
#include <string_view>

#include <lacuna/network.hpp>

namespace lacuna::engine {

/// f64: neuron graphs, bit for bit the plain loop in double. bf16: dense layers of networks of tensors, summed in f32. f16, bf16: layers on GPUs keep their values in
/// 16 bits between layers, summed in f32.
enum class Precision : std::uint8_t { f32, f64, f16, bf16 };

/// By these words. Throws InputError for any other.
Precision parse_precision(std::string_view word);

/// Throws Unsupported where this network, device or CPU has no such precision.
void check_precision(Precision precision, const Network& network, bool is_for_gpus, bool cpu_has_bf16);

/// How far an answer may be from the reference's, as a share of the largest value. Where values are quantised, the last bit of a sum decides between two steps.
double tolerance_of(Precision precision, const Network& network);

}  // namespace lacuna::engine
