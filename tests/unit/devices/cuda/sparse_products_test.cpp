// Products by cuSPARSE, through a library that stands in for it on the simulated driver: calls, layouts, types, and what is said where it is missing.
#include "devices/cuda/sparse_products.hpp"

#include <gmock/gmock.h>

#include "devices/cuda/vendor_library.hpp"
#include "support/stand_ins.hpp"

namespace lacuna {
namespace {

using tests::buffer_of;
using tests::message_of;
using tests::read_all;
using tests::Variable;

class SparseProductsTest : public tests::StandIns {
 protected:
  // 3 x 4: row 0 is empty.
  const std::vector<std::uint32_t> row_begin{0, 0, 2, 5}, column_of{0, 3, 0, 1, 2};
  const std::vector<float> values{2, -1, 0.5f, 3, 4};
};

TEST_F(SparseProductsTest, RowsTimesDenseRows) {
  const gpu::DevicePointer device = open();
  cuda::SparseProducts products(device);
  EXPECT_EQ(products.version(), 12507);
  const cuda::SparseOnDevice matrix = products.upload(4, row_begin, column_of, values);
  const gpu::BufferPointer x = buffer_of(*device, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}), y = buffer_of(*device, std::vector<float>(6, -7));
  products.multiply(matrix, x, y, 2);
  EXPECT_EQ(read_all<float>(*device, y), (std::vector<float>{0, 0, -5, -4, 29.5f, 37})) << "what stood there before does not count";
}

TEST_F(SparseProductsTest, WorkBeforeAndAfterIsInOrder) {
  for (int others_first : {0, 1}) {
    library->simulated.do_others_first(others_first);
    const gpu::DevicePointer device = open();
    cuda::SparseProducts products(device);
    const cuda::SparseOnDevice matrix = products.upload(4, row_begin, column_of, values);
    const gpu::BufferPointer x = device->allocate(32), y = device->allocate(24), copy = device->allocate(24);
    for (float turn = 1; turn < 4; ++turn) {
      const std::vector<float> all(8, turn);
      device->write(x, 0, std::as_bytes(std::span(all)));
      products.multiply(matrix, x, y, 2);
      device->copy(y, 0, copy, 0, 24);
      EXPECT_EQ(read_all<float>(*device, copy), (std::vector<float>{0, 0, turn, turn, 7.5f * turn, 7.5f * turn}));
    }
    library->simulated.do_others_first(0);
  }
}

TEST_F(SparseProductsTest, WithoutTheLibraryOneSentenceSaysHowToGetIt) {
  const Variable none("LACUNA_CUSPARSE_LIBRARY", "/nonexistent/libcusparse.so.12");
  const std::string expected =
      "cusparse: not here (/nonexistent/libcusparse.so.12: cannot open shared object file: No such file or directory): only the comparison with it needs it; install NVIDIA's CUDA "
      "libraries (PyPI has them as nvidia-cusparse-cu12), or name the file with LACUNA_CUSPARSE_LIBRARY";
  EXPECT_EQ(message_of<DeviceError>([] { cuda::SparseProducts products(open()); }), expected);
  EXPECT_EQ(cuda::find_vendor_libraries().at(0).missing, expected);
}

TEST_F(SparseProductsTest, ALibraryThatLacksAFunctionIsRefused) {
  const Variable other("LACUNA_CUSPARSE_LIBRARY", "libm.so.6");
  EXPECT_EQ(message_of<DeviceError>([] { cuda::SparseProducts products(open()); }), "cusparse: libm.so.6 has no cusparseCreate: install the libraries of CUDA 11.4 or later");
}

TEST_F(SparseProductsTest, AFailingCallIsNamedAndNothingIsLeft) {
  for (const char* call : {"cusparseCreate", "cusparseGetVersion", "cusparseSpMM"}) {
    const Variable failure("LACUNA_STANDIN_FAIL", call);
    const std::string message = message_of<DeviceError>([&] {
      const gpu::DevicePointer device = open();
      cuda::SparseProducts products(device);
      const gpu::BufferPointer x = device->allocate(32), y = device->allocate(24);
      products.multiply(products.upload(4, row_begin, column_of, values), x, y, 2);
    });
    EXPECT_THAT(message, testing::StartsWith("sim:a100 (NVIDIA A100-SXM4-40GB (simulated)): " + std::string(call) + " gives CUSPARSE_STATUS_")) << message;
  }
}

TEST_F(SparseProductsTest, BuffersThatAreTooSmallAreOurOwnBug) {
  const gpu::DevicePointer device = open();
  cuda::SparseProducts products(device);
  const cuda::SparseOnDevice matrix = products.upload(4, row_begin, column_of, values);
  EXPECT_THROW(products.multiply(matrix, device->allocate(32), device->allocate(20), 2), InternalError);
  EXPECT_THROW(products.multiply(matrix, device->allocate(28), device->allocate(24), 2), InternalError);
}

}  // namespace
}  // namespace lacuna
