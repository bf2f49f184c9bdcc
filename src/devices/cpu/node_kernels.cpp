// The node kernels, one for each instruction set: through Highway's foreach_target this file is included again for every one.
#define HWY_DISABLED_TARGETS HWY_SSSE3  // nobody can choose it
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "devices/cpu/node_kernels.cpp"
#include <hwy/foreach_target.h>  // must come first
#include <hwy/highway.h>

#include "devices/cpu/node_kernel-inl.hpp"
#include "devices/cpu/node_kernels.hpp"
#include "devices/cpu/node_transpose-inl.hpp"

#if HWY_ONCE

#include <string>

#include <lacuna/error.hpp>

namespace lacuna::cpu {

NodeKernel node_kernel_for(Isa isa) {
  switch (isa) {
#if HWY_TARGETS & HWY_AVX3
    case Isa::avx512: return {N_AVX3::run_nodes, N_AVX3::rows_to_planes, N_AVX3::planes_to_rows, 16};
#endif
#if HWY_TARGETS & HWY_AVX2
    case Isa::avx2: return {N_AVX2::run_nodes, N_AVX2::rows_to_planes, N_AVX2::planes_to_rows, 8};
#endif
#if HWY_TARGETS & HWY_SSE4
    case Isa::sse4: return {N_SSE4::run_nodes, N_SSE4::rows_to_planes, N_SSE4::planes_to_rows, 4};
#endif
#if HWY_TARGETS & HWY_SCALAR
    case Isa::scalar: return {N_SCALAR::run_nodes, N_SCALAR::rows_to_planes, N_SCALAR::planes_to_rows, 1};
#endif
    default: throw InternalError("no node kernel was compiled for " + std::string(name(isa)));
  }
}

}  // namespace lacuna::cpu

#endif
