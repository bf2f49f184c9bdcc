#include "frontends/graph_challenge/categories.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <lacuna/error.hpp>
#include <lacuna/load.hpp>

#include "frontends/text/compress_rows.hpp"
#include "frontends/text/matrix_market.hpp"
#include "frontends/text/value_list.hpp"

namespace lacuna::frontends {
namespace {

struct Listed {
  std::vector<std::uint32_t> inputs;  ///< from 1
  std::vector<std::uint64_t> lines;   ///< of each
};

Listed read_matrix_market(base::ByteSource& source, const std::string& name) {
  base::TextBlocks blocks(source, name);
  const MatrixMarketHead head = read_matrix_market_head(blocks, name);
  if (head.columns != 1)
    throw InputError(name, head.lines, 1, fmt::format("a truth file has one column; this one has {}", head.columns));
  const EdgeRules rules{.first = {"input", std::max(head.rows, 1u), fmt::format("the {} of the head", head.rows)},
                        .second = {"column", 1, "the one column of a truth file"},
                        .has_value = head.has_value,
                        .counting = matrix_market_counting};
  const EdgeList list = read_edges(blocks, source, name, rules, head.lines, 1, nullptr);
  check_entries(head, list.size(), name);
  Listed listed;
  for (std::size_t b = 0; b < list.blocks.size(); ++b)
    for (std::size_t k = 0; k < list.blocks[b].first.size(); ++k) {
      listed.inputs.push_back(list.blocks[b].first[k] + 1);
      listed.lines.push_back(line_of_entry(list, b, k));
    }
  return listed;
}

Listed read_lines(base::ByteSource& source, const std::string& name) {
  Listed listed;
  listed.inputs = read_indices(source, name, "the number of an input", &listed.lines);
  if (listed.inputs.empty()) throw InputError(name, "is empty; a truth file lists the inputs that survive, one a line");
  return listed;
}

}  // namespace

std::vector<std::uint32_t> read_categories(base::ByteSource& source, const std::string& name, std::uint32_t count,
                                           bool first_only) {
  const Listed listed = is_matrix_market(name) ? read_matrix_market(source, name) : read_lines(source, name);
  std::vector<std::uint32_t> survivors;
  for (std::size_t k = 0; k < listed.inputs.size(); ++k) {
    const std::uint32_t input = listed.inputs[k];
    if (input == 0) throw InputError(name, listed.lines[k], 1, "input 0 does not exist; truth files count from 1");
    if (input <= count)
      survivors.push_back(input - 1);
    else if (!first_only)
      throw InputError(
          name, listed.lines[k], 1,
          fmt::format("input {} is beyond the {} inputs; is this the truth file of another run?", input, count));
  }
  std::sort(survivors.begin(), survivors.end());
  const auto twice = std::adjacent_find(survivors.begin(), survivors.end());
  if (twice != survivors.end()) throw InputError(name, fmt::format("input {} is listed twice", *twice + 1));
  return survivors;
}

}  // namespace lacuna::frontends

namespace lacuna {

std::vector<std::uint32_t> load_categories(const std::filesystem::path& file, std::uint32_t count, bool first_only) {
  const auto source = base::open_source(file);
  return frontends::read_categories(*source, file.string(), count, first_only);
}

}  // namespace lacuna
