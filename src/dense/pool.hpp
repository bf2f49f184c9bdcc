// Pooling by oneDNN, in the layout and of the type its input has.
#pragma once

#include <vector>

#include "dense/layout.hpp"

namespace lacuna::dense {

struct PoolShape {
  enum class Kind { maximum, average, average_with_padding } kind = Kind::maximum;
  std::vector<std::uint32_t> kernel, strides, pads_begin, pads_end;
};

class DensePool {
 public:
  /// Throws Unsupported where oneDNN has no such pooling.
  DensePool(const PoolShape& pool, const Layout& input, const Shape& output);

  const Layout& output() const { return output_; }
  void run(const std::byte* input, std::byte* output) const;

 private:
  Layout input_;
  Layout output_;
  Layout scratch_;
  dnnl::pooling_forward primitive_;
};

}  // namespace lacuna::dense
