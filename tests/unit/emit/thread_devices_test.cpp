// Emitted code, run by devices, against what thread programs mean (support/thread_interpreter.hpp).
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

#include <lacuna/error.hpp>

#include "devices/gpu/open.hpp"
#include "emit/opencl/emit.hpp"
#include "emit/ptx/emit.hpp"
#include "kernel/thread_builder.hpp"
#include "kernel/thread_statements.hpp"
#include "support/random_thread_program.hpp"
#include "support/thread_interpreter.hpp"

namespace lacuna::tests {
namespace {

using namespace kernel;

/// By name, as --device takes it. Skips where there is none, saying what is missing.
class ThreadDevices : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    try {
      device_ = gpu::open_devices(GetParam()).front();
    } catch (const DeviceError& error) {
      GTEST_SKIP() << error.what();
    }
  }

  std::vector<gpu::KernelPointer> load(std::span<const ThreadProgram> programs) {
    std::vector<gpu::KernelInfo> infos;
    for (const ThreadProgram& program : programs) infos.push_back({program.name, program.block_threads, program.shared_bytes});
    return device_->load(device_->language() == gpu::Language::ptx ? with_shared_elsewhere(emit::ptx::emit(programs)) : emit::opencl::emit(programs), infos);
  }

  /// Something else comes first in shared memory, so that it does not begin at 0 by chance, where the code could forget to add where it begins.
  static std::string with_shared_elsewhere(std::string ptx) {
    const std::string ours = ".shared .align 16 .b8 shared[", other = ".shared .align 16 .b8 other[1024];\n    ";
    for (std::size_t at = ptx.find(ours); at != std::string::npos; at = ptx.find(ours, at + other.size() + ours.size())) ptx.insert(at, other);
    return ptx;
  }

  gpu::BufferPointer upload(std::span<const std::byte> bytes) {
    gpu::BufferPointer buffer = device_->allocate(bytes.size());
    device_->write(buffer, 0, bytes);
    return buffer;
  }
  std::vector<std::byte> download(const gpu::BufferPointer& buffer) {
    std::vector<std::byte> bytes(buffer->bytes());
    device_->read(buffer, 0, bytes);
    return bytes;
  }

  void expect_same(unsigned first_seed, unsigned count, std::uint32_t shared_bytes) {
    std::vector<RandomThreadProgram> cases;
    std::vector<ThreadProgram> programs;
    for (unsigned seed = first_seed; seed < first_seed + count; ++seed) {
      cases.push_back(random_thread_program(seed, shared_bytes));
      programs.push_back(cases.back().program);
    }
    const std::vector<gpu::KernelPointer> kernels = load(programs);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      RandomThreadProgram& made = cases[i];
      const gpu::BufferPointer in = upload(made.in), out = upload(made.out), counters = upload(made.counters);
      device_->launch({kernels[i], made.blocks_x, made.blocks_y, {in, out, counters, made.number, made.factor}});
      interpret(made.program, made.blocks_x, made.blocks_y,
                {std::span<std::byte>(made.in), std::span<std::byte>(made.out), std::span<std::byte>(made.counters), made.number, made.factor});
      EXPECT_EQ(different_words(download(out), made.out), 0u) << made.program.name << '\n' << print(made.program);
      EXPECT_TRUE(download(counters) == made.counters) << made.program.name;
    }
  }

  /// The operation on all pairs of some values, by the device and by the interpreter.
  void expect_close(Arithmetic operation, const std::vector<float>& values, double relative, double absolute) {
    ThreadBuilder b("operation");
    const Register in = b.address_parameter("in", true, false), out = b.address_parameter("out", false, true), thread = b.special(Special::thread);
    const Register a = b.load_f32(b.advance(in, thread, 8)), other = b.load_f32(b.advance(in, thread, 8), 4);
    const bool has_two = rule_of(operation).sources == 2;
    const Register value = has_two ? b.compute(operation, {a, other}) : b.compute(operation, {a});
    if (value.type == Type::u32) b.store_u32(b.advance(out, thread, 4), 0, value);
    else b.store_f32(b.advance(out, thread, 4), 0, value);
    const auto threads = static_cast<std::uint32_t>(values.size());
    const ThreadProgram program = b.finish(threads);
    const gpu::KernelPointer kernel = load(std::span(&program, 1))[0];
    for (std::size_t shift = 0; shift < (has_two ? values.size() : 1); ++shift) {
      std::vector<float> pairs;
      for (std::size_t i = 0; i < values.size(); ++i) pairs.push_back(values[i]), pairs.push_back(values[(i + shift) % values.size()]);
      std::vector<std::uint32_t> expected(threads), given(threads);
      interpret(program, 1, 1, {std::as_writable_bytes(std::span(pairs)), std::as_writable_bytes(std::span(expected))});
      const gpu::BufferPointer to = device_->allocate(threads * 4);
      device_->launch({kernel, 1, 1, {upload(std::as_bytes(std::span(pairs))), to}});
      device_->read(to, 0, std::as_writable_bytes(std::span(given)));
      for (std::uint32_t i = 0; i < threads; ++i) {
        const auto e = std::bit_cast<float>(expected[i]), g = std::bit_cast<float>(given[i]);
        const bool is_same = expected[i] == given[i] || (std::isnan(e) && std::isnan(g)) || (value.type == Type::f32 && e == g);
        if (is_same) continue;
        EXPECT_LE(std::fabs(double{e} - g), relative * std::fabs(double{e}) + absolute)
            << rule_of(operation).name << "(" << pairs[2 * i] << ", " << pairs[2 * i + 1] << ") is " << g << ", must be " << e;
      }
    }
  }

  std::shared_ptr<gpu::Device> device_;
};

