// Convolutions by cuDNN, through a library that stands in for it on the simulated driver: calls, strides, the choice of an algorithm, and what is said where it is missing.
#include <gmock/gmock.h>

#include "devices/cuda/cudnn_api.hpp"
#include "devices/gpu/dense.hpp"
#include "support/stand_ins.hpp"

namespace lacuna {
namespace {

using tests::buffer_of;
using tests::message_of;
using tests::read_all;
using tests::Variable;

class DenseConvsTest : public tests::StandIns {
 protected:
  /// One channel of 2 x 3, a window of 3 x 3 padded by 1; lines of four floats, after four others.
  gpu::DenseConv small() const {
    const gpu::DensePlanes planes{1, 1, 2, 3, 4, 8, 8, 4};
    return {.source = planes, .output = planes, .kernel_y = 3, .kernel_x = 3, .pad_y = 1, .pad_x = 1};
  }
  const std::vector<float> weights{0, 1, 0, 2, 10, 3, 0, 4, 0};
  const std::vector<float> image{-1, -1, -1, -1, 1, 2, 3, -1, 4, 5, 6, -1};
};

TEST_F(DenseConvsTest, PlanesAreReadAndWrittenByTheirStrides) {
  const gpu::DevicePointer device = open();
  const auto convs = gpu::open_dense_convs(device);
  EXPECT_EQ(convs->name(), "cuDNN 9.1.0");
  const auto x = buffer_of(*device, image), w = buffer_of(*device, weights), y = buffer_of(*device, std::vector<float>(12, 7));
  convs->prepare(small())->run(x, w, y);
  EXPECT_EQ(read_all<float>(*device, y), (std::vector<float>{7, 7, 7, 7, 32, 51, 58, 7, 56, 78, 73, 7})) << "what is not a pixel stays";
}

TEST_F(DenseConvsTest, WorkBeforeAndAfterIsInOrder) {
  for (int others_first : {0, 1}) {
    library->simulated.do_others_first(others_first);
    const gpu::DevicePointer device = open();
    const auto work = gpu::open_dense_convs(device)->prepare({.source = {1, 1, 1, 3, 0, 3, 3, 3}, .output = {1, 1, 1, 3, 0, 3, 3, 3}});
    const gpu::BufferPointer x = device->allocate(12), w = buffer_of(*device, std::vector<float>{2}), y = device->allocate(12), copy = device->allocate(12);
    for (float turn = 1; turn < 4; ++turn) {
      const std::vector<float> all(3, turn);
      device->write(x, 0, std::as_bytes(std::span(all)));
      work->run(x, w, y);
      device->copy(y, 0, copy, 0, 12);
      EXPECT_EQ(read_all<float>(*device, copy), std::vector<float>(3, 2 * turn));
    }
    library->simulated.do_others_first(0);
  }
}

TEST_F(DenseConvsTest, AConvolutionWithoutAnAlgorithmInF32IsUnsupported) {
  const Variable none("LACUNA_STANDIN_ALGORITHMS", "none");
  EXPECT_EQ(message_of<Unsupported>([&] { gpu::open_dense_convs(open())->prepare(small()); }), "cuDNN has no algorithm for it in f32");
}

TEST_F(DenseConvsTest, WithoutTheLibraryOneSentenceSaysHowToGetIt) {
  const Variable none("LACUNA_CUDNN_LIBRARY", "/nonexistent/libcudnn.so.9");
  EXPECT_EQ(message_of<DeviceError>([] { gpu::open_dense_convs(open()); }),
            "cudnn: not here (/nonexistent/libcudnn.so.9: cannot open shared object file: No such file or directory): only dense convolutions on GPUs need it; install NVIDIA's cuDNN (PyPI has it "
            "as nvidia-cudnn-cu12), or name the file with LACUNA_CUDNN_LIBRARY");
}

TEST_F(DenseConvsTest, ALibraryThatLacksAFunctionIsRefused) {
  const Variable other("LACUNA_CUDNN_LIBRARY", "libm.so.6");
  EXPECT_EQ(message_of<DeviceError>([] { gpu::open_dense_convs(open()); }), "cudnn: libm.so.6 has no cudnnCreate: install cuDNN 8 or later");
}

TEST_F(DenseConvsTest, NVIDIAsOwnLibraryDoesNotComputeOnASimulatedGpu) {
  const Variable unset("LACUNA_CUDNN_LIBRARY", "");
  EXPECT_EQ(message_of<Unsupported>([] { gpu::open_dense_convs(open()); }),
            "cudnn: sim:a100 (NVIDIA A100-SXM4-40GB (simulated)) is simulated, and NVIDIA's library computes on real GPUs only: take --device cuda");
}

/// Where NVIDIA's library is installed: that it has every entry we ask for.
TEST_F(DenseConvsTest, NVIDIAsOwnLibraryHasAllEntries) {
  const Variable real("LACUNA_CUDNN_LIBRARY", "libcudnn.so.9");
  try {
    gpu::open_dense_convs(open());
    FAIL() << "nothing was thrown";
  } catch (const DeviceError& error) {
    if (std::string(error.what()).find("not here") != std::string::npos) GTEST_SKIP() << error.what();
    FAIL() << error.what();
  } catch (const Unsupported& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("is simulated"));
  }
}

/// Where it is installed, NVIDIA's own library takes our descriptors, which need no GPU, and expects the extents that we do.
TEST_F(DenseConvsTest, NVIDIAsOwnLibraryReadsOurDescriptors) {
  const Variable own("LACUNA_CUDNN_LIBRARY", "");
  const base::DynamicLibrary real = cuda::cudnn.open();
  if (!real.is_open()) GTEST_SKIP() << cuda::cudnn.what_is_missing(real);
  cuda::DnnApi api;
  std::apply([&](auto&... entry) { (real.find(entry.name, entry.function), ...); }, api.all());
  cuda::DnnStatus (*output_extents)(cuda::DnnConv, cuda::DnnTensor, cuda::DnnFilter, int*, int*, int*, int*) = nullptr;
  real.find("cudnnGetConvolution2dForwardOutputDim", output_extents);
  const auto expect_success = [&](cuda::DnnStatus status) { EXPECT_EQ(static_cast<int>(status), 0) << api.describe(status); };
  cuda::Held<cuda::DnnTensor, cuda::DnnStatus> tensor(api.destroy_tensor);
  cuda::Held<cuda::DnnFilter, cuda::DnnStatus> filter(api.destroy_filter);
  cuda::Held<cuda::DnnConv, cuda::DnnStatus> conv(api.destroy_conv);
  expect_success(api.create_tensor.function(tensor.place()));
  expect_success(api.set_tensor.function(tensor.get(), cuda::DnnType::f32, 2, 8, 11, 13, 8 * 12 * 16, 12 * 16, 16, 1));
  expect_success(api.create_filter.function(filter.place()));
  expect_success(api.set_filter.function(filter.get(), cuda::DnnType::f32, cuda::DnnOrder::channels_first, 16, 4, 3, 5));
  expect_success(api.create_conv.function(conv.place()));
  expect_success(api.set_conv.function(conv.get(), 1, 2, 2, 1, 1, 2, cuda::DnnConvMode::cross_correlation, cuda::DnnType::f32));
  expect_success(api.set_groups.function(conv.get(), 2));
  expect_success(api.set_math.function(conv.get(), cuda::DnnMath::f32_only));
  std::array<int, 4> extents{};
  expect_success(output_extents(conv.get(), tensor.get(), filter.get(), &extents[0], &extents[1], &extents[2], &extents[3]));
  EXPECT_EQ(extents, (std::array<int, 4>{2, 16, 6, 9}));
}

TEST_F(DenseConvsTest, AFailingCallIsNamedAndNothingIsLeft) {
  for (const char* call : {"cudnnCreate", "cudnnSetStream", "cudnnCreateTensorDescriptor", "cudnnCreateFilterDescriptor", "cudnnCreateConvolutionDescriptor", "cudnnSetConvolutionMathType",
                           "cudnnGetConvolutionForwardAlgorithm_v7", "cudnnGetConvolutionForwardWorkspaceSize", "cudnnConvolutionForward"}) {
    const Variable failure("LACUNA_STANDIN_FAIL", call);
    const std::string message = message_of<DeviceError>([&] {
      const gpu::DevicePointer device = open();
      gpu::open_dense_convs(device)->prepare(small())->run(buffer_of(*device, image), buffer_of(*device, weights), device->allocate(48));
    });
    EXPECT_THAT(message, testing::StartsWith("sim:a100 (NVIDIA A100-SXM4-40GB (simulated)): " + std::string(call) + " gives CUDNN_STATUS_")) << message;
  }
}

TEST_F(DenseConvsTest, AValueThatCannotBeCountedIn31BitsIsUnsupported) {
  gpu::DenseConv large = small();
  large.source.channels = 3, large.source.channel = std::size_t{1} << 30;
  EXPECT_THAT(message_of<Unsupported>([&] { gpu::open_dense_convs(open())->prepare(large); }), testing::HasSubstr("cuDNN counts in 31 bits"));
}

TEST_F(DenseConvsTest, BuffersThatAreTooSmallAreOurOwnBug) {
  const gpu::DevicePointer device = open();
  const auto work = gpu::open_dense_convs(device)->prepare(small());
  EXPECT_THROW(work->run(device->allocate(40), device->allocate(36), device->allocate(48)), InternalError);
  EXPECT_THROW(work->run(device->allocate(48), device->allocate(32), device->allocate(48)), InternalError);
  EXPECT_THROW(work->run(device->allocate(48), device->allocate(36), device->allocate(40)), InternalError);
}

}  // namespace
}  // namespace lacuna
