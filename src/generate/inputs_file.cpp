// write_inputs: sparse inputs as the challenge's text, `input \t neuron \t 1`, counted from 1. Blocks of inputs become
// text on all cores and are written in order.
#include <fmt/format.h>

#include <algorithm>
#include <lacuna/generate.hpp>
#include <vector>

#include "base/parallel.hpp"
#include "generate/text_lines.hpp"

namespace lacuna {
namespace generate {
namespace {

constexpr std::size_t block_entries = std::size_t{1} << 18;
constexpr std::size_t longest_line = 48;

/// Rows [result, next result) hold about block_entries entries.
std::vector<std::uint32_t> block_starts(const SparseMatrix& inputs) {
  std::vector<std::uint32_t> starts{0};
  for (std::uint32_t row = 0; row < inputs.rows; ++row)
    if (inputs.row_begin[row + std::size_t{1}] - inputs.row_begin[starts.back()] >= block_entries)
      starts.push_back(row + 1);
  if (starts.back() != inputs.rows) starts.push_back(inputs.rows);
  return starts;
}

void add_rows(const SparseMatrix& inputs, std::uint32_t first, std::uint32_t last, TextLines& lines) {
  const std::string one = "1";
  for (std::uint32_t row = first; row < last; ++row) {
    const std::string start = fmt::format("{}\t", row + 1);
    for (std::size_t entry = inputs.row_begin[row]; entry < inputs.row_begin[row + std::size_t{1}]; ++entry) {
      const float value = inputs.value(entry);
      lines.add(start);
      lines.add(inputs.column(entry) + 1);
      lines.add("\t");
      lines.add(value == 1 ? one : shortest_text(value));
      lines.add("\n");
    }
  }
}

}  // namespace
}  // namespace generate

void write_inputs(const SparseMatrix& inputs, const std::filesystem::path& file) {
  using generate::TextLines;
  const std::vector<std::uint32_t> starts = generate::block_starts(inputs);
  const std::size_t blocks = starts.size() - 1;
  const unsigned threads = base::thread_count(0);
  base::AtomicFile output(file);
  std::vector<TextLines> texts(threads, TextLines(0));
  for (std::size_t first = 0; first < blocks; first += threads) {
    const std::size_t count = std::min<std::size_t>(threads, blocks - first);
    base::parallel_for(threads, count, [&](std::size_t i, unsigned) {
      const std::size_t b = first + i;
      const std::size_t entries = inputs.row_begin[starts[b + 1]] - inputs.row_begin[starts[b]];
      texts[i].reserve(entries * generate::longest_line);
      generate::add_rows(inputs, starts[b], starts[b + 1], texts[i]);
    });
    for (std::size_t i = 0; i < count; ++i) texts[i].write_to(output);
  }
  output.commit();
}

}  // namespace lacuna
