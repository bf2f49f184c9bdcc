// The words for a line that parse_edges refused. Slow and careful, because it runs once.
#include <fmt/format.h>

#include <lacuna/error.hpp>

#include "base/text.hpp"
#include "frontends/text/edge_list.hpp"
#include "frontends/text/number.hpp"

namespace lacuna::frontends {
namespace {

struct Field {
  std::size_t position = 0;
  std::string_view text;
};

std::vector<Field> split(std::string_view line) {
  std::vector<Field> fields;
  for (std::size_t at = 0; at < line.size();) {
    if (is_blank(line[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < line.size() && !is_blank(line[end])) ++end;
    fields.push_back({at, line.substr(at, end - at)});
    at = end;
  }
  return fields;
}

std::string_view without_sign(std::string_view text) {
  if (text.size() > 1 && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return text;
}

std::optional<std::string> explain_index(std::string_view text, const Axis& axis, const EdgeRules& rules) {
  if (without_sign(text).find_first_not_of("0123456789") != std::string_view::npos)
    return fmt::format("{} {} is not a whole number", axis.word, base::quote(text));
  const std::string terminated = std::string(text) + '\n';
  std::uint32_t index = 0;
  const bool fits = parse_index(terminated.data(), index) != nullptr;
  if (fits && index - rules.index_base <= last_index(axis, rules)) return std::nullopt;
  return fmt::format("{} {} is outside {}; {}", axis.word, text.substr(0, 32), axis.place, rules.counting);
}

std::optional<std::string> explain_value(std::string_view text) {
  const std::string terminated = std::string(text) + '\n';
  const char* end = terminated.data() + text.size();
  float value = 0;
  if (parse_value(terminated.data(), end, value) == end) return std::nullopt;
  double wide = 0;
  const auto [stop, error] = std::from_chars(terminated.data() + (text[0] == '+' ? 1 : 0), end, wide);
  if (error != std::errc::invalid_argument && stop == end)
    return fmt::format("value {} is not a finite 32-bit number", base::quote(text));
  return fmt::format("value {} is not a number", base::quote(text));
}

}  // namespace

LineError explain_line(std::string_view line, const EdgeRules& rules) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  const std::vector<Field> fields = split(line);
  const std::size_t expected = rules.has_value ? 3 : 2;
  for (std::size_t k = 0; k < expected; ++k) {
    if (k >= fields.size())
      return {0, line.size() + 1,
              fmt::format("the line ends after {} of {} fields ({}, {}{})", fields.size(), expected, rules.first.word,
                          rules.second.word, rules.has_value ? ", value" : "")};
    const Field& field = fields[k];
    const std::optional<std::string> sentence =
        k == 2 ? explain_value(field.text) : explain_index(field.text, k == 0 ? rules.first : rules.second, rules);
    if (sentence) return {0, field.position + 1, *sentence};
  }
  if (fields.size() > expected)
    return {0, fields[expected].position + 1,
            fmt::format("{} comes after the {} fields of a line", base::quote(fields[expected].text), expected)};
  throw InternalError("a line was refused that has nothing wrong: " + base::quote(line));
}

}  // namespace lacuna::frontends
