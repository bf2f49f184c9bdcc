#include "plan/gpus/kernel_text.hpp"

#include "emit/opencl/emit.hpp"
#include "emit/ptx/emit.hpp"

namespace lacuna::plan::gpus {

std::string kernel_text(std::span<const kernel::ThreadProgram> programs, gpu::Language language) {
  return language == gpu::Language::ptx ? emit::ptx::emit(programs) : emit::opencl::emit(programs);
}

std::vector<gpu::KernelPointer> load_kernels(std::span<const kernel::ThreadProgram> programs, gpu::Device& device) {
  std::vector<gpu::KernelInfo> infos;
  for (const kernel::ThreadProgram& program : programs) infos.push_back({program.name, program.block_threads, program.shared_bytes});
  return device.load(kernel_text(programs, device.language()), infos);
}

}  // namespace lacuna::plan::gpus
