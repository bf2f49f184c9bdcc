#include "frontends/tensor/tensor_file.hpp"

#include <gtest/gtest.h>

#include <lacuna/error.hpp>
#include <lacuna/load.hpp>

#include "support/packing.hpp"
#include "support/temp_folder.hpp"

namespace lacuna::tests {
namespace {

using namespace std::string_literals;

std::string npy(const std::string& head, const std::string& data) {
  return "\x93NUMPY\x01\x00"s + static_cast<char>(head.size()) + '\0' + head + data;
}

TEST(TensorFile, SavedAndLoadedIsTheSame) {
  const TempFolder folder;
  const Tensor tensor{{2, 3}, {1, -2, 3.5f, 0, 1e-30f, 7}};
  save_tensor(tensor, folder / "t.npy");
  const Tensor loaded = load_tensor(folder / "t.npy");
  EXPECT_EQ(loaded.shape, tensor.shape);
  EXPECT_EQ(loaded.values, tensor.values);
  EXPECT_EQ(folder.listing(), "t.npy\n");
  EXPECT_EQ(read_file(folder / "t.npy").size(), 128 + 6 * sizeof(float)) << "the values start at a multiple of 64";
}

TEST(TensorFile, KeepsAnyNumberOfExtents) {
  const TempFolder folder;
  for (const std::vector<std::size_t>& shape : {std::vector<std::size_t>{4}, {4, 1, 1}, {0, 5}, {}}) {
    const std::size_t size = shape.empty() || shape[0] == 4 ? shape.empty() ? 1 : 4 : 0;
    save_tensor({shape, std::vector<float>(size, 2.0f)}, folder / "t.npy");
    EXPECT_EQ(load_tensor(folder / "t.npy").shape, shape);
    EXPECT_EQ(load_tensor(folder / "t.npy").values.size(), size);
  }
}

TEST(TensorFile, ConvertsIntegersDoublesAndBools) {
  const auto values = [](const char* kind, const std::string& data) {
    return frontends::read_npy(npy("{'descr': '"s + kind + "', 'fortran_order': False, 'shape': (2,), }", data), "t")
        .values;
  };
  EXPECT_EQ(values("|i1", "\x01\xff"s), (std::vector<float>{1, -1}));
  EXPECT_EQ(values("|u1", "\x01\xff"s), (std::vector<float>{1, 255}));
  EXPECT_EQ(values("|b1", "\x01\x00"s), (std::vector<float>{1, 0}));
  EXPECT_EQ(values("<i2", "\x01\x01\xff\xff"s), (std::vector<float>{257, -1}));
  EXPECT_EQ(values("<u4", "\x02\x00\x00\x00\x03\x00\x00\x00"s), (std::vector<float>{2, 3}));
  EXPECT_EQ(values("<i8", "\x02\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff"s), (std::vector<float>{2, -1}));
  EXPECT_EQ(values("<f8", "\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\xc0"s), (std::vector<float>{1, -2}));
}

TEST(TensorFile, TypedTensorsKeepTheirType) {
  const TempFolder folder;
  const auto keeps = [&]<typename T>(std::vector<T> values) {
    const TypedTensor tensor = make_tensor<T>({values.size(), 1}, std::span<const T>(values));
    save_typed_tensor(tensor, folder / "t.npy");
    const TypedTensor loaded = load_typed_tensor(folder / "t.npy");
    EXPECT_EQ(loaded.type, tensor.type);
    EXPECT_EQ(loaded.shape, tensor.shape);
    EXPECT_TRUE(std::equal(loaded.bytes.begin(), loaded.bytes.end(), tensor.bytes.begin(), tensor.bytes.end())) << name_of(tensor.type);
  };
  keeps(std::vector<float>{1.5f, -2});
  keeps(std::vector<double>{1e300, -2});
  keeps(std::vector<std::int8_t>{-128, 127});
  keeps(std::vector<std::uint16_t>{65535});
  keeps(std::vector<std::int32_t>{-5, 5});
  keeps(std::vector<std::int64_t>{std::int64_t{1} << 62, -1});
  const TypedTensor half{ElementType::f16, {1}, std::vector<std::byte>{std::byte{0}, std::byte{0x3c}}};
  save_typed_tensor(half, folder / "h.npy");
  EXPECT_EQ(load_typed_tensor(folder / "h.npy").type, ElementType::f16);
  EXPECT_EQ(frontends::read_typed_npy(npy("{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }", "\x00\x07"s), "t").bytes[1], std::byte{1}) << "a bool is 0 or 1";
  EXPECT_THROW(save_typed_tensor({ElementType::bf16, {1}, half.bytes}, folder / "b.npy"), Unsupported);
}

TEST(TensorFile, ReadsVersionTwoOfNpy) {
  const std::string head = "{\"descr\": \"<f4\", \"fortran_order\": False, \"shape\": (1,)}";
  const std::string bytes = "\x93NUMPY\x02\x00"s + static_cast<char>(head.size()) + "\0\0\0"s + head + "\0\0\x80\x3f"s;
  EXPECT_EQ(frontends::read_npy(bytes, "t").values, std::vector<float>{1});
}

TEST(TensorFile, ScalesMnistImagesButNotLabels) {
  const TempFolder folder;
  const std::string images = "\0\0\x08\x03\0\0\0\x01\0\0\0\x01\0\0\0\x02\x00\xff"s;
  const Tensor tensor = load_tensor(folder.write("images.gz", gzip(images)));
  EXPECT_EQ(tensor.shape, (std::vector<std::size_t>{1, 1, 2}));
  EXPECT_EQ(tensor.values, (std::vector<float>{0, 1}));
  EXPECT_EQ(load_tensor(folder.write("labels", "\0\0\x08\x01\0\0\0\x02\x07\x09"s)).values, (std::vector<float>{7, 9}));
}

TEST(TensorFile, ReadsTheMnistTestSet) {
  if (data_folder().empty()) GTEST_SKIP() << "LACUNA_DATA is not set";
  const Tensor images = load_tensor(data_folder() / "graph-challenge/t10k-images-idx3-ubyte.gz");
  EXPECT_EQ(images.shape, (std::vector<std::size_t>{10000, 28, 28}));
  EXPECT_EQ(images.row_size(), 784u);
  EXPECT_EQ(load_tensor(data_folder() / "graph-challenge/t10k-labels-idx1-ubyte.gz").values[0], 7.0f);
}

}  // namespace
}  // namespace lacuna::tests
