// Thread programs -> PTX text that the user's driver compiles: version 6.0, for sm_70 and everything after it. No toolkit is involved.
//
// For whoever loads it:
//   - A kernel has the program's name; its parameters stand in the program's order, 8 bytes for an address, 4 for a u32 or f32.
//   - Shared memory: up to 48 KiB it is declared by the kernel itself, and launches ask for 0 bytes of dynamic shared memory. Above that the kernel
//     uses the module's `lacuna_shared`, and whoever launches it sets the attribute MAX_DYNAMIC_SHARED_SIZE_BYTES of the function to the program's
//     `shared_bytes` and asks for as many bytes with every launch.
//   - `// registers: at most N` before a kernel is the template's promise; `.maxnreg N` holds the compiler to it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "kernel/thread_program.hpp"

namespace lacuna::emit::ptx {

/// Shared memory of a block up to this size is declared by the kernel, more is asked for by the launch.
inline constexpr std::uint32_t most_static_shared_bytes = 48 * 1024;

/// One module with all kernels. Throws InternalError where two have one name, or one does not pass verify().
std::string emit(std::span<const kernel::ThreadProgram> programs);

}  // namespace lacuna::emit::ptx
