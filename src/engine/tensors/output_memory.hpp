// Memory of the tensors that a session's runs give out. It is used again once nobody has the tensor of an earlier run any more: no page is touched for the first time in every run.
#pragma once

#include <memory>
#include <vector>

#include <lacuna/array.hpp>

#include "base/aligned_buffer.hpp"

namespace lacuna::engine::tensors {

class OutputMemory {
 public:
  struct Block {
    std::byte* data = nullptr;
    Array<std::byte> bytes;  ///< the same memory, which lives as long as this
  };

  /// For the output of that number.
  Block take(std::size_t output, std::size_t bytes) {
    if (blocks_.size() <= output) blocks_.resize(output + 1);
    std::shared_ptr<base::AlignedFloats>& block = blocks_[output];
    const std::size_t floats = (bytes + sizeof(float) - 1) / sizeof(float);
    const bool is_free = block && block.use_count() == 1 && block->size() == floats;
    std::shared_ptr<base::AlignedFloats>(block).reset();  // counting down waits for what others read before they did; use_count() alone does not
    if (!is_free) block = std::make_shared<base::AlignedFloats>(floats);
    auto* const data = reinterpret_cast<std::byte*>(block->data());
    return {data, {std::span<const std::byte>(data, bytes), block}};
  }

 private:
  std::vector<std::shared_ptr<base::AlignedFloats>> blocks_;
};

}  // namespace lacuna::engine::tensors
