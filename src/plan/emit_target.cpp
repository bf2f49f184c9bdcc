#include "plan/emit_target.hpp"

#include <fmt/format.h>

#include <lacuna/error.hpp>

namespace lacuna::plan {

emit::x86::Target target_of(cpu::Isa isa) {
  switch (isa) {
    case cpu::Isa::avx2: return emit::x86::Target::avx2;
    case cpu::Isa::avx512: return emit::x86::Target::avx512;
    default: throw InternalError(fmt::format("no baked code for {}", cpu::name(isa)));
  }
}

}  // namespace lacuna::plan
