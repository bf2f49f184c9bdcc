#include "frontends/neuro/read/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include <lacuna/error.hpp>

#include "base/text.hpp"

namespace lacuna::frontends {

void JsonText::fail(const std::string& sentence) {
  const std::string_view before = text_.substr(0, at_);
  const std::size_t line_start = before.rfind('\n') + 1;  // 0 if there is none
  throw InputError(file_, static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n')) + 1, before.size() - line_start + 1, sentence);
}

std::string JsonText::found() {
  skip_blanks();
  if (at_ >= text_.size()) return "the end of the file, which may be cut short";
  std::size_t end = at_ + 1;
  while (end < text_.size() && std::string_view(" \t\r\n,:[]{}\"").find(text_[end]) == std::string_view::npos) ++end;
  return base::quote(text_.substr(at_, end - at_));
}

void JsonText::fail_expected(char wanted) { fail(fmt::format("expected '{}', found {}", wanted, found())); }

void JsonText::enter(char opening, std::string_view what) {
  constexpr unsigned deepest = 256;  // a bound for hostile files
  if (!take_if(opening)) fail(fmt::format("expected {}, found {}", what, found()));
  if (++depth_ > deepest) fail(fmt::format("more than {} brackets within each other", deepest));
}

std::string JsonText::take_string(std::string_view what) {
  if (!take_if('"')) fail(fmt::format("expected {}, found {}", what, found()));
  std::string value;
  for (;;) {
    const std::size_t end = text_.find_first_of("\"\\\n", at_);
    if (end == std::string_view::npos || text_[end] == '\n') fail("quotes that are not closed in their line");
    value.append(text_, at_, end - at_);
    at_ = end + 1;
    if (text_[end] == '"') return value;
    if (at_ < text_.size() && text_[at_] == 'u')
      take_unicode(value);
    else
      value += take_escape();
  }
}

char JsonText::take_escape() {
  constexpr std::string_view letters = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
  const std::size_t which = at_ < text_.size() ? letters.find(text_[at_]) : std::string_view::npos;
  if (which == std::string_view::npos) fail("a backslash with an unknown letter");
  ++at_;
  return meant[which];
}

unsigned JsonText::take_four_digits() {
  unsigned code = 0;
  const std::string_view digits = text_.substr(std::min(at_ + 1, text_.size()), 4);  // behind the u
  if (digits.size() < 4 || std::from_chars(digits.data(), digits.data() + 4, code, 16).ptr != digits.data() + 4) fail("\\u without four digits");
  at_ += 5;
  return code;
}

void JsonText::take_unicode(std::string& to) {
  unsigned code = take_four_digits();
  if (code >= 0xdc00 && code < 0xe000) fail("the second half of a character without its first");
  if (code >= 0xd800 && code < 0xdc00) {
    if (text_.substr(at_, 2) != "\\u") fail("the first half of a character without its second");
    ++at_;
    const unsigned second = take_four_digits();
    if (second < 0xdc00 || second >= 0xe000) fail("the first half of a character without its second");
    code = 0x10000 + ((code - 0xd800) << 10) + (second - 0xdc00);
  }
  const auto add = [&](unsigned byte) { to += static_cast<char>(byte); };
  if (code < 0x80) return add(code);
  if (code < 0x800) {
    add(0xc0 | (code >> 6));
  } else if (code < 0x10000) {
    add(0xe0 | (code >> 12));
    add(0x80 | ((code >> 6) & 0x3f));
  } else {
    add(0xf0 | (code >> 18));
    add(0x80 | ((code >> 12) & 0x3f));
    add(0x80 | ((code >> 6) & 0x3f));
  }
  add(0x80 | (code & 0x3f));
}

std::int64_t JsonText::take_whole(std::string_view what) {
  skip_blanks();
  std::int64_t value = 0;
  const char* const end = text_.data() + text_.size();
  const auto [stop, error] = std::from_chars(text_.data() + at_, end, value);
  if (error != std::errc{} || (stop != end && (*stop == '.' || *stop == 'e' || *stop == 'E'))) fail(fmt::format("{} {} is not a whole number", what, found()));
  at_ = static_cast<std::size_t>(stop - text_.data());
  return value;
}

double JsonText::take_number(std::string_view what) {
  skip_blanks();
  double value = 0;
  const auto [stop, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
  if (error == std::errc::invalid_argument) fail(fmt::format("{} {} is not a number", what, found()));
  if (error != std::errc{} || !std::isfinite(value)) fail(fmt::format("{} {} is not a finite 64-bit number", what, found()));
  at_ = static_cast<std::size_t>(stop - text_.data());
  return value;
}

bool JsonText::take_bool(std::string_view what) {
  skip_blanks();
  for (const auto& [word, value] : {std::pair{std::string_view("true"), true}, {"false", false}})
    if (text_.substr(at_, word.size()) == word) {
      at_ += word.size();
      return value;
    }
  fail(fmt::format("{} {} is neither true nor false", what, found()));
}

void JsonText::skip_value() {
  skip_blanks();
  const char first = at_ < text_.size() ? text_[at_] : '\0';
  if (first == '{') return take_object([&](std::string_view) { skip_value(); });
  if (first == '[') return take_array([&] { skip_value(); });
  if (first == '"') return static_cast<void>(take_string("a string"));
  for (const std::string_view word : {"true", "false", "null", "NaN", "Infinity", "-Infinity"})
    if (text_.substr(at_, word.size()) == word) {
      at_ += word.size();
      return;
    }
  take_number("the value");
}

void JsonText::finish() {
  skip_blanks();
  if (at_ != text_.size()) fail(fmt::format("{} comes after the end of the JSON object", found()));
}

}  // namespace lacuna::frontends
