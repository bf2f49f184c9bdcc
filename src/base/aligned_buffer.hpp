// A run of floats on a 64-byte boundary, as SIMD kernels and cache lines want it. Not zeroed. Large ones are on pages of 2 MiB where the system has them.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace lacuna::base {

class AlignedFloats {
 public:
  AlignedFloats() = default;
  /// Throws std::bad_alloc.
  explicit AlignedFloats(std::size_t size);
  float* data() { return data_.get(); }
  const float* data() const { return data_.get(); }
  std::size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(float* memory) const { std::free(memory); }
  };
  std::unique_ptr<float, Free> data_;
  std::size_t size_ = 0;
};

}  // namespace lacuna::base
