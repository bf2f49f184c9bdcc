// Lines of numbers into memory, fast: the text side of both writers.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/atomic_file.hpp"

namespace lacuna::generate {

/// Text of a size known beforehand: the caller reserves, adds pieces, and writes them out when full().
class TextLines {
 public:
  explicit TextLines(std::size_t bytes) { reserve(bytes); }

  /// Makes room for `bytes` before full().
  void reserve(std::size_t bytes) {
    if (bytes + longest_piece > bytes_.size()) bytes_.resize(bytes + longest_piece);
    limit_ = bytes_.size() - longest_piece;
  }

  bool full() const { return size_ >= limit_; }

  /// At most longest_piece characters between two looks at full().
  void add(std::string_view piece) {
    std::memcpy(bytes_.data() + size_, piece.data(), piece.size());
    size_ += piece.size();
  }
  void add(std::uint32_t number) {
    size_ = static_cast<std::size_t>(std::to_chars(bytes_.data() + size_, bytes_.data() + bytes_.size(), number).ptr -
                                     bytes_.data());
  }
  void write_to(base::AtomicFile& file) {
    file.write(bytes_.data(), size_);
    size_ = 0;
  }

 private:
  static constexpr std::size_t longest_piece = 256;
  std::string bytes_;
  std::size_t limit_ = 0;
  std::size_t size_ = 0;
};

/// `6.250000e-02`, as in the official files, where that reads back as the same float; else the shortest text that does.
std::string weight_text(float weight);

/// The shortest text that reads back as the same float.
std::string shortest_text(float value);

}  // namespace lacuna::generate
