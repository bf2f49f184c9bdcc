#include "plan/conv_blocks.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/round_up.hpp"

namespace lacuna::plan {
namespace {

/// Puts those of `values` where sorting would put them that stand at the ends of parts [first, last) of all `parts`.
void sort_ends(std::vector<std::int32_t>& values, std::size_t parts, std::size_t first, std::size_t last) {
  if (last - first < 2) return;
  const std::size_t middle = (first + last) / 2;
  const auto at = [&](std::size_t part) { return values.begin() + static_cast<std::ptrdiff_t>(values.size() * part / parts); };
  std::nth_element(std::min(at(first) + (first > 0 ? 1 : 0), at(middle)), at(middle), at(last));  // the first has its place already
  sort_ends(values, parts, first, middle);
  sort_ends(values, parts, middle, last);
}

/// Cuts the sources in `groups` ranges with about as many nonzeros each.
std::vector<std::int32_t> cut_sources(const rows::ConvRows& rows, unsigned groups) {
  std::vector<std::int32_t> cuts{std::numeric_limits<std::int32_t>::min()};
  std::vector<std::int32_t> offsets;
  for (std::size_t k = 0; k < rows.nonzeros.size() && groups > 1; ++k) offsets.push_back(rows.nonzeros[k].offset);
  sort_ends(offsets, groups, 0, groups);
  const auto lowest = std::min_element(offsets.begin(), offsets.end());
  for (unsigned group = 1; group < groups && !offsets.empty(); ++group) {
    const std::int32_t cut = offsets[offsets.size() * group / groups];
    if (cut > cuts.back() && cut > *lowest) cuts.push_back(cut);
  }
  cuts.push_back(std::numeric_limits<std::int32_t>::max());
  return cuts;
}

std::vector<std::uint32_t> order_rows(const rows::ConvRows& rows, const ConvKernelChoice& choice) {
  if (choice.kind == ConvKernelKind::baked) return rows::cluster_rows(rows, choice.rows);
  std::vector<std::uint32_t> order(rows.rows());
  std::iota(order.begin(), order.end(), 0u);
  const auto length = [&](std::uint32_t row) { return rows.row_begin[row + std::size_t{1}] - rows.row_begin[row]; };
  if (choice.kind == ConvKernelKind::gather) std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return length(a) > length(b); });
  return order;
}

/// Blocks come by falling length of their rows: dealt out back and forth, so that ranges of them that threads take cost the same.
std::vector<std::uint32_t> deal_blocks(std::uint32_t blocks, unsigned threads) {
  std::vector<std::uint32_t> dealt;
  for (unsigned hand = 0; hand < threads; ++hand)
    for (std::uint32_t block = 0; block < blocks; ++block)
      if (const unsigned place = block % (2 * threads); hand == std::min(place, 2 * threads - 1 - place)) dealt.push_back(block);
  return dealt;
}

}  // namespace

ConvBlocks make_blocks(const rows::ConvRows& rows, const rows::Planes& out, const rows::Planes* skip, const ConvKernelChoice& choice, unsigned threads) {
  ConvBlocks blocks;
  blocks.order = order_rows(rows, choice);
  blocks.has_skip = skip != nullptr;
  const auto count = static_cast<std::uint32_t>(rows.rows());
  // A table's blocks may be smaller, so that each thread has some.
  blocks.rows_at_once = is_table(choice.kind) ? std::max(1u, std::min(choice.rows, (count + 4 * threads - 1) / (4 * threads))) : choice.rows;
  const std::uint32_t least = (count + blocks.rows_at_once - 1) / blocks.rows_at_once;  // blocks, if none were together
  const std::uint32_t number = choice.together == 1 ? least : std::min(least, static_cast<std::uint32_t>(base::round_up((least + choice.together - 1) / choice.together, threads)));
  const auto begin_of = [&](std::uint32_t block) { return std::min<std::uint32_t>(count, static_cast<std::uint32_t>(std::uint64_t{least} * block / number) * blocks.rows_at_once); };
  std::vector<std::uint32_t> order;
  order.reserve(count);
  for (std::uint32_t block : deal_blocks(number, choice.kind == ConvKernelKind::baked ? threads : 1)) {
    blocks.block_begin.push_back(static_cast<std::uint32_t>(order.size()));
    order.insert(order.end(), blocks.order.begin() + begin_of(block), blocks.order.begin() + begin_of(block + 1));
  }
  blocks.order = std::move(order);
  blocks.block_begin.push_back(count);
  blocks.cuts = cut_sources(rows, rows.lane_step == 1 ? choice.groups : 1);  // in steps, ranges of offsets would not be in the order of the sums
  for (std::uint32_t row : blocks.order) {
    blocks.destinations.push_back(static_cast<std::int64_t>(out.channel * row));
    blocks.skips.push_back(static_cast<std::int64_t>(skip != nullptr ? skip->channel * row : 0));
    blocks.bias.push_back(rows.bias[row]);
  }
  return blocks;
}

}  // namespace lacuna::plan
