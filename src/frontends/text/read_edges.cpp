// A whole edge list: each thread takes the next block of text, unpacked if need be, and parses it while others do
// the same; results stay in the order of the file.
#include <algorithm>
#include <deque>
#include <lacuna/error.hpp>
#include <mutex>

#include "base/parallel.hpp"
#include "frontends/text/edge_list.hpp"

namespace lacuna::frontends {
namespace {

/// Line number of the first line of each block; blocks after an unfinished one are never asked about.
std::uint64_t lines_before(const std::deque<EdgeBlock>& blocks, std::size_t block) {
  std::uint64_t lines = 0;
  for (std::size_t k = 0; k < block; ++k) lines += blocks[k].first.size() + blocks[k].empty_lines.size();
  return lines;
}

}  // namespace

std::uint64_t EdgeList::size() const {
  std::uint64_t entries = 0;
  for (const EdgeBlock& block : blocks) entries += block.first.size();
  return entries;
}

EdgeList read_edges(base::TextBlocks& blocks, const base::ByteSource& source, const std::string& name,
                    const EdgeRules& rules, std::uint64_t header_lines, unsigned threads, base::ProgressCounter* progress) {
  struct Failure {
    std::size_t block;
    LineError error;
  };
  std::mutex mutex;
  std::deque<EdgeBlock> parsed;  // a deque, because others still write to its elements while it grows
  std::optional<Failure> failure;
  base::parallel_for(threads, threads, [&](std::size_t, unsigned) {
    std::string text;
    for (;;) {
      std::size_t number = 0;
      EdgeBlock* block = nullptr;
      std::uint64_t consumed = 0;
      {
        const std::lock_guard lock(mutex);
        if (failure || !blocks.next(text)) return;
        number = parsed.size();
        block = &parsed.emplace_back();
        consumed = source.consumed();
      }
      if (std::optional<LineError> error = parse_edges(text, rules, *block)) {
        const std::lock_guard lock(mutex);
        if (!failure || number < failure->block) failure = Failure{number, *error};
      }
      if (progress != nullptr) progress->reach(consumed);
    }
  });
  if (failure)
    throw InputError(name, header_lines + lines_before(parsed, failure->block) + failure->error.line,
                     failure->error.column, failure->error.sentence);
  EdgeList list;
  list.blocks.assign(std::make_move_iterator(parsed.begin()), std::make_move_iterator(parsed.end()));
  list.header_lines = header_lines;
  list.text_bytes = blocks.text_bytes();
  return list;
}

std::uint64_t line_of_entry(const EdgeList& list, std::size_t block, std::size_t entry) {
  std::uint64_t line = list.header_lines + entry + 1;
  for (std::size_t k = 0; k < block; ++k) line += list.blocks[k].first.size() + list.blocks[k].empty_lines.size();
  const auto& empty = list.blocks[block].empty_lines;
  return line + static_cast<std::uint64_t>(std::upper_bound(empty.begin(), empty.end(), entry) - empty.begin());
}

}  // namespace lacuna::frontends
