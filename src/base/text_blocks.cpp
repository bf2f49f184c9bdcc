#include "base/text_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <lacuna/error.hpp>
#include <utility>

namespace lacuna::base {

bool TextBlocks::fill(std::string& buffer) {
  constexpr std::size_t first_step = std::size_t{16} << 10;  // doubled as it goes, so that small files stay cheap
  while (!ended_ && buffer.size() < block_bytes_) {
    const std::size_t before = buffer.size();
    const std::size_t step = std::min(block_bytes_ - before, std::max(first_step, before));
    buffer.resize(before + step);
    const std::size_t got = source_.read(buffer.data() + before, step);
    buffer.resize(before + got);
    ended_ = got == 0;
  }
  return !buffer.empty();
}

bool TextBlocks::next_line(std::string& line) {
  std::size_t newline = carry_.find('\n', carry_begin_);
  if (newline == std::string::npos) {
    drop_handed_out();
    if (!fill(carry_)) return false;
    newline = carry_.find('\n');
  }
  const bool whole = newline != std::string::npos;
  const std::size_t end = whole ? newline : carry_.size();
  line.assign(carry_, carry_begin_, end - carry_begin_);
  text_bytes_ += end - carry_begin_ + (whole ? 1 : 0);
  carry_begin_ = end + (whole ? 1 : 0);
  return true;
}

void TextBlocks::drop_handed_out() {
  carry_.erase(0, carry_begin_);
  carry_begin_ = 0;
}

bool TextBlocks::next(std::string& block) {
  drop_handed_out();
  block.clear();
  std::swap(block, carry_);
  if (!fill(block)) return false;
  const std::size_t newline = block.rfind('\n');
  if (newline == std::string::npos && !ended_)
    throw InputError(name_, fmt::format("a line is longer than {} bytes; this is no text file", block_bytes_));
  if (newline == std::string::npos || (ended_ && newline + 1 < block.size())) {
    text_bytes_ += block.size();
    block += '\n';
  } else {
    carry_.assign(block, newline + 1);
    block.resize(newline + 1);
    text_bytes_ += block.size();
  }
  return true;
}

}  // namespace lacuna::base
