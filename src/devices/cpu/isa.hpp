// Which instruction set the kernels use: the best this CPU has, or the one LACUNA_ISA names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lacuna::cpu {

/// In ascending order of preference.
enum class Isa { scalar, sse4, avx2, avx512 };

std::string_view name(Isa isa);

/// What this CPU and this build can run, best last. Never empty.
std::vector<Isa> available_isas();

/// The instruction set to use. `wish` empty: LACUNA_ISA, and if that is empty too, the best.
/// Throws InputError for a name nobody knows, Unsupported for one that this CPU or this build lacks.
Isa choose_isa(std::string_view wish = {});

}  // namespace lacuna::cpu
