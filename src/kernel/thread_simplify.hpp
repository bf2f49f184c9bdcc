// Thread programs with less to do, the same answer. Emitters call it; what a template wrote stays as it is for print().
#pragma once

#include "kernel/thread_program.hpp"

namespace lacuna::kernel {

/// Where a register is made only to be copied by the next statement, it is made in place: set(sum, maximum(sum, 0)) takes one operation, not two.
/// Needs: verify(program) passed.
ThreadProgram drop_copies(ThreadProgram program);

}  // namespace lacuna::kernel
