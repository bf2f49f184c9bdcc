// A convolution or a fully connected layer, dense, by oneDNN: zeros are multiplied like everything else.
#pragma once

#include <string>

#include "dense/layout.hpp"

namespace lacuna::dense {

class DenseConv {
 public:
  /// `input` and `output` are the shapes of the values. Throws Unsupported where oneDNN has no such convolution.
  DenseConv(const Conv& conv, const Shape& input, const Shape& output, bool has_skip);

  const Layout& input() const { return input_; }
  const Layout& output() const { return output_; }  ///< and of the skip connection
  std::size_t scratch_bytes() const { return scratch_.get_size(); }
  const std::string& implementation() const { return implementation_; }

  void run(const float* input, const float* skip, float* output, std::byte* scratch) const;

 private:
  template <typename Description>
  void finish(const Description& description, const Conv& conv, const Layout& given_weights);

  bool has_skip_;
  Layout input_;
  Layout output_;
  Layout scratch_;
  dnnl::memory weights_;
  dnnl::memory bias_;
  dnnl::primitive primitive_;
  std::string implementation_;
};

}  // namespace lacuna::dense
