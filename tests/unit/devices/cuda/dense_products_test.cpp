// Products by cuBLAS, through a library that stands in for it on the simulated driver: calls, layouts, and what is said where it is missing.
#include "devices/gpu/dense.hpp"

#include <gmock/gmock.h>

#include "support/stand_ins.hpp"

namespace lacuna {
namespace {

using tests::buffer_of;
using tests::message_of;
using tests::read_all;
using tests::Variable;

class DenseProductsTest : public tests::StandIns {
 protected:
  const std::vector<float> weights{1, 2, 3, -1, 0.5f, 4};  // 2 x 3
};

TEST_F(DenseProductsTest, EveryRowOfTheSourceTimesEveryRowOfTheWeights) {
  const gpu::DevicePointer device = open();
  const auto products = gpu::open_dense_products(device);
  EXPECT_EQ(products->name(), "cuBLAS 12.4.5");
  const auto x = buffer_of(*device, std::vector<float>{1, 1, 1, 2, 0, -1}), w = buffer_of(*device, weights), y = buffer_of(*device, std::vector<float>(4, NAN));
  products->prepare({2, 3, 2, {0, 3}, {0, 2}})->run(x, w, y);
  EXPECT_EQ(read_all<float>(*device, y), (std::vector<float>{6, 3.5f, -1, -6})) << "what stood there before does not count";
}

TEST_F(DenseProductsTest, RowsMayBeginLaterAndStandApart) {
  const gpu::DevicePointer device = open();
  const auto x = buffer_of(*device, std::vector<float>{9, 1, 1, 1, 9, 2, 0, -1}), w = buffer_of(*device, weights), y = buffer_of(*device, std::vector<float>(6, 7));
  gpu::open_dense_products(device)->prepare({2, 3, 2, {1, 4}, {1, 3}})->run(x, w, y);
  EXPECT_EQ(read_all<float>(*device, y), (std::vector<float>{7, 6, 3.5f, 7, -1, -6})) << "what is not theirs stays";
}

TEST_F(DenseProductsTest, WorkBeforeAndAfterIsInOrder) {
  for (int others_first : {0, 1}) {
    library->simulated.do_others_first(others_first);
    const gpu::DevicePointer device = open();
    const auto work = gpu::open_dense_products(device)->prepare({1, 3, 2, {0, 3}, {0, 2}});
    const gpu::BufferPointer x = device->allocate(12), w = buffer_of(*device, weights), y = device->allocate(8), copy = device->allocate(8);
    for (float turn = 1; turn < 4; ++turn) {
      const std::vector<float> all(3, turn);
      device->write(x, 0, std::as_bytes(std::span(all)));
      work->run(x, w, y);
      device->copy(y, 0, copy, 0, 8);
      EXPECT_EQ(read_all<float>(*device, copy), (std::vector<float>{6 * turn, 3.5f * turn}));
    }
    library->simulated.do_others_first(0);
  }
}

TEST_F(DenseProductsTest, WithoutTheLibraryOneSentenceSaysHowToGetIt) {
  const Variable none("LACUNA_CUBLAS_LIBRARY", "/nonexistent/libcublas.so.12");
  EXPECT_EQ(message_of<DeviceError>([] { gpu::open_dense_products(open()); }),
            "cublas: not here (/nonexistent/libcublas.so.12: cannot open shared object file: No such file or directory): only dense fully connected layers on GPUs need it; install NVIDIA's CUDA "
            "libraries (PyPI has them as nvidia-cublas-cu12), or name the file with LACUNA_CUBLAS_LIBRARY");
}

TEST_F(DenseProductsTest, ALibraryThatLacksAFunctionIsRefused) {
  const Variable other("LACUNA_CUBLAS_LIBRARY", "libm.so.6");
  EXPECT_EQ(message_of<DeviceError>([] { gpu::open_dense_products(open()); }), "cublas: libm.so.6 has no cublasCreate_v2: install the libraries of CUDA 11.4 or later");
}

TEST_F(DenseProductsTest, NVIDIAsOwnLibraryDoesNotComputeOnASimulatedGpu) {
  const std::string expected = "cublas: sim:a100 (NVIDIA A100-SXM4-40GB (simulated)) is simulated, and NVIDIA's library computes on real GPUs only: take --device cuda";
  const Variable unset("LACUNA_CUBLAS_LIBRARY", "");
  EXPECT_EQ(message_of<Unsupported>([] { gpu::open_dense_products(open()); }), expected);
}

/// Where NVIDIA's library is installed: that it has every entry we ask for.
TEST_F(DenseProductsTest, NVIDIAsOwnLibraryHasAllEntries) {
  const Variable real("LACUNA_CUBLAS_LIBRARY", "libcublas.so.13");
  try {
    gpu::open_dense_products(open());
    FAIL() << "nothing was thrown";
  } catch (const DeviceError& error) {
    if (std::string(error.what()).find("not here") != std::string::npos) GTEST_SKIP() << error.what();
    FAIL() << error.what();
  } catch (const Unsupported& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("is simulated"));
  }
}

TEST_F(DenseProductsTest, AFailingCallIsNamedAndNothingIsLeft) {
  for (const char* call : {"cublasCreate_v2", "cublasGetVersion_v2", "cublasSetStream_v2", "cublasSetMathMode", "cublasSgemm_v2"}) {
    const Variable failure("LACUNA_STANDIN_FAIL", call);
    const std::string message = message_of<DeviceError>([&] {
      const gpu::DevicePointer device = open();
      gpu::open_dense_products(device)->prepare({1, 3, 2, {0, 3}, {0, 2}})->run(device->allocate(12), buffer_of(*device, weights), device->allocate(8));
    });
    EXPECT_THAT(message, testing::StartsWith("sim:a100 (NVIDIA A100-SXM4-40GB (simulated)): " + std::string(call) + " gives CUBLAS_STATUS_")) << message;
  }
}

TEST_F(DenseProductsTest, BuffersThatAreTooSmallAreOurOwnBug) {
  const gpu::DevicePointer device = open();
  const auto work = gpu::open_dense_products(device)->prepare({2, 3, 2, {0, 3}, {0, 2}});
  EXPECT_THROW(work->run(device->allocate(20), device->allocate(24), device->allocate(16)), InternalError);
  EXPECT_THROW(work->run(device->allocate(24), device->allocate(20), device->allocate(16)), InternalError);
  EXPECT_THROW(work->run(device->allocate(24), device->allocate(24), device->allocate(12)), InternalError);
}

}  // namespace
}  // namespace lacuna
