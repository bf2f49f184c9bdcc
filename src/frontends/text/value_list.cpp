#include "frontends/text/value_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <lacuna/error.hpp>

#include "base/text.hpp"
#include "base/text_blocks.hpp"
#include "frontends/text/number.hpp"

namespace lacuna::frontends {
namespace {

/// Calls parse(at, end, line number) for every line that is not empty; it returns where the number ends, or nullptr.
template <typename Parse>
void read_lines(base::ByteSource& source, const std::string& name, const char* expected, Parse parse) {
  base::TextBlocks blocks(source, name);
  std::uint64_t line_number = 0;
  for (std::string text; blocks.next(text);) {
    const char* const end = text.data() + text.size();
    for (const char* line = text.data(); line != end;) {
      ++line_number;
      const char* at = skip_blanks(line);
      const char* next = end_of_line(at);
      if (next == nullptr) {
        const char* stop = parse(at, end, line_number);
        next = stop == nullptr ? nullptr : end_of_line(stop);
      }
      if (next == nullptr) {
        const std::string_view rest(at, std::find(at, end, '\n'));
        const bool carriage_return = rest.ends_with('\r');
        throw InputError(name, line_number, static_cast<std::uint64_t>(at - line) + 1,
                         fmt::format("{} is not {}, which is all a line holds here",
                                     base::quote(rest.substr(0, rest.size() - (carriage_return ? 1 : 0))), expected));
      }
      line = next;
    }
  }
}

}  // namespace

std::vector<float> read_values(base::ByteSource& source, const std::string& name) {
  std::vector<float> values;
  read_lines(source, name, "a finite 32-bit number", [&](const char* at, const char* end, std::uint64_t) {
    float value = 0;
    const char* stop = parse_value(at, end, value);
    values.push_back(value);
    return stop;
  });
  return values;
}

std::vector<std::uint32_t> read_indices(base::ByteSource& source, const std::string& name, const char* expected,
                                        std::vector<std::uint64_t>* lines) {
  std::vector<std::uint32_t> indices;
  read_lines(source, name, expected, [&](const char* at, const char*, std::uint64_t line) {
    std::uint32_t index = 0;
    const char* stop = parse_index(at, index);
    indices.push_back(index);
    lines->push_back(line);
    return stop;
  });
  return indices;
}

}  // namespace lacuna::frontends
