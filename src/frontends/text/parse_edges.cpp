// The inner loop of all edge lists. Most values of a file repeat the one before, so their text is compared first and
// parsed only if it differs; values are kept one by one only once two of them differ.
#include <algorithm>
#include <bit>
#include <cstring>

#include "frontends/text/edge_list.hpp"
#include "frontends/text/number.hpp"

namespace lacuna::frontends {
namespace {

/// The value's text on the line before, and what it meant.
struct LastValue {
  const char* text = nullptr;
  std::size_t size = 0;
  float value = 0;

  const char* parse(const char* at, const char* end) {
    if (size != 0 && static_cast<std::size_t>(end - at) > size && std::memcmp(at, text, size) == 0 &&
        (at[size] == '\n' || at[size] == '\r'))
      return at + size;
    const char* stop = parse_value(at, end, value);
    if (stop == nullptr) {
      size = 0;
      return nullptr;
    }
    text = at;
    size = static_cast<std::size_t>(stop - at);
    return stop;
  }
};

void keep_value(EdgeBlock& block, float value) {
  if (block.values.empty()) {
    if (block.first.empty()) block.value = value;
    if (std::bit_cast<std::uint32_t>(block.value) == std::bit_cast<std::uint32_t>(value)) return;
    block.values.reserve(block.first.capacity());
    block.values.assign(block.first.size(), block.value);
  }
  block.values.push_back(value);
}

LineError explain(std::string_view text, const char* line, const EdgeRules& rules) {
  const char* newline = std::find(line, text.data() + text.size(), '\n');
  LineError error = explain_line({line, newline}, rules);
  error.line = 1 + static_cast<std::uint64_t>(std::count(text.data(), line, '\n'));
  return error;
}

}  // namespace

std::optional<LineError> parse_edges(std::string_view text, const EdgeRules& rules, EdgeBlock& block) {
  constexpr std::size_t usual_line_bytes = 10;
  block.first.reserve(text.size() / usual_line_bytes);
  block.second.reserve(text.size() / usual_line_bytes);
  // An index below the base wraps around to a large one, so one comparison finds both ends of the range.
  const std::uint32_t last_first = last_index(rules.first, rules);
  const std::uint32_t last_second = last_index(rules.second, rules);
  const char* const end = text.data() + text.size();
  LastValue last;
  for (const char* line = text.data(); line != end;) {
    const char* at = skip_blanks(line);
    if (const char* next = end_of_line(at)) {
      block.empty_lines.push_back(static_cast<std::uint32_t>(block.first.size()));
      line = next;
      continue;
    }
    std::uint32_t first = 0;
    std::uint32_t second = 0;
    at = parse_index(at, first);
    if (at == nullptr || !is_blank(*at)) return explain(text, line, rules);
    at = parse_index(skip_blanks(at), second);
    if (at == nullptr) return explain(text, line, rules);
    if (rules.has_value) {
      if (!is_blank(*at)) return explain(text, line, rules);
      at = last.parse(skip_blanks(at), end);
      if (at == nullptr) return explain(text, line, rules);
    }
    at = end_of_line(at);
    first -= rules.index_base;
    second -= rules.index_base;
    if (at == nullptr || first > last_first || second > last_second) return explain(text, line, rules);
    if (rules.has_value) keep_value(block, last.value);
    block.first.push_back(first);
    block.second.push_back(second);
    line = at;
  }
  return std::nullopt;
}

}  // namespace lacuna::frontends
