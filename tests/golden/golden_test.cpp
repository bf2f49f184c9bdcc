// Text in, text out: every network in cases/ through every stage that prints. LACUNA_UPDATE_GOLDEN=1 rewrites the expectations; read the
// diff before you commit it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <lacuna/compile.hpp>

#include "passes/pass_list.hpp"
#include "plan/baked_group.hpp"
#include "rows/sparse_rows.hpp"

namespace lacuna::tests {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

std::vector<fs::path> cases() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(LACUNA_GOLDEN_FOLDER) / "cases"))
    if (entry.path().extension() == ".lacuna") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

void expect_golden(const fs::path& network_file, const std::string& stage, const std::string& text) {
  const fs::path file = fs::path(network_file).replace_extension("." + stage);
  if (std::getenv("LACUNA_UPDATE_GOLDEN") != nullptr) std::ofstream(file) << text;
  EXPECT_EQ(text, read(file)) << "stage " << stage << " of " << network_file.filename();
}

std::string listings(const rows::SparseRows& rows, cpu::Isa isa, unsigned lanes, plan::TileShape shape) {
  std::string text;
  for (const rows::RowGroup& group : rows.groups) text += plan::list_code(group, isa, lanes, shape);
  return text;
}

class Golden : public testing::TestWithParam<fs::path> {};

TEST_P(Golden, EveryStagePrintsWhatItDid) {
  const Network network = parse(read(GetParam()), GetParam().filename().string());
  expect_golden(GetParam(), "print", print(network));
  const auto kind = network.has_neuron_graphs() ? Serves::neuron_graphs : network.has_batch_in_shapes ? Serves::networks_of_tensors : Serves::layered_networks;
  for (const passes::ListedPass& pass : passes::pass_list())
    if (pass.run != nullptr && (pass.serves == Serves::all_networks || pass.serves == kind))
      expect_golden(GetParam(), std::string(pass.name), print(pass.run(network, {})));
  CompileOptions options;
  options.isa = "sse4";
  options.threads = 1;
  if (network.has_batch_in_shapes) return;  // its kernels depend on the machine's caches
  options.panel_lanes = 16;
  if (network.has_neuron_graphs()) return expect_golden(GetParam(), "plan", compile(network, options).print_plan());
  options.optimise = "merge_equal_rows";
  expect_golden(GetParam(), "merge_equal_rows", compile(network, options).print_rows(true));
  options.optimise = "all";
  const Program program = compile(network, options);
  expect_golden(GetParam(), "rows", program.print_rows(true));
  expect_golden(GetParam(), "plan", program.print_plan());

  // Code is made for any machine on any machine.
  const rows::SparseRows rows = rows::lower(network);
  std::string kernels;
  for (const rows::RowGroup& group : rows.groups)
    for (const kernel::Kernel& kernel : plan::row_blocks(group, 16, 14)) kernels += kernel::print(kernel);
  expect_golden(GetParam(), "kernel", kernels);
  expect_golden(GetParam(), "avx2", listings(rows, cpu::Isa::avx2, 16, {2, 6}));
  expect_golden(GetParam(), "avx512", listings(rows, cpu::Isa::avx512, 32, {1, 28}));
}

INSTANTIATE_TEST_SUITE_P(Cases, Golden, testing::ValuesIn(cases()), [](const auto& info) { return info.param.stem().string(); });

}  // namespace
}  // namespace lacuna::tests
