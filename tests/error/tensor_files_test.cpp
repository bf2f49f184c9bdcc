// Wrong .npy and .idx files: the exact message for each.
#include <gtest/gtest.h>

#include <lacuna/error.hpp>

#include "frontends/tensor/tensor_file.hpp"
#include "support/temp_folder.hpp"

namespace lacuna::tests {
namespace {

using namespace std::string_literals;

std::string npy(const std::string& head, const std::string& data) {
  return "\x93NUMPY\x01\x00"s + static_cast<char>(head.size()) + '\0' + head + data;
}

std::string head(const std::string& kind, const std::string& shape, const std::string& fortran = "False") {
  return "{'descr': '" + kind + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
}

std::string message(const std::string& bytes) {
  return message_of<Error>([&] { frontends::read_tensor(bytes, "t.npy"); });
}

TEST(TensorFiles, CutShort) {
  EXPECT_EQ(message(npy(head("<f4", "(2,)"), "1234")),
            "t.npy: holds 4 bytes of values, but its shape (2) of 4-byte elements does not make that; the file may be "
            "cut short");
  EXPECT_EQ(message("\x93NUMPY\x01\x00"s), "t.npy: this .npy file is cut short: its head is longer than its 8 bytes");
  EXPECT_EQ(message("\x93NUMPY\x01\x00\xff\xff{}"s),
            "t.npy: this .npy file is cut short: its head is longer than its 12 bytes");
  EXPECT_EQ(message("\0\0\x08\x01\0\0\0\x05xx"s),
            "t.npy: holds 2 bytes of values, but its shape (5) of 1-byte elements does not make that; the file may be "
            "cut short");
  EXPECT_EQ(message("\0\0\x08\x03\0\0"s), "t.npy: this .idx file is broken: 6 bytes for 3 extents");
  EXPECT_EQ(message("\0\0\x08"s), "t.npy: this .idx file is cut short: 3 bytes, its head alone has 4");
}

TEST(TensorFiles, KindsThatAreNotRead) {
  EXPECT_EQ(message(npy(head("<f4", "(1,)", "True"), "1234")),
            "t.npy: Fortran order is not read; save numpy.ascontiguousarray(array)");
  EXPECT_EQ(message(npy(head(">f4", "(1,)"), "1234")),
            "t.npy: elements of kind \">f4\" are not read; save as float32 (numpy: array.astype('<f4'))");
  EXPECT_EQ(message(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "1234")),
            "t.npy: elements of kind \"[('a', '<f4')], \" are not read; save a plain array of numbers");
  EXPECT_EQ(message("\0\0\x0d\x01\0\0\0\0"s),
            "t.npy: .idx elements of kind 0x0d are not read; unsigned bytes (0x08) are");
  EXPECT_EQ(message("\x93NUMPY\x09\x00\x00\x00\x00\x00"s), "t.npy: .npy version 9 is not read; versions 1 to 3 are");
}

TEST(TensorFiles, BrokenHeads) {
  EXPECT_EQ(message(npy("{'descr': '<f4', 'fortran_order': False}", "")),
            "t.npy: the head of this .npy file has no 'shape': \"{'descr': '<f4', 'fortran_order'...\"");
  EXPECT_EQ(message(npy(head("<f4", "(1, x)"), "1234")),
            "t.npy: the shape of this .npy file is not a list of whole numbers: \"(1, x), }\"");
  EXPECT_EQ(message("hello, world"),
            "t.npy: is no tensor: it starts with \"hello, w\"; give NumPy's .npy or MNIST's .idx");
  EXPECT_EQ(message(""),
            "t.npy: is no tensor: it starts with nothing (it is empty); give NumPy's .npy or MNIST's .idx");
}

TEST(TensorFiles, HostileShapesAreNotBelieved) {
  EXPECT_EQ(message(npy(head("<f4", "(4611686018427387904, 4)"), "")),
            "t.npy: holds 0 bytes of values, but its shape (4611686018427387904, 4) of 4-byte elements does not make "
            "that; the "
            "file may be cut short");
}

}  // namespace
}  // namespace lacuna::tests
