// Thread programs as text, as PTX and as OpenCL C. LACUNA_UPDATE_GOLDEN=1 rewrites the expectations; read the diff before you commit it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "emit/opencl/emit.hpp"
#include "emit/ptx/emit.hpp"
#include "kernel/templates/gpu_layer_table.hpp"
#include "kernel/templates/gpu_row_block.hpp"
#include "kernel/templates/gpu_tiles.hpp"
#include "kernel/templates/layer_ending.hpp"
#include "kernel/templates/neuron_graph.hpp"
#include "kernel/templates/pooling.hpp"
#include "kernel/templates/softmax.hpp"
#include "kernel/templates/sparse_conv_baked.hpp"
#include "kernel/templates/sparse_conv_table.hpp"
#include "kernel/templates/sparse_dot.hpp"
#include "kernel/templates/sparse_row_block.hpp"
#include "kernel/templates/strided_map.hpp"
#include "support/sample_thread_programs.hpp"

namespace lacuna::tests {
namespace {

void expect_golden(const std::string& name, const std::string& text) {
  const std::filesystem::path file = std::filesystem::path(LACUNA_GOLDEN_FOLDER) / "cases" / name;
  if (std::getenv("LACUNA_UPDATE_GOLDEN") != nullptr) std::ofstream(file) << text;
  std::ostringstream expected;
  expected << std::ifstream(file).rdbuf();
  EXPECT_EQ(text, expected.str()) << name;
}

void expect_golden(const kernel::ThreadProgram& program) {
  expect_golden(program.name + ".thread", kernel::print(program));
  expect_golden(program.name + ".ptx", emit::ptx::emit(std::span(&program, 1)));
  expect_golden(program.name + ".cl", emit::opencl::emit(std::span(&program, 1)));
}

TEST(GoldenThreadPrograms, AreWrittenAsBefore) {
  for (const kernel::ThreadProgram& program : sample_thread_programs()) expect_golden(program);
}

TEST(GoldenThreadPrograms, NeuronGraphsAreWrittenAsBefore) {
  const float none = std::numeric_limits<float>::infinity();
  kernel::GraphShape shape{.kinds = {.endings = {{Curve::logistic, none, 0.0f, 1.0f, 0.0f}}, .aggregations = {0}}, .inputs_of_thread = 4, .warps = 4, .planes = 64};
  expect_golden(kernel::neuron_graph(shape, kernel::GraphPart::whole));
  shape.kinds.endings = {{Curve::leaky_relu, none, {}, 1.0f, 0.0f}, {Curve::tanh, 2.0f, 0.0f, 1.0f, 0.0f}};
  shape.kinds.aggregations = {0, 2, 6, kernel::row_is_empty};
  shape.kinds.has_decay = true;
  shape.update = Update::continuous;
  shape.inputs_of_thread = shape.warps = 1;
  expect_golden(kernel::neuron_graph(shape, kernel::GraphPart::whole));
  expect_golden(kernel::rows_to_columns());
}

TEST(GoldenThreadPrograms, ConvolutionsAreWrittenAsBefore) {
  const kernel::PixelGrid grid{.images = 3, .height = 6, .width = 8, .tile_x = 4};
  const kernel::PixelView source{16, 240, 80, 12, 1}, output{12, 200, 48, 8, 1};
  const std::vector<std::vector<kernel::ConvEdge>> edges{{{-13, 0.5f}, {-1, -2.0f}, {80, 1.0f}}, {{-12, 3.0f}, {1, 0.25f}}, {}};
  const std::vector<kernel::ConvRow> rows{{0, 1.0f, edges[0]}, {2, 0.0f, edges[1]}, {3, -1.0f, edges[2]}};
  kernel::BakedConv baked{.name = "conv_baked", .grid = grid, .source = source, .output = output, .skip = output, .has_skip = true, .activation = Activation::relu(), .blocks = {rows, {rows[0]}}, .piece = 8};
  expect_golden(kernel::build(baked));
  baked.name = "conv_baked_by_rows";
  baked.order = kernel::BakedOrder::rows_first;
  baked.has_skip = false;
  expect_golden(kernel::build(baked));
  kernel::TableConv table{.name = "conv_table", .grid = grid, .rows = 4, .warps = 2, .rows_of_warp = 2, .source = source, .output = output, .activation = Activation::clip(0, 6), .lowest = 16};
  table.grid.tile_x = 1;
  table.grid.tile_y = 3;
  table.grid.block_threads = 32;
  expect_golden(kernel::build(table));
  expect_golden(kernel::build(kernel::DotLayer{.name = "conv_dot", .rows = 32, .inputs = 6, .images = 4, .source = source, .output = output}));
}

TEST(GoldenThreadPrograms, LayersAreWrittenAsBefore) {
  expect_golden(kernel::build(kernel::LayerTable{.one_weight = false, .residuals = 1, .activation = Activation::clip(0, 32), .tiles = {.planes = 9}, .threads = 64}, "layer_table"));
  expect_golden(kernel::build(kernel::LayerTable{.one_weight = true, .residuals = 0, .activation = Activation::relu(), .tiles = {.planes = 9}, .threads = 64}, "layer_table_one_weight"));
  const kernel::TileLayout tiles{.planes = 9};
  const auto row = [&](std::uint64_t plane, float bias) { return kernel::SparseRowBlock::Row{plane * tiles.plane_bytes(), bias, {}}; };
  kernel::SparseRowBlock first, second;
  first.name = "first";
  first.rows = {row(4, 0.5f), row(5, 0.5f), row(6, 0)};  // the last one has no edges
  first.nonzeros = {{0, 0, 2.0f}, {64, 0, -1.0f}, {64, 1, 3.0f}};
  second.name = "second";
  second.rows = {row(7, -1.0f)};
  second.nonzeros = {{128, 0, 0.25f}, {192, 0, 0.25f}};
  second.may_multiply_at_end = true;
  const std::vector<kernel::Kernel> blocks{kernel::build(first), kernel::build(second)};
  expect_golden(kernel::build_gpu_row_blocks(blocks, Activation::sigmoid(), tiles, "row_blocks"));
}

TEST(GoldenThreadPrograms, OperatorsOfTensorsAreWrittenAsBefore) {
  const kernel::StridedOperand planes{{2, 3, 4, 5}, {240, 80, 12, 1}, 16}, plain{{2, 3, 4, 5}, {60, 20, 5, 1}, 0};
  expect_golden(kernel::build(kernel::StridedMap{.name = "strided_sum", .operation = kernel::StridedMap::Operation::add, .activation = Activation::relu(), .a = planes, .output = plain, .b = plain, .elements = 120}));
  expect_golden(kernel::build(kernel::Pooling{.name = "pooling", .kind = kernel::Pooling::Kind::average, .images = 2, .channels = 3, .input_height = 6, .input_width = 8, .height = 3, .width = 4,
                                              .kernel_y = 3, .kernel_x = 3, .stride_y = 2, .stride_x = 2, .pad_y = 1, .pad_x = 1, .input = {16, 240, 80, 12, 1}, .output = {0, 36, 12, 4, 1}}));
  expect_golden(kernel::build(kernel::LayerEnding{
      .name = "layer_ending", .output = planes, .bias = kernel::StridedOperand{{2, 3, 4, 5}, {0, 1, 0, 0}, 0}, .skip = plain, .activation = Activation::clip(0, 6), .elements = 120}));
  expect_golden(kernel::build(kernel::Softmax{.name = "softmax", .rows = 3, .width = 1000}));
}

}  // namespace
}  // namespace lacuna::tests
