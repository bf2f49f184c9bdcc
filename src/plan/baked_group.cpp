#include "plan/baked_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include <lacuna/error.hpp>

#include "emit/x86/emit.hpp"
#include "kernel/templates/sparse_row_block.hpp"
#include "plan/emit_target.hpp"
#include "plan/epilogue.hpp"
#include "plan/plan.hpp"

namespace lacuna::plan {
namespace {

emit::x86::Code bake(const rows::RowGroup& group, cpu::Isa isa, unsigned lanes, TileShape shape, bool with_listing = false) {
  const emit::x86::Target target = target_of(isa);
  const unsigned vectors = lanes / emit::x86::vector_lanes(target);
  return emit::x86::emit(row_blocks(group, lanes, shape.rows), target, {shape.vectors, vectors / shape.vectors}, with_listing);
}

}  // namespace

kernel::Kernel row_block(const rows::RowGroup& group, std::span<const std::uint32_t> rows, unsigned lanes, std::string name) {
  const std::uint64_t plane_bytes = lanes * sizeof(float);
  kernel::SparseRowBlock block;
  block.name = std::move(name);
  block.may_multiply_at_end = group.weights.has_one_value();  // where the table kernel does: the same bits whichever runs
  cpu::Table epilogue;
  set_epilogue(epilogue, group.activation);
  if (epilogue.epilogue == cpu::Epilogue::clip) {
    block.low = epilogue.low;
    block.high = epilogue.high;
  }
  for (const std::uint32_t row : rows) {
    const auto number = static_cast<std::uint16_t>(block.rows.size());
    kernel::SparseRowBlock::Row& made = block.rows.emplace_back();
    made.destination = (std::uint64_t{group.destination.first} + row) * plane_bytes;
    if (!group.bias.empty()) made.bias = group.bias[group.bias.size() == 1 ? 0 : row];
    for (rows::PlaneRange residual : group.residuals) made.residuals.push_back((std::uint64_t{residual.first} + row) * plane_bytes);
    for (std::size_t e = group.weights.row_begin[row]; e < group.weights.row_begin[row + std::size_t{1}]; ++e)
      block.nonzeros.push_back({(std::uint64_t{group.source.first} + group.weights.column(e)) * plane_bytes, number, group.weights.value(e)});
  }
  return kernel::build(block);
}

std::vector<kernel::Kernel> row_blocks(const rows::RowGroup& group, unsigned lanes, unsigned rows_of_a_block) {
  std::vector<kernel::Kernel> kernels;
  std::vector<std::uint32_t> all(group.weights.rows);
  std::iota(all.begin(), all.end(), 0u);
  for (std::uint32_t begin = 0; begin < all.size(); begin += rows_of_a_block) {
    const std::uint32_t end = std::min(begin + rows_of_a_block, group.weights.rows);
    kernels.push_back(row_block(group, std::span(all).subspan(begin, end - begin), lanes, fmt::format("{}[{},{})", group.name, begin, end)));
  }
  return kernels;
}

struct BakedGroup::Bytes {
  emit::x86::Code code;
};

BakedGroup::BakedGroup(const rows::RowGroup& group, cpu::Isa isa, unsigned lanes, TileShape shape)
    : BakedGroup(group, isa, lanes, shape, Bytes{bake(group, isa, lanes, shape)}) {}

BakedGroup::BakedGroup(const rows::RowGroup& group, cpu::Isa isa, unsigned lanes, TileShape shape, Bytes made)
    : isa_(isa),
      lanes_(lanes),
      shape_(shape),
      code_(made.code.bytes),
      constants_(made.code.constants.size()),
      activation_(group.activation),
      destination_(group.destination) {
  std::copy(made.code.constants.begin(), made.code.constants.end(), constants_.data());
}

void BakedGroup::run(float* arena) const {
  code_.entry<void(float*, const float*)>()(arena, constants_.data());
  const ActivationKind kind = activation_.kind;
  if (kind != ActivationKind::identity && kind != ActivationKind::relu && kind != ActivationKind::clip) finish(arena);
}

/// The smooth activations are a second visit: the table kernel on rows without edges whose only residual is the row itself.
void BakedGroup::finish(float* arena) const {
  const cpu::RowClass rows{0, destination_.count};
  cpu::Table table;
  table.classes = std::span(&rows, 1);
  constexpr std::uint16_t no_source = 0;
  table.narrow_sources = &no_source;
  table.destination_plane = destination_.first;
  table.residual_planes = std::span(&destination_.first, 1);
  set_epilogue(table, activation_);
  cpu::kernels_for(isa_).run_table(table, lanes_, arena);
}

std::string list_code(const rows::RowGroup& group, cpu::Isa isa, unsigned lanes, TileShape shape) {
  return bake(group, isa, lanes, shape, true).listing;
}

namespace {

template <typename Print>
std::string print_baked(const Plan& plan, Print print) {
  std::string text;
  for (std::size_t k = 0; k < plan.baked.size(); ++k)
    if (!plan.baked[k].empty()) text += print(k, plan.baked[k].front());
  return text.empty() ? "; every group runs the table kernel\n" : text;
}

}  // namespace

std::string print_kernels(const Plan& plan, const rows::SparseRows& rows) {
  return print_baked(plan, [&](std::size_t k, const BakedGroup& baked) {
    std::string text;
    for (const kernel::Kernel& kernel : row_blocks(rows.groups[k], baked.lanes(), baked.shape().rows)) text += kernel::print(kernel);
    return text;
  });
}

std::string print_code(const Plan& plan, const rows::SparseRows& rows) {
  return print_baked(plan, [&](std::size_t k, const BakedGroup& baked) {
    return fmt::format("; group {}: {}, panels of {}\n", rows.groups[k].name, to_string(KernelChoice{baked.shape()}), baked.lanes()) +
           list_code(rows.groups[k], plan.isa, baked.lanes(), baked.shape());
  });
}

std::size_t estimate_code_bytes(const rows::RowGroup& group, TileShape shape) {
  // A broadcast of 6 bytes and `vectors` multiply-adds of 6 or 9 bytes; rows: start, clip, store.
  const std::size_t of_nonzero = group.weights.has_one_value() ? 6 * std::size_t{shape.vectors} + 2 : 6 + 7 * std::size_t{shape.vectors};
  return group.weights.nnz() * of_nonzero + group.weights.rows * (8 + 18 * std::size_t{shape.vectors});
}

}  // namespace lacuna::plan
