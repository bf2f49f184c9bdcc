// Convolutions by table: for each block of rows and each range of channels the nonzeros in the order they are used.
#include "plan/conv_body.hpp"

namespace lacuna::plan {
namespace {

class TableBody : public ConvBody {
 public:
  TableBody(const rows::ConvRows& rows, const ConvBlocks& blocks, cpu::Isa isa) : blocks_(blocks), kernels_(cpu::kernels_for(isa)), by_twos_(rows.lane_step == 2) {
    for (std::size_t block = 0; block < blocks.blocks(); ++block)
      for (std::size_t group = 0; group < blocks.groups(); ++group) add_piece(rows, block, group);
  }

  void run(std::size_t block, const cpu::ConvMemory& memory, const cpu::ConvTile* tiles, std::size_t count) const override {
    for (std::size_t group = 0; group < blocks_.groups(); ++group) {
      const std::uint32_t begin = blocks_.block_begin[block];
      cpu::ConvTable table;
      table.rows = blocks_.block_begin[block + 1] - begin;
      table.row_begin = row_begin_.data() + pieces_[block * blocks_.groups() + group];
      table.nonzeros = nonzeros_.data();
      table.destinations = blocks_.destinations.data() + begin;
      table.skips = blocks_.skips.data() + begin;
      table.bias = blocks_.bias.data() + begin;
      table.is_first = group == 0;
      table.is_last = group + 1 == blocks_.groups();
      table.by_twos = by_twos_;
      table.low = blocks_.low;
      table.high = blocks_.high;
      kernels_.run_conv_table(table, memory, tiles, count);
    }
  }

  std::size_t bytes() const override { return nonzeros_.size() * sizeof(cpu::ConvNonzero); }

 private:
  void add_piece(const rows::ConvRows& rows, std::size_t block, std::size_t group) {
    pieces_.push_back(row_begin_.size());
    for (std::uint32_t position = blocks_.block_begin[block]; position < blocks_.block_begin[block + 1]; ++position) {
      row_begin_.push_back(static_cast<std::uint32_t>(nonzeros_.size()));
      const std::uint32_t row = blocks_.order[position];
      for (std::size_t e = rows.row_begin[row]; e < rows.row_begin[row + std::size_t{1}]; ++e)
        if (rows.nonzeros[e].offset >= blocks_.cuts[group] && rows.nonzeros[e].offset < blocks_.cuts[group + 1])
          nonzeros_.push_back({rows.nonzeros[e].offset, rows.nonzeros[e].weight});
    }
    row_begin_.push_back(static_cast<std::uint32_t>(nonzeros_.size()));
  }

  const ConvBlocks& blocks_;
  const cpu::Kernels& kernels_;
  const bool by_twos_;
  std::vector<std::size_t> pieces_;  ///< of each block and group: where its rows begin in row_begin_
  std::vector<std::uint32_t> row_begin_;
  std::vector<cpu::ConvNonzero> nonzeros_;
};

}  // namespace

std::unique_ptr<ConvBody> make_table_body(const rows::ConvRows& rows, const ConvBlocks& blocks, cpu::Isa isa) { return std::make_unique<TableBody>(rows, blocks, isa); }

}  // namespace lacuna::plan