constexpr float infinity = INFINITY, not_a_number = NAN;

/// PoCL takes a second to compile one, the simulator next to nothing.
TEST_P(ThreadDevices, RandomProgramsGiveTheSameBits) { expect_same(100, device_->language() == gpu::Language::ptx ? 150 : 12, 0); }

TEST_P(ThreadDevices, FloatsBehaveAtTheirEdges) {
  const std::vector<float> edges{0.0f, 1.0f, -1.5f, 0.3f, 3e38f, -3e38f, 1e-30f, 1.17549435e-38f, infinity, -infinity, not_a_number, 4294967040.0f, 5e9f, 0.9999999f};
  for (const Arithmetic operation : {Arithmetic::minimum, Arithmetic::maximum, Arithmetic::divide}) expect_close(operation, edges, 0, 0);
  for (const Arithmetic operation : {Arithmetic::square_root, Arithmetic::floor, Arithmetic::negate, Arithmetic::absolute}) expect_close(operation, edges, 0, 0);
  const std::vector<float> numbers{0.0f, -1.0f, 0.99f, 1.5f, 16777217.0f, 4294967040.0f, 4294967296.0f, 1e20f, -1e20f, infinity, -infinity};
  expect_close(Arithmetic::to_integer, numbers, 0, 0);
}

TEST_P(ThreadDevices, FunctionsAreAsGoodAsThreadProgramsPromise) {
  std::vector<float> angles, exponents, positive;
  for (int i = -50; i <= 50; ++i) angles.push_back(static_cast<float>(i) * 0.0628f), exponents.push_back(static_cast<float>(i) * 1.3f), positive.push_back(std::exp2(static_cast<float>(i) * 0.71f + 0.2f));
  const double two_ulp = 2 * 0x1p-23;
  expect_close(Arithmetic::exp2, exponents, two_ulp, 0);
  expect_close(Arithmetic::log2, positive, two_ulp, 4e-7);
  expect_close(Arithmetic::sine, angles, 0, 2e-6);
  expect_close(Arithmetic::cosine, angles, 0, 2e-6);
}

TEST_P(ThreadDevices, MoreThan48KiBOfSharedMemory) {
  if (device_->limits().shared_bytes < 60 * 1024) GTEST_SKIP() << GetParam() << " has " << device_->limits().shared_bytes << " bytes of shared memory";
  expect_same(200, 1, 52 * 1024);
}

INSTANTIATE_TEST_SUITE_P(Devices, ThreadDevices, testing::Values("opencl", "sim:v100"), [](const auto& info) { return info.param.substr(0, info.param.find(':')); });

}  // namespace
}  // namespace lacuna::tests
