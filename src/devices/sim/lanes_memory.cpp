// Handlers of memory and the loop that runs a warp; as lanes_arithmetic.cpp.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3 | HWY_AVX3_DL)  // AVX2 or nothing: more takes minutes to compile and gains little
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/sim/lanes_memory.cpp"
#include <hwy/foreach_target.h>  // must come first
#include <hwy/highway.h>

#include "devices/sim/lanes_atomic-inl.hpp"
#include "devices/sim/lanes_memory-inl.hpp"
#include "devices/sim/lanes_run-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace lacuna::sim::HWY_NAMESPACE {

void memory(LaneTable& table) {
  add_atomics(table.operations);
  add_memory_handlers<std::uint8_t>(table, 0);
  add_memory_handlers<std::uint16_t>(table, 1);
  add_memory_handlers<std::uint32_t>(table, 2);
  add_memory_handlers<std::uint64_t>(table, 3);
  table.run = run_warp;
}

}  // namespace lacuna::sim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lacuna::sim {

HWY_EXPORT(memory);
void add_memory(LaneTable& table) { HWY_DYNAMIC_DISPATCH(memory)(table); }

}  // namespace lacuna::sim
#endif
