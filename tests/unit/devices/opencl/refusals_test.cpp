// What the OpenCL device refuses, and how it says so: limits of real GPUs, programs that do not compile, names nobody has, no OpenCL at all.
#include <lacuna/error.hpp>

#include "support/environment.hpp"
#include "support/temp_folder.hpp"
#include "unit/devices/opencl/opencl_test.hpp"

namespace lacuna::tests {
namespace {

using testing::HasSubstr;

const std::string nothing_text = "kernel void nothing(global uint* out) { *out = 1; }\n";

TEST_F(OpenClTest, LimitsAreThoseOfRealGpus) {
  const gpu::Limits& limits = device->limits();
  EXPECT_GE(limits.block_threads, 1u);
  EXPECT_LE(limits.block_threads, 1024u);
  EXPECT_GE(limits.shared_bytes, 32u << 10);  // OpenCL's own minimum
  EXPECT_TRUE(!limits.is_cpu || limits.shared_bytes <= 48u << 10) << limits.shared_bytes;
  EXPECT_GE(limits.memory_bytes, limits.largest_buffer_bytes);
  EXPECT_GE(limits.multiprocessors, 1u);
  EXPECT_FALSE(limits.is_simulated);
  EXPECT_THAT(limits.name, HasSubstr(limits.is_cpu ? "a CPU)" : "a"));
  EXPECT_EQ(device->language(), gpu::Language::opencl);
}

TEST_F(OpenClTest, BlocksThatAreTooLargeAreRefusedWithBothNumbers) {
  const unsigned most = device->limits().block_threads;
  EXPECT_NO_THROW(load(nothing_text, "nothing", most));
  EXPECT_EQ(message_of<Unsupported>([&] { load(nothing_text, "nothing", most + 1); }),
            "opencl: kernel nothing has blocks of " + std::to_string(most + 1) + " threads, and " + device->limits().name + " has " + std::to_string(most) + " at most");
}

TEST_F(OpenClTest, TooMuchSharedMemoryIsRefusedWithBothNumbers) {
  const auto most = static_cast<std::uint32_t>(device->limits().shared_bytes);
  EXPECT_NO_THROW(load(nothing_text, "nothing", 1, most));
  EXPECT_EQ(message_of<Unsupported>([&] { load(nothing_text, "nothing", 1, most + 4); }),
            "opencl: kernel nothing shares " + std::to_string(most + 4) + " bytes in a block, and " + device->limits().name + " has " + std::to_string(most) + " at most");
}

TEST_F(OpenClTest, SharedMemoryOfTheTextCountsNotWhatWasSaid) {
  const std::string bytes = std::to_string(device->limits().shared_bytes + 1024);
  const std::string text = "kernel void greedy(global uint* out) { local uchar all[" + bytes + "]; all[get_local_id(0)] = (uchar)*out; barrier(CLK_LOCAL_MEM_FENCE); *out = all[0]; }";
  // A driver may refuse it by itself, when it compiles.
  EXPECT_THROW(load(text, "greedy", 1, 16), Error);
  if (!device->limits().is_cpu) return;
  EXPECT_THAT(message_of<Unsupported>([&] { load(text, "greedy", 1, 16); }), HasSubstr("greedy shares "));
}

TEST_F(OpenClTest, ABufferThatIsTooLargeIsRefusedWithBothNumbers) {
  const std::size_t most = device->limits().largest_buffer_bytes;
  const std::string message = message_of<DeviceError>([&] { device->allocate(most + 1); });
  EXPECT_THAT(message, HasSubstr("opencl: a buffer of "));
  EXPECT_THAT(message, HasSubstr(device->limits().name));
}

TEST_F(OpenClTest, AProgramThatDoesNotCompileShowsTheCompilersLog) {
  const std::string message = message_of<DeviceError>([&] { load("kernel void broken(global uint* out) { *out = no_such_name; }\n", "broken", 1); });
  EXPECT_THAT(message, HasSubstr("opencl: clBuildProgram on " + device->limits().name + ": CL_BUILD_PROGRAM_FAILURE (-11); the compiler says:\n"));
  EXPECT_THAT(message, HasSubstr("no_such_name"));
  EXPECT_NO_THROW(load(nothing_text, "nothing", 1));
}

TEST_F(OpenClTest, AKernelThatTheTextDoesNotHaveIsNamed) {
  EXPECT_EQ(message_of<DeviceError>([&] { load(nothing_text, "something", 1); }),
            "opencl: clCreateKernel of something on " + device->limits().name + ": CL_INVALID_KERNEL_NAME (-46); the program has no kernel of this name");
}

TEST_F(OpenClTest, ALaunchNeedsAnArgumentForEveryParameter) {
  const gpu::KernelPointer kernel = load(nothing_text, "nothing", 1);
  EXPECT_EQ(message_of<InternalError>([&] { device->launch({kernel, 1, 1, {}}); }), "internal error: opencl: nothing has 1 parameters, and is launched with 0 arguments");
}

TEST_F(OpenClTest, BuffersEndWhereTheyEnd) {
  const gpu::BufferPointer buffer = device->allocate(8);
  EXPECT_EQ(message_of<InternalError>([&] { device->fill_zero(buffer, 4, 8); }), "internal error: opencl: fill_zero of 8 bytes at 4 of a buffer of 8 bytes");
  EXPECT_THROW(device->fill_zero(buffer, 0, 2), InternalError);
  EXPECT_THROW(device->copy(buffer, 16, buffer, 0, 0), InternalError);
}

TEST_F(OpenClTest, BuffersOfAnotherDeviceAreRefused) {
  const gpu::BufferPointer foreign = opencl::open()->allocate(4);
  EXPECT_EQ(message_of<InternalError>([&] { device->fill_zero(foreign, 0, 4); }), "internal error: opencl: fill_zero of a buffer that belongs to another device");
}

TEST_F(OpenClTest, ADeviceIsFoundByAPartOfItsNameInAnyCase) {
  std::string part = device->limits().name.substr(1, 5);
  for (char& c : part) c = static_cast<char>(std::toupper(c));
  EXPECT_EQ(opencl::open(part)->limits().name, device->limits().name);
  EXPECT_EQ(opencl::open(device->limits().name)->limits().name, device->limits().name);  // what is listed can be opened
}

TEST_F(OpenClTest, AnUnknownNameListsWhatThereIs) {
  const std::string message = message_of<Unsupported>([] { opencl::open("quantum"); });
  EXPECT_THAT(message, HasSubstr("opencl: no device has \"quantum\" in its name; there is "));
  for (const gpu::Limits& limits : opencl::list().devices) EXPECT_THAT(message, HasSubstr(limits.name));
}

TEST(OpenClLibrary, ALibraryThatIsNotThereIsNamed) {
  const Variable library("LACUNA_OPENCL_LIBRARY", "/nonexistent/libOpenCL.so");
  const std::string message = message_of<DeviceError>([] { opencl::open(); });
  EXPECT_THAT(message, HasSubstr("opencl: LACUNA_OPENCL_LIBRARY names /nonexistent/libOpenCL.so, which cannot be opened: "));
  EXPECT_THAT(message, HasSubstr("leave it unset to use libOpenCL.so.1"));
  EXPECT_EQ(opencl::list().missing, message);
  EXPECT_TRUE(opencl::list().devices.empty());
}

TEST(OpenClLibrary, ALibraryWithoutTheFunctionsIsNamed) {
  const Variable library("LACUNA_OPENCL_LIBRARY", "libz.so.1");
  EXPECT_EQ(message_of<DeviceError>([] { opencl::open(); }),
            "opencl: libz.so.1 has no function clGetPlatformIDs: it is no OpenCL loader, or older than OpenCL 1.2; install ocl-icd-libopencl1");
}

}  // namespace
}  // namespace lacuna::tests
