// Handlers of conversions, comparisons and exchanges between lanes; as lanes_arithmetic.cpp.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3 | HWY_AVX3_DL)  // AVX2 or nothing: more takes minutes to compile and gains little
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/sim/lanes_convert.cpp"
#include <hwy/foreach_target.h>  // must come first
#include <hwy/highway.h>

#include "devices/sim/lanes_compare-inl.hpp"
#include "devices/sim/lanes_convert-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace lacuna::sim::HWY_NAMESPACE {

void conversions(LaneTable& table) {
  add_conversion_operations(table.operations);
  add_comparisons(table.operations);
  add_exchanges(table.operations);
}

}  // namespace lacuna::sim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lacuna::sim {

HWY_EXPORT(conversions);
void add_conversions(LaneTable& table) { HWY_DYNAMIC_DISPATCH(conversions)(table); }

}  // namespace lacuna::sim
#endif
