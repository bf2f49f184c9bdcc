#include "frontends/neuro/read/lines.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include <lacuna/error.hpp>

#include "base/text.hpp"
#include "frontends/text/number.hpp"

namespace lacuna::frontends {

Lines::Lines(std::string_view text, std::string_view file) : rest_(text), file_(file) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (rest_.starts_with(byte_order_mark)) rest_.remove_prefix(byte_order_mark.size());
}

bool Lines::next() {
  if (rest_.empty()) return false;
  const std::size_t end = rest_.find('\n');
  line_ = rest_.substr(0, end);
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  ++number_;
  fields_.clear();
  return true;
}

/// `at` is at the opening quotes; returns the place behind the closing ones.
std::size_t Lines::take_quoted(std::size_t at) {
  const std::size_t start = at;
  std::string text;
  for (++at; at < line_.size() && line_[at] != '"'; ++at) {
    if (line_[at] != '\\') {
      text += line_[at];
    } else if (at + 3 < line_.size() && line_[at + 1] == 'x') {
      unsigned byte = 0;
      if (std::from_chars(line_.data() + at + 2, line_.data() + at + 4, byte, 16).ptr != line_.data() + at + 4) break;
      text += static_cast<char>(byte);
      at += 3;
    } else if (at + 1 < line_.size()) {
      text += line_[++at];
    }
  }
  if (at >= line_.size() || line_[at] != '"') throw InputError(file_, number_, start + 1, "quotes that are not closed in their line");
  unquoted_.push_back(std::move(text));
  fields_.push_back({start, {}, true});
  return at + 1;
}

void Lines::split() {
  fields_.clear();
  unquoted_.clear();
  for (std::size_t at = 0; at < line_.size();) {
    if (is_blank(line_[at])) {
      ++at;
    } else if (line_[at] == '"') {
      at = take_quoted(at);
    } else {
      std::size_t end = at;
      while (end < line_.size() && !is_blank(line_[end])) ++end;
      fields_.push_back({at, line_.substr(at, end - at), false});
      at = end;
    }
  }
  if (unquoted_.empty()) return;
  std::size_t k = 0;  // only now: the strings have moved while there were more to come
  for (Field& field : fields_)
    if (field.is_quoted) field.text = unquoted_[k++];
}

void Lines::expect_fields(std::size_t least, std::size_t most, std::string_view form) const {
  if (fields() < least) fail(fields(), fmt::format("the line ends after {} of {} fields; it should read: {}", fields(), least, form));
  if (fields() > most) fail(most, fmt::format("{} comes after the {} fields of the line: {}", base::quote(field(most)), most, form));
}

std::int64_t Lines::whole(std::size_t k, std::string_view what) const {
  const std::string_view text = field(k);
  const char* const end = text.data() + text.size();
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) fail(k, fmt::format("{} {} is not a whole number", what, base::quote(text)));
  return value;
}

std::int64_t Lines::whole(std::size_t k, std::string_view what, std::int64_t least, std::int64_t most) const {
  const std::int64_t value = whole(k, what);
  if (value < least || value > most) fail(k, fmt::format("{} {} is outside {} to {}", what, value, least, most));
  return value;
}

double Lines::number(std::size_t k, std::string_view what) const { return number(field(k), k, 0, what); }

double Lines::number(std::string_view text, std::size_t k, std::size_t offset, std::string_view what) const {
  const char* const end = text.data() + text.size();
  const bool has_plus = text.size() > 1 && text[0] == '+' && text[1] != '-';
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data() + (has_plus ? 1 : 0), end, value);
  if (stop != end || error == std::errc::invalid_argument) fail(k, fmt::format("{} {} is not a number", what, base::quote(text)), offset);
  if (error != std::errc{} || !std::isfinite(value)) fail(k, fmt::format("{} {} is not a finite 64-bit number", what, base::quote(text)), offset);
  return value;
}

void Lines::fail(std::size_t k, const std::string& sentence, std::size_t offset) const {
  const std::size_t position = k < fields_.size() ? fields_[k].position + offset : line_.size();
  throw InputError(file_, number_, position + 1, sentence);
}

}  // namespace lacuna::frontends
