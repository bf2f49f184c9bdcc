// Edge lists: lines of two indices and, mostly, a value. The layers and inputs of the challenge, the sparse layers of
// trained folders and the entries of Matrix Market files are all read here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_blocks.hpp"
#include "base/progress_counter.hpp"

namespace lacuna::frontends {

/// One of the two indices of a line: its word in messages, and how many there may be.
struct Axis {
  std::string_view word = "row";
  std::uint32_t count = 0;  ///< 0: as many as indices can say
  std::string place;        ///< "layer 3 (1024 neurons)"
};

struct EdgeRules {
  Axis first;
  Axis second;
  bool has_value = true;         ///< false: two indices a line, every value is 1
  std::uint32_t index_base = 1;  ///< what the first row is called
  std::string_view counting = "Graph Challenge files count from 1";
};

/// The largest index an axis takes, counted from 0.
inline std::uint32_t last_index(const Axis& axis, const EdgeRules& rules) {
  return axis.count == 0 ? ~rules.index_base : axis.count - 1;
}

/// The entries of some consecutive lines, 0-based.
struct EdgeBlock {
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> second;
  float value = 1;                         ///< of every entry, while they are equal
  std::vector<float> values;               ///< of each entry, once two differ
  std::vector<std::uint32_t> empty_lines;  ///< for each empty line, the number of entries before it
};

struct EdgeList {
  std::vector<EdgeBlock> blocks;
  std::uint64_t header_lines = 0;
  std::uint64_t text_bytes = 0;

  std::uint64_t size() const;
};

/// Where and why a line could not be read. `line` counts from 1 at the start of the text parsed.
struct LineError {
  std::uint64_t line = 0;
  std::uint64_t column = 0;
  std::string sentence;
};

/// Parses whole lines; `text` ends with a newline. Stops at the first line that breaks the rules.
std::optional<LineError> parse_edges(std::string_view text, const EdgeRules& rules, EdgeBlock& block);

/// What is wrong with a line (without its newline) that parse_edges refused.
LineError explain_line(std::string_view line, const EdgeRules& rules);

/// Reads everything `blocks` still has, on `threads` threads; progress is in bytes of the file.
/// Throws InputError for the first bad line, naming file, line and column.
EdgeList read_edges(base::TextBlocks& blocks, const base::ByteSource& source, const std::string& name,
                    const EdgeRules& rules, std::uint64_t header_lines, unsigned threads, base::ProgressCounter* progress);

/// The line of the file on which entry `entry` of block `block` stands, from 1.
std::uint64_t line_of_entry(const EdgeList& list, std::size_t block, std::size_t entry);

}  // namespace lacuna::frontends
