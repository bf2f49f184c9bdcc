// The kernel sets, one for each instruction set: through Highway's foreach_target this file is included again for every one.
#define HWY_DISABLED_TARGETS HWY_SSSE3  // nobody can choose it
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/cpu/kernels.cpp"
#include <hwy/foreach_target.h>  // must come first
#include <hwy/highway.h>

#include "devices/cpu/bit_kernels-inl.hpp"
#include "devices/cpu/conv_kernel-inl.hpp"
#include "devices/cpu/depthwise_kernel-inl.hpp"
#include "devices/cpu/gather_kernel-inl.hpp"
#include "devices/cpu/kernels.hpp"
#include "devices/cpu/plane_kernels-inl.hpp"
#include "devices/cpu/pool_kernel-inl.hpp"
#include "devices/cpu/table_kernel-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace lacuna::cpu::HWY_NAMESPACE {

const Kernels& kernels(Isa isa) {
  static const Kernels set{isa, static_cast<unsigned>(hn::Lanes(Floats())), run_table,      mark_alive, hash_lanes,
                           clear_unequal, pack_lanes, interleave_slices, transpose_bits, count_bits, counts_to_planes, multiply_adds,
                           run_conv_table, run_activation, run_gather, run_depthwise, part_rows, combine_lines, pool_lines};
  return set;
}

}  // namespace lacuna::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include <lacuna/error.hpp>

namespace lacuna::cpu {

const Kernels& kernels_for(Isa isa) {
  switch (isa) {
#if HWY_TARGETS & HWY_AVX3
    case Isa::avx512: return N_AVX3::kernels(isa);
#endif
#if HWY_TARGETS & HWY_AVX2
    case Isa::avx2: return N_AVX2::kernels(isa);
#endif
#if HWY_TARGETS & HWY_SSE4
    case Isa::sse4: return N_SSE4::kernels(isa);
#endif
#if HWY_TARGETS & HWY_SCALAR
    case Isa::scalar: return N_SCALAR::kernels(isa);
#endif
    default: throw InternalError("no kernels were compiled for " + std::string(name(isa)));
  }
}

}  // namespace lacuna::cpu

#endif
