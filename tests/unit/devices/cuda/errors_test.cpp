// What the cuda device says when the driver fails: every call, one after the other, then the messages word by word. All of it on the simulated driver.
#include <algorithm>
#include <cstring>

#include "devices/gpu/open.hpp"
#include "support/simulated_driver.hpp"
#include "support/test_kernels.hpp"

namespace lacuna {
namespace {

using cuda::Result;
using tests::buffer_of;
using tests::message_of;
using tests::read_all;

const std::string a100 = "sim:a100 (NVIDIA A100-SXM4-40GB (simulated))";

/// Everything a device can do, once.
void use_everything() {
  const gpu::DevicePointer device = gpu::open_devices("sim:a100").at(0);
  const gpu::BufferPointer in = buffer_of(*device, std::vector<float>(64, 2)), out = device->allocate(256);
  device->fill_zero(out, 0, 256);
  const unsigned much = 100 << 10;
  const std::vector<gpu::KernelPointer> kernels = device->load(tests::scale_and_add_text, std::span(&tests::scale_and_add, 1));
  const gpu::KernelInfo large = tests::reverse_block(much);
  const std::vector<gpu::KernelPointer> reverse = device->load(tests::reverse_block_text(much), std::span(&large, 1));
  const std::unique_ptr<gpu::Recording> recording = device->record([&] { device->launch({kernels[0], 1, 1, {in, out, 64u, 1.0f, 0u}}); });
  device->start_clock();
  recording->run();
  device->launch({reverse[0], 1, 1, {out}});
  device->copy(out, 0, in, 0, 256);
  device->stop_clock();
  device->finish();
  EXPECT_EQ(read_all<float>(*device, in), std::vector<float>(64, 2));
}

class CudaErrors : public tests::SimulatedDriver {};
class CudaErrorsOf : public CudaErrors, public ::testing::WithParamInterface<const char*> {};

// Not those that only give something back: whatever they say, there is nothing to tell.
INSTANTIATE_TEST_SUITE_P(Calls, CudaErrorsOf,
                         ::testing::Values("cuDeviceGet", "cuDeviceGetName", "cuDeviceGetAttribute", "cuDevicePrimaryCtxRetain", "cuCtxPushCurrent_v2", "cuMemGetInfo_v2",
                                           "cuMemAlloc_v2", "cuMemHostAlloc", "cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2", "cuMemcpyDtoDAsync_v2", "cuMemsetD32Async",
                                           "cuStreamCreate", "cuStreamWaitEvent", "cuStreamSynchronize", "cuEventCreate", "cuEventRecord", "cuEventSynchronize", "cuEventElapsedTime",
                                           "cuModuleLoadDataEx", "cuModuleGetFunction", "cuFuncSetAttribute", "cuLaunchKernel", "cuStreamBeginCapture_v2",
                                           "cuStreamEndCapture", "cuGraphInstantiateWithFlags", "cuGraphLaunch"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(CudaErrorsOf, AreDeviceErrorsThatNameTheCallAndLeaveNothing) {
  for (const Result result : {Result::invalid_value, Result::launch_failed, Result::unknown}) {
    fail(GetParam(), result);
    const std::string message = message_of<DeviceError>(use_everything);
    EXPECT_EQ(message.rfind("sim:a100", 0), 0u) << message;
    EXPECT_NE(message.find(std::string(": ") + GetParam()), std::string::npos) << message;
    EXPECT_NE(message.find(" gives " + library->describe(result) + ": "), std::string::npos) << message;
    EXPECT_EQ(library->simulated.leaks(), 0) << message;
  }
  use_everything();
}

TEST_F(CudaErrors, UsingEverythingWorksAndLeavesNothing) { use_everything(); }

TEST_F(CudaErrors, OutOfMemoryTellsWhatWasWantedAndWhatIsFree) {
  const gpu::DevicePointer device = open("sim:v100");
  const gpu::BufferPointer some = device->allocate(std::size_t{2} << 30);
  const std::string expected =
      "sim:v100 (Tesla V100-SXM2-16GB (simulated)): cuMemAlloc_v2 for 15.0 GiB (14.0 GiB of 16.0 GiB are free) gives CUDA_ERROR_OUT_OF_MEMORY (2: out of memory): "
      "run smaller batches, or end what else uses the GPU (nvidia-smi shows it)";
  EXPECT_EQ(message_of<DeviceError>([&] { device->allocate(std::size_t{15} << 30); }), expected);
  EXPECT_EQ(device->allocate(std::size_t{1} << 20)->bytes(), std::size_t{1} << 20) << "smaller ones still fit";
}

TEST_F(CudaErrors, ATextThatDoesNotCompileComesWithTheCompilersWords) {
  const gpu::DevicePointer device = open();
  std::string text = tests::scale_and_add_text;
  text.replace(text.find("fma.rn.f32"), 10, "fuse.rn.f3");
  const std::string message = message_of<DeviceError>([&] { device->load(text, std::span(&tests::scale_and_add, 1)); });
  EXPECT_EQ(message.rfind(a100 + ": cuModuleLoadDataEx gives CUDA_ERROR_INVALID_PTX (218: a PTX JIT compilation failed): generated code is wrong; please report it with the text "
                                 "that lacuna compile --emit=ptx prints; the compiler said:\nPTX:35:", 0), 0u)
      << message;
  EXPECT_NE(message.find("fuse.rn.f3"), std::string::npos) << message;
}

TEST_F(CudaErrors, AKernelThatIsNotInTheTextIsNamed) {
  const gpu::DevicePointer device = open();
  const gpu::KernelInfo wrong{"subtract", 64, 0};
  EXPECT_EQ(message_of<DeviceError>([&] { device->load(tests::scale_and_add_text, std::span(&wrong, 1)); }),
            a100 + ": cuModuleGetFunction of kernel \"subtract\" gives CUDA_ERROR_NOT_FOUND (500: named symbol not found): see the system's log (dmesg) for messages of the driver");
}

TEST_F(CudaErrors, ALaunchThatIsRefusedNamesTheKernelAndItsGrid) {
  const gpu::DevicePointer device = open();
  const auto kernel = device->load(tests::scale_and_add_text, std::span(&tests::scale_and_add, 1)).at(0);
  const gpu::BufferPointer buffer = device->allocate(256);
  fail("cuLaunchKernel", Result::launch_out_of_resources);
  EXPECT_EQ(message_of<DeviceError>([&] { device->launch({kernel, 3, 2, {buffer, buffer, 64u, 1.0f, 0u}}); }),
            a100 + ": cuLaunchKernel of kernel \"scale_and_add\" on 3 x 2 blocks of 64 threads gives CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (701: too many resources requested for "
                   "launch): the kernel needs more registers or shared memory than a block may have; please report it");
  device->finish();  // the device still works
  EXPECT_NE(message_of<DeviceError>([&] { device->launch({kernel, 1, 70000, {buffer, buffer, 64u, 1.0f, 0u}}); }).find("on 1 x 70000 blocks"), std::string::npos);
}

TEST_F(CudaErrors, AKernelThatFailsIsToldWhereSomebodyWaitsAndTheDeviceIsLost) {
  gpu::DevicePointer device = open();
  const auto kernel = device->load(tests::scale_and_add_text, std::span(&tests::scale_and_add, 1)).at(0);
  const gpu::BufferPointer small = buffer_of(*device, std::vector<float>(10, 1));
  device->launch({kernel, 1, 1, {small, small, 64u, 1.0f, 0u}});  // 64 numbers of 10
  device->fill_zero(small, 0, 40);                                // nobody knows yet
  const std::string first = message_of<DeviceError>([&] { read_all<float>(*device, small); });
  EXPECT_EQ(first.rfind(a100 + ": cuEventSynchronize gives CUDA_ERROR_ILLEGAL_ADDRESS (700: an illegal memory access was encountered): ", 0), 0u) << first;
  EXPECT_NE(first.find("scale_and_add"), std::string::npos) << "the simulator says more than a driver: " << first;
  for (int turn = 0; turn < 2; ++turn) {
    const std::string later = message_of<DeviceError>([&] { device->finish(); });
    EXPECT_EQ(later.rfind(a100 + " is lost and takes no more work, since cuEventSynchronize gives CUDA_ERROR_ILLEGAL_ADDRESS", 0), 0u) << later;
  }
  EXPECT_THROW(device->allocate(4), DeviceError);
  EXPECT_THROW(device->launch({kernel, 1, 1, {small, small, 4u, 1.0f, 0u}}), DeviceError);
}

TEST_F(CudaErrors, ADeviceLostInTheMiddleOfARecordingIsLost) {
  const gpu::DevicePointer device = open();
  const auto kernel = device->load(tests::scale_and_add_text, std::span(&tests::scale_and_add, 1)).at(0);
  const gpu::BufferPointer buffer = buffer_of(*device, std::vector<float>(64, 1));
  const std::unique_ptr<gpu::Recording> recording = device->record([&] {
    for (int i = 0; i < 5; ++i) device->launch({kernel, 1, 1, {buffer, buffer, 64u, 1.0f, 0u}});
  });
  fail("kernel", Result::ecc_uncorrectable, 2);
  recording->run();
  EXPECT_EQ(message_of<DeviceError>([&] { device->finish(); }),
            a100 + ": cuStreamSynchronize gives CUDA_ERROR_ECC_UNCORRECTABLE (214: uncorrectable ECC error encountered): the hardware failed; see nvidia-smi -q and the system's log");
  EXPECT_THROW(recording->run(), DeviceError);
  EXPECT_THROW(device->record([] {}), DeviceError);
}

TEST_F(CudaErrors, AfterALostDeviceIsClosedItCanBeOpenedAgain) {
  {
    const gpu::DevicePointer device = open();
    fail("cuStreamSynchronize", Result::launch_failed);
    EXPECT_THROW(device->finish(), DeviceError);
    EXPECT_THROW(device->allocate(16), DeviceError);
  }
  use_everything();
}

TEST_F(CudaErrors, OneLostDeviceLeavesTheOthersAlone) {
  const std::vector<gpu::DevicePointer> devices = gpu::open_devices("sim:a100:2");
  fail("cuStreamSynchronize", Result::launch_failed);
  EXPECT_THROW(devices[0]->finish(), DeviceError);
  EXPECT_EQ(read_all<float>(*devices[1], buffer_of(*devices[1], std::vector<float>(8, 3))), std::vector<float>(8, 3));
}

}  // namespace
}  // namespace lacuna
