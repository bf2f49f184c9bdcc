// SparseRows -> text, for people and golden tests.
#include <fmt/format.h>

#include <iterator>

#include "rows/sparse_rows.hpp"

namespace lacuna::rows {
namespace {

std::string range(PlaneRange planes) { return fmt::format("[{},{})", planes.first, planes.first + planes.count); }

std::string bias_of(const RowGroup& group, std::size_t row) {
  if (group.bias.empty()) return "0";
  return fmt::format("{}", group.bias[group.bias.size() == 1 ? 0 : row]);
}

}  // namespace

std::string print(const SparseRows& rows, bool with_weights) {
  std::string text;
  auto out = std::back_inserter(text);
  fmt::format_to(out, "rows: {} planes, input {}, output {}\n", rows.planes, range(rows.input), range(rows.output));
  for (const RowGroup& group : rows.groups) {
    std::string operands = group.weights.nnz() > 0 ? "W*" + range(group.source) : "";
    for (PlaneRange residual : group.residuals) operands += (operands.empty() ? "" : " + ") + range(residual);
    fmt::format_to(out, "group {}: {} = {}({}), {} rows, {} nonzeros{}\n", group.name, range(group.destination),
                   to_string(group.activation), operands, group.weights.rows, group.weights.nnz(),
                   group.zero_from_here ? ", zero stays zero" : "");
    if (!with_weights) continue;
    for (std::size_t row = 0; row < group.weights.rows; ++row) {
      fmt::format_to(out, "  {} = {}", group.destination.first + row, bias_of(group, row));
      for (std::size_t e = group.weights.row_begin[row]; e < group.weights.row_begin[row + 1]; ++e)
        fmt::format_to(out, " + {}*[{}]", group.weights.value(e), group.source.first + group.weights.column(e));
      fmt::format_to(out, "\n");
    }
  }
  return text;
}

}  // namespace lacuna::rows
