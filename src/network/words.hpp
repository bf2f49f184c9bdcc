// The words of the text form, for its parser.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include <lacuna/error.hpp>

namespace lacuna::network {

/// Words of the text with their places. A name may stand between double quotes; punctuation `= { } [ ] ( ) , : *` and the end of a line are words of their own.
class Words {
 public:
  Words(std::string_view text, std::string_view name) : text_(text), name_(name) { advance(); }

  std::string_view peek() const { return word_; }
  bool at_end() const { return word_.empty(); }
  bool at_line_end() const { return word_ == "\n" || word_.empty(); }

  /// The next word as messages show it.
  std::string described() const { return quoted(word_); }

  std::string_view take() {
    const std::string_view word = word_;
    advance();
    return word;
  }
  bool take_if(std::string_view wanted) {
    if (word_ != wanted) return false;
    advance();
    return true;
  }
  void expect(std::string_view wanted) {
    if (!take_if(wanted)) fail(fmt::format("expected {}, found {}", quoted(wanted), quoted(word_)));
  }
  void end_line() {
    if (!at_line_end()) fail(fmt::format("expected the end of the line, found {}", quoted(word_)));
    skip_line_ends();
  }
  void skip_line_ends() {
    while (word_ == "\n") advance();
  }

  template <typename Number>
  Number take_number(std::string_view what) {
    Number number{};
    const auto [end, error] = std::from_chars(word_.data(), word_.data() + word_.size(), number);
    if (error != std::errc{} || end != word_.data() + word_.size()) fail(fmt::format("expected {}, found {}", what, quoted(word_)));
    if constexpr (std::is_floating_point_v<Number>)
      if (!std::isfinite(number)) fail(fmt::format("{} is {}; it must be finite", what, number));
    advance();
    return number;
  }

  /// A word, or what stands between double quotes.
  std::string take_name(std::string_view what) {
    if (!at_name()) fail(fmt::format("expected {}, found {}", what, quoted(word_)));
    std::string name = peek_name();
    advance();
    return name;
  }
  std::string peek_name() const { return is_quoted() ? unquoted(word_) : std::string(word_); }
  bool at_name() const { return !at_line_end() && !is_punctuation(word_[0]); }
  bool is_quoted() const { return !word_.empty() && word_[0] == '"'; }

  [[noreturn]] void fail(const std::string& sentence) const { throw InputError(name_, line_, column_, sentence); }

 private:
  static bool is_punctuation(char c) { return std::string_view("={}[](),:*").find(c) != std::string_view::npos; }
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  static std::string quoted(std::string_view word) {
    if (word.empty()) return "the end of the text";
    return word == "\n" ? "the end of the line" : fmt::format("\"{}\"", word);
  }

  /// Behind the closing quotes.
  std::size_t end_of_quotes(std::size_t at) const {
    while (at < text_.size() && text_[at] != '"' && text_[at] != '\n') at += text_[at] == '\\' && at + 1 < text_.size() && text_[at + 1] != '\n' ? 2 : 1;
    if (at >= text_.size() || text_[at] != '"') fail("quotes that are not closed in their line");
    return at + 1;
  }

  /// \" \\ and \xNN stand for a byte.
  std::string unquoted(std::string_view word) const {
    std::string name;
    for (std::size_t k = 1; k + 1 < word.size(); ++k) {
      if (word[k] != '\\') {
        name += word[k];
      } else if (word[k + 1] == 'x') {
        unsigned byte = 0;
        const char* const digits = word.data() + k + 2;
        if (k + 4 >= word.size() || std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2) fail(fmt::format("{} has an \\x without two digits", word));
        name += static_cast<char>(byte);
        k += 3;
      } else {
        name += word[++k];
      }
    }
    return name;
  }

  void advance() {
    if (word_ == "\n") {
      ++line_;
      line_start_ = position_;
    }
    while (position_ < text_.size() && is_blank(text_[position_])) ++position_;
    if (position_ < text_.size() && text_[position_] == '#')
      while (position_ < text_.size() && text_[position_] != '\n') ++position_;
    column_ = position_ - line_start_ + 1;
    std::size_t end = position_;
    if (end < text_.size()) {
      ++end;
      const char first = text_[position_];
      if (first == '"')
        end = end_of_quotes(end);
      else if (first != '\n' && !is_punctuation(first))
        while (end < text_.size() && text_[end] != '\n' && text_[end] != '#' && !is_blank(text_[end]) && !is_punctuation(text_[end])) ++end;
    }
    word_ = text_.substr(position_, end - position_);
    position_ = end;
  }

  std::string_view text_;
  std::string_view name_;
  std::string_view word_;
  std::size_t position_ = 0;
  std::size_t line_start_ = 0;
  std::uint64_t line_ = 1;
  std::uint64_t column_ = 1;
};

}  // namespace lacuna::network
