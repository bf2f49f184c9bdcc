// Thread programs in the language of a device.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "devices/gpu/device.hpp"
#include "kernel/thread_program.hpp"

namespace lacuna::plan::gpus {

std::string kernel_text(std::span<const kernel::ThreadProgram> programs, gpu::Language language);

/// Compiles all of them on the device, as one module; in their order.
std::vector<gpu::KernelPointer> load_kernels(std::span<const kernel::ThreadProgram> programs, gpu::Device& device);

}  // namespace lacuna::plan::gpus
