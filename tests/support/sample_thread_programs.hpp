// Small thread programs that look like what templates make, for golden texts and the ptxas gate.
#pragma once

#include <vector>

#include "kernel/thread_program.hpp"

namespace lacuna::tests {

/// y = x * factor + y, where i < n.
kernel::ThreadProgram scale_program();

/// Rows of a sparse matrix times inputs staged in shared memory; positions are 16-bit, sums are clipped.
kernel::ThreadProgram staged_rows_program();

/// Counts values of a narrow array into bins of shared memory, more than 48 KiB of them, and adds those to global memory.
kernel::ThreadProgram bins_program();

std::vector<kernel::ThreadProgram> sample_thread_programs();

}  // namespace lacuna::tests
