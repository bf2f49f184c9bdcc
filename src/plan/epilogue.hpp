// An activation as the kernels take it: bounds where clipping does it, otherwise a function of its own.
#pragma once

#include <lacuna/network.hpp>

#include "devices/cpu/kernels.hpp"

namespace lacuna::plan {

void set_epilogue(cpu::Table& table, const Activation& activation);

}  // namespace lacuna::plan
