// A run of floats on a 64-byte boundary, as SIMD kernels and cache lines want it. Not zeroed.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace lacuna::base {

class AlignedFloats {
 public:
  AlignedFloats() = default;
  explicit AlignedFloats(std::size_t size) : size_(size) {
    constexpr std::size_t boundary = 64;
    const std::size_t bytes = (size * sizeof(float) + boundary - 1) / boundary * boundary;
    data_.reset(static_cast<float*>(std::aligned_alloc(boundary, bytes == 0 ? boundary : bytes)));
    if (!data_) throw std::bad_alloc();
  }
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
