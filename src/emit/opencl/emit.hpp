// Thread programs -> OpenCL C 1.2. One work-item is a thread, one work-group a block: kernels are enqueued over (blocks_x * block_threads, blocks_y)
// work-items in groups of (block_threads, 1), which they require themselves.
//
// For whoever builds it: a kernel has the program's name and its arguments in the program's order, a buffer for an address. Shared memory is
// declared by the kernel. Only what the program says is fused (FP_CONTRACT OFF); divide and square_root are correctly rounded only with the build
// option -cl-fp32-correctly-rounded-divide-sqrt, where the device has it.
#pragma once

#include <span>
#include <string>

#include "kernel/thread_program.hpp"

namespace lacuna::emit::opencl {

/// One source text with all kernels. Throws InternalError where two have one name, or one does not pass verify().
std::string emit(std::span<const kernel::ThreadProgram> programs);

}  // namespace lacuna::emit::opencl
