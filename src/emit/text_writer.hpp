// Lines of generated text, indented.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace lacuna::emit {

class TextWriter {
 public:
  explicit TextWriter(unsigned depth = 0) : depth_(depth) {}

  template <typename... T>
  void line(fmt::format_string<T...> format, T&&... values) {
    text_.append(4 * depth_, ' ');
    fmt::format_to(std::back_inserter(text_), format, std::forward<T>(values)...);
    text_ += '\n';
  }
  /// Every line of it after two slashes, as PTX and C have it.
  void comment(std::string_view lines) {
    for (std::size_t begin = 0; begin <= lines.size();) {
      const std::size_t end = std::min(lines.find('\n', begin), lines.size());
      line("// {}", lines.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  void blank() { text_ += '\n'; }
  void indent() { ++depth_; }
  void outdent() { --depth_; }

  /// One level further out than the lines around it.
  void label(const std::string& name) { text_ += name + ":\n"; }

  /// Finished lines of another writer.
  void append(const std::string& lines) { text_ += lines; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  unsigned depth_ = 0;
};

}  // namespace lacuna::emit
