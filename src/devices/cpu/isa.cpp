#include "devices/cpu/isa.hpp"

#include <fmt/format.h>
#include <hwy/targets.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include <lacuna/error.hpp>

namespace lacuna::cpu {
namespace {

struct IsaEntry {
  Isa isa;
  std::string_view name;
  std::int64_t target;  ///< Highway's bit
};

constexpr std::array<IsaEntry, 4> isa_list{{
#if HWY_ARCH_X86
    {Isa::scalar, "scalar", HWY_SCALAR},
    {Isa::sse4, "sse4", HWY_SSE4},
    {Isa::avx2, "avx2", HWY_AVX2},
    {Isa::avx512, "avx512", HWY_AVX3},
#else
    {Isa::scalar, "scalar", HWY_SCALAR},
    {Isa::sse4, "sse4", 0},
    {Isa::avx2, "avx2", 0},
    {Isa::avx512, "avx512", 0},
#endif
}};

bool cpu_has(const IsaEntry& entry) { return entry.isa == Isa::scalar || (hwy::SupportedTargets() & entry.target) != 0; }

std::string names(const std::vector<Isa>& isas) {
  std::vector<std::string_view> list;
  for (Isa isa : isas) list.push_back(name(isa));
  return fmt::format("{}", fmt::join(list, ", "));
}

}  // namespace

std::string_view name(Isa isa) { return isa_list[static_cast<std::size_t>(isa)].name; }

std::vector<Isa> available_isas() {
  std::vector<Isa> isas;
  for (const IsaEntry& entry : isa_list)
    if (cpu_has(entry)) isas.push_back(entry.isa);
  return isas;
}

Isa choose_isa(std::string_view wish) {
  std::string_view origin = "the instruction set asked for";
  if (wish.empty()) {
    const char* variable = std::getenv("LACUNA_ISA");
    if (variable == nullptr || *variable == '\0') return available_isas().back();
    wish = variable;
    origin = "LACUNA_ISA";
  }
  const auto entry = std::find_if(isa_list.begin(), isa_list.end(), [&](const IsaEntry& e) { return e.name == wish; });
  if (entry == isa_list.end())
    throw InputError(fmt::format("{} is \"{}\"; give sse4, avx2, avx512 or scalar, or leave it empty for the best", origin, wish));
  if (!cpu_has(*entry))
    throw Unsupported(fmt::format("{} is {}, which this CPU does not have; it has {}", origin, wish, names(available_isas())));
  return entry->isa;
}

}  // namespace lacuna::cpu
