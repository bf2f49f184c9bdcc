#include "frontends/graph_challenge/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <lacuna/error.hpp>
#include <lacuna/network.hpp>

#include "frontends/text/compress_rows.hpp"
#include "frontends/text/matrix_market.hpp"

namespace lacuna::frontends {
namespace {

/// N of the challenge's own file name sparse-images-<N>.tsv; 0 for any other name.
std::uint32_t neurons_of_name(const std::string& name) {
  constexpr std::string_view start = "sparse-images-";
  const std::string file = std::filesystem::path(name).filename().string();
  if (!file.starts_with(start)) return 0;
  std::uint32_t neurons = 0;
  const auto [end, error] = std::from_chars(file.data() + start.size(), file.data() + file.size(), neurons);
  const bool complete = end != file.data() + file.size() && *end == '.';
  return error == std::errc{} && complete && neurons <= max_neurons ? neurons : 0;
}

/// A tiny file can name input 4,000,000,000; the rows up to it are only made if the file or the caller vouches for
/// them.
void check_believable(std::uint64_t count, const InputRules& rules, const std::string& name) {
  constexpr std::uint64_t always_believed = 1 << 20;
  if (count <= std::max({always_believed, rules.file_bytes, std::uint64_t{rules.count}})) return;
  throw InputError(name, fmt::format("speaks of {} inputs in {} bytes; say how many inputs there are if this is right",
                                     count, rules.file_bytes));
}

std::string columns_place(std::uint32_t neurons) {
  return neurons == 0 ? "the network" : fmt::format("the network ({} neurons)", neurons);
}

}  // namespace

SparseMatrix read_inputs(base::ByteSource& source, const std::string& name, const InputRules& rules,
                         base::ProgressCounter* progress, std::uint64_t& text_bytes) {
  base::TextBlocks blocks(source, name);
  MatrixMarketHead head;
  const bool has_head = is_matrix_market(name);
  EdgeRules edges;
  std::uint32_t neurons = rules.neurons;
  if (has_head) {
    head = read_matrix_market_head(blocks, name);
    if (neurons != 0 && head.columns != neurons)
      throw InputError(name, head.lines, 1,
                       fmt::format("the inputs have {} neurons, but the network has {}", head.columns, neurons));
    if (head.rows == 0 || head.columns == 0 || head.columns > max_neurons)
      throw InputError(name, head.lines, 1,
                       fmt::format("{} inputs of {} neurons are no inputs", head.rows, head.columns));
    check_believable(head.rows, rules, name);
    neurons = head.columns;
    edges.has_value = head.has_value;
    edges.counting = matrix_market_counting;
  } else if (neurons == 0) {
    neurons = neurons_of_name(name);
  }
  edges.first = {"input", head.rows, has_head ? fmt::format("the {} of the head", head.rows) : "the inputs"};
  edges.second = {"neuron", neurons != 0 ? neurons : static_cast<std::uint32_t>(max_neurons), columns_place(neurons)};

  const EdgeList list = read_edges(blocks, source, name, edges, head.lines, rules.threads, progress);
  text_bytes = list.text_bytes;
  if (has_head) {
    check_entries(head, list.size(), name);
    return compress_rows(list, RowIndex::first, head.rows, head.columns, name, edges);
  }
  if (list.size() == 0) throw InputError(name, "is empty; inputs are lines of input, neuron and value");
  const std::uint64_t rows = count_indices(list, RowIndex::first);
  check_believable(rows, rules, name);
  if (neurons == 0) neurons = static_cast<std::uint32_t>(count_indices(list, RowIndex::second));
  return compress_rows(list, RowIndex::first, static_cast<std::uint32_t>(rows), neurons, name, edges);
}

}  // namespace lacuna::frontends
