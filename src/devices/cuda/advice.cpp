#include "devices/cuda/advice.hpp"

namespace lacuna::cuda {

const char* advice(Result result) {
  switch (result) {
    case Result::out_of_memory: return "run smaller batches, or end what else uses the GPU (nvidia-smi shows it)";
    case Result::no_device: return "no GPU is visible; see what nvidia-smi lists and whether CUDA_VISIBLE_DEVICES hides it";
    case Result::device_unavailable: return "another process has the GPU for itself; nvidia-smi shows it";
    case Result::stub_library: return "this libcuda is the toolkit's stub; install NVIDIA's driver";
    case Result::system_driver_mismatch: return "the driver's library and its kernel module differ; restart the machine after an update of the driver";
    case Result::system_not_ready: return "the driver's services do not run yet; see the system's log";
    case Result::operating_system:
    case Result::not_permitted: return "the system does not let this user at the GPU; see the permissions of /dev/nvidia*";
    case Result::jit_compiler_not_found: return "libnvidia-ptxjitcompiler.so.1 is missing; install all of NVIDIA's driver";
    case Result::unsupported_ptx_version:
    case Result::no_binary_for_gpu:
    case Result::invalid_image: return "the driver cannot compile this; install a newer one";
    case Result::invalid_ptx: return "generated code is wrong; please report it with the text that lacuna compile --emit=ptx prints";
    case Result::launch_out_of_resources: return "the kernel needs more registers or shared memory than a block may have; please report it";
    case Result::launch_timeout: return "the system stops kernels that keep a display waiting; run smaller batches, or on a GPU without a display";
    case Result::ecc_uncorrectable:
    case Result::nvlink_uncorrectable: return "the hardware failed; see nvidia-smi -q and the system's log";
    case Result::illegal_address:
    case Result::misaligned_address:
    case Result::illegal_instruction:
    case Result::invalid_address_space:
    case Result::invalid_pc:
    case Result::hardware_stack_error:
    case Result::assert_failed:
    case Result::launch_failed: return "a kernel failed and took the context with it; restart the program, and please report it";
    case Result::context_is_destroyed:
    case Result::deinitialized: return "somebody else in this process shut the GPU down";
    default: return "see the system's log (dmesg) for messages of the driver";
  }
}

}  // namespace lacuna::cuda
