// Where inputs come from: one grey image for each input, and the rule that turns grey into ones.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <lacuna/sparse_matrix.hpp>
#include <span>
#include <string>

namespace lacuna::generate {

struct ImageSource {
  std::string name;
  std::uint32_t width = 28;
  std::uint32_t height = 28;

  /// Draws the image of an input, column-major: pixel (x, y) at x * height + y, as the challenge flattens. Any thread.
  std::function<void(std::uint32_t input, std::span<std::uint8_t> pixels)> draw;

  /// The share of ones wanted for an input, in 1/65536. Empty: pixels above `threshold` are ones.
  std::function<std::uint32_t(std::uint32_t input)> ink;
  std::uint8_t threshold = 0;
};

/// Handwritten digits of an MNIST idx file, again and again with small shifts. One threshold for all.
ImageSource digit_source(const std::filesystem::path& file);

/// Fashion-MNIST: clothes, with the ink of digits.
ImageSource fashion_source(const std::filesystem::path& file, std::uint64_t seed);

/// Random pen strokes, with the ink of digits.
ImageSource stroke_source(std::uint64_t seed);

/// The first `count` images of the source at side x side pixels, as rows of ones.
SparseMatrix make_inputs(const ImageSource& source, std::uint32_t side, std::uint32_t count);

/// An ink share distributed as among MNIST's digits after resizing and thresholding, in 1/65536.
std::uint32_t digit_ink(std::uint64_t seed, std::uint32_t input);

}  // namespace lacuna::generate
