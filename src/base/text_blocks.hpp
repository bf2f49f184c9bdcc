// Cuts a byte source into blocks of whole lines, so that blocks can be parsed on different threads and a large file
// goes through in bounded memory.
#pragma once

#include <cstdint>
#include <string>

#include "base/byte_source.hpp"

namespace lacuna::base {

class TextBlocks {
 public:
  static constexpr std::size_t default_block_bytes = std::size_t{1} << 20;

  TextBlocks(ByteSource& source, std::string name, std::size_t block_bytes = default_block_bytes)
      : source_(source), name_(std::move(name)), block_bytes_(block_bytes) {}

  /// Takes the next line, without its newline; false at the end. For headers, before the first next().
  bool next_line(std::string& line);

  /// Replaces `block` by the next lines. It always ends with a newline: the last line of the file is given one if it
  /// lacks it. False at the end. Throws InputError for a line longer than a block.
  bool next(std::string& block);

  /// Bytes of text handed out so far.
  std::uint64_t text_bytes() const { return text_bytes_; }

 private:
  bool fill(std::string& buffer);
  void drop_handed_out();

  ByteSource& source_;
  std::string name_;
  std::size_t block_bytes_;
  std::string carry_;            ///< read, not yet handed out,
  std::size_t carry_begin_ = 0;  ///< from here on
  std::uint64_t text_bytes_ = 0;
  bool ended_ = false;
};

}  // namespace lacuna::base
