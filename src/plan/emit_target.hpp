// Which code an instruction set runs.
#pragma once

#include "devices/cpu/isa.hpp"
#include "emit/x86/emit.hpp"

namespace lacuna::plan {

/// Throws InternalError where there is no emitter.
emit::x86::Target target_of(cpu::Isa isa);

}  // namespace lacuna::plan
