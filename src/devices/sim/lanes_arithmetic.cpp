// Handlers of arithmetic and logic, one set for each instruction set of this machine: through Highway's foreach_target this file is included again for every
// one. The loops are plain C++; Highway chooses what they are compiled for, and at run time which is taken.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3 | HWY_AVX3_DL)  // AVX2 or nothing: more takes minutes to compile and gains little
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/sim/lanes_arithmetic.cpp"
#include <hwy/foreach_target.h>  // must come first
#include <hwy/highway.h>

#include "devices/sim/lanes_float-inl.hpp"
#include "devices/sim/lanes_integer-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace lacuna::sim::HWY_NAMESPACE {

void arithmetic(LaneTable& table) {
  add_float_operations(table.operations);
  add_integer_arithmetic(table.operations);
  add_integer_logic(table.operations);
}

}  // namespace lacuna::sim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lacuna::sim {

HWY_EXPORT(arithmetic);
void add_arithmetic(LaneTable& table) { HWY_DYNAMIC_DISPATCH(arithmetic)(table); }

}  // namespace lacuna::sim
#endif
