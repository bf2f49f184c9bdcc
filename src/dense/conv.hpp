// A convolution or a fully connected layer, dense, by oneDNN: zeros are multiplied like everything else. Sums and bias are f32, whatever is multiplied.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dense/layout.hpp"

namespace lacuna::dense {

/// What a convolution reads and multiplies with, f32 or bf16, and what it writes.
struct ConvTypes {
  Type input = Type::f32;  ///< and of the weights
  Type output = Type::f32;
};

/// A convolution of bytes: scale * (sum of (input - input_zero) * weight + bias) + output_zero, rounded to the nearest and kept within the type.
struct Int8Conv {
  Conv window;                               ///< kernel, strides, channels; its weights and bias stay empty
  Type input = Type::u8, output = Type::u8;  ///< u8 or s8
  std::span<const std::int8_t> weights{};
  std::span<const std::int32_t> bias{};      ///< empty, or one for each output channel, as the scales are
  std::vector<float> scales{};
  std::int32_t input_zero = 0, output_zero = 0;
};

class DenseConv {
 public:
  /// `input` and `output` are the shapes of the values. Throws Unsupported where oneDNN has no such convolution.
  DenseConv(const Conv& conv, const Shape& input, const Shape& output, bool has_skip, ConvTypes types = {});
  DenseConv(const Int8Conv& conv, const Shape& input, const Shape& output);

  const Layout& input() const { return input_; }
  const Layout& output() const { return output_; }  ///< and of the skip connection
  std::size_t scratch_bytes() const { return scratch_.get_size(); }
  const std::string& implementation() const { return implementation_; }

  void run(const std::byte* input, const std::byte* skip, std::byte* output, std::byte* scratch) const;

 private:
  /// Weights and bias as given, row-major; what has no elements is not there.
  struct Given {
    Layout weights, bias;
    const void *weights_data, *bias_data;
  };
  template <typename Description>
  void finish(const Description& description, const Given& given);

  bool has_skip_ = false;
  Layout input_;
  Layout output_;
  Layout scratch_;
  dnnl::memory weights_;
  dnnl::memory bias_;
  dnnl::primitive primitive_;
  std::string implementation_;
};

}  // namespace lacuna::dense
