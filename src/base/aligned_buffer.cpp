#include "base/aligned_buffer.hpp"

#include <sys/mman.h>

#include <new>

namespace lacuna::base {
namespace {

constexpr std::size_t line_bytes = 64;
constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

}  // namespace

AlignedFloats::AlignedFloats(std::size_t size) : size_(size) {
  const std::size_t bytes = (size * sizeof(float) + line_bytes - 1) / line_bytes * line_bytes;
  const bool is_large = bytes >= huge_page_bytes;
  void* memory = nullptr;
  if (::posix_memalign(&memory, is_large ? huge_page_bytes : line_bytes, bytes == 0 ? line_bytes : bytes) != 0) throw std::bad_alloc();
  if (is_large) ::madvise(memory, bytes, MADV_HUGEPAGE);  // a wish: where it is not granted, pages are small
  data_.reset(static_cast<float*>(memory));
}

}  // namespace lacuna::base
