#include "frontends/text/matrix_market.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <lacuna/error.hpp>
#include <sstream>
#include <vector>

#include "base/text.hpp"

namespace lacuna::frontends {
namespace {

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  std::istringstream stream(line);
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

void read_banner(const std::string& line, const std::string& name, MatrixMarketHead& head) {
  std::string lower = line;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::vector<std::string> words = words_of(lower);
  if (words.size() != 5 || words[0] != "%%matrixmarket" || words[1] != "matrix")
    throw InputError(name, 1, 1,
                     fmt::format("a Matrix Market file starts with \"%%MatrixMarket matrix coordinate real general\" "
                                 "or the like; this one starts with {}",
                                 base::quote(line)));
  if (words[2] != "coordinate")
    throw Unsupported(
        fmt::format("{}: {} matrices are not read; write it in coordinate form", name, base::quote(words[2])));
  if (words[3] != "real" && words[3] != "integer" && words[3] != "pattern")
    throw Unsupported(
        fmt::format("{}: entries of kind {} are not read; use real, integer or pattern", name, base::quote(words[3])));
  if (words[4] != "general")
    throw Unsupported(
        fmt::format("{}: symmetry {} is not read; write all entries and call it general", name, base::quote(words[4])));
  head.has_value = words[3] != "pattern";
}

template <typename Number>
Number read_size(const std::string& word, const std::string& name, std::uint64_t line) {
  Number number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{} || end != word.data() + word.size())
    throw InputError(name, line, 1,
                     fmt::format("size {} is not a whole number below 2^{}", base::quote(word), 8 * sizeof(Number)));
  return number;
}

}  // namespace

MatrixMarketHead read_matrix_market_head(base::TextBlocks& blocks, const std::string& name) {
  MatrixMarketHead head;
  std::string line;
  if (!blocks.next_line(line)) throw InputError(name, "is empty; a Matrix Market file has at least two lines");
  read_banner(line, name, head);
  head.lines = 1;
  while (blocks.next_line(line)) {
    ++head.lines;
    const std::vector<std::string> words = words_of(line);
    if (words.empty() || words[0].starts_with('%')) continue;
    if (words.size() != 3)
      throw InputError(name, head.lines, 1,
                       fmt::format("expected the sizes (rows, columns, entries), found {}", base::quote(line)));
    head.rows = read_size<std::uint32_t>(words[0], name, head.lines);
    head.columns = read_size<std::uint32_t>(words[1], name, head.lines);
    head.entries = read_size<std::uint64_t>(words[2], name, head.lines);
    return head;
  }
  throw InputError(name, "ends before the line of its sizes (rows, columns, entries)");
}

void check_entries(const MatrixMarketHead& head, std::uint64_t entries, const std::string& name) {
  if (entries != head.entries)
    throw InputError(name, fmt::format("holds {} entries, but its head promises {}; the file may be cut short", entries,
                                       head.entries));
}

bool is_matrix_market(std::string_view name) {
  return name.ends_with(".mtx") || name.ends_with(".mtx.gz") || name.ends_with(".mtx.zst");
}

}  // namespace lacuna::frontends
