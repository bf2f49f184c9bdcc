// The x86 emitter: what it emits is run where the CPU can run it; sizes and shapes are checked everywhere.
#include "emit/x86/emit.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <random>
#include <regex>
#include <sstream>

#include <lacuna/error.hpp>

#include "base/aligned_buffer.hpp"
#include "devices/cpu/executable_memory.hpp"
#include "emit/x86/lines_in_registers.hpp"
#include "kernel/templates/sparse_row_block.hpp"
#include "plan/tile_shape.hpp"
#include "support/all_isas.hpp"
#include "support/temp_folder.hpp"

namespace lacuna::emit::x86 {
namespace {

using kernel::SparseRowBlock;

bool runs_here(Target target) {
  const std::vector<std::string> isas = tests::all_isas();
  return std::find(isas.begin(), isas.end(), target == Target::avx512 ? "avx512" : "avx2") != isas.end();
}

/// The first lane of each space.
struct Spaces {
  float* memory;
  float* destination = nullptr;
  float* skip = nullptr;
  float* partial = nullptr;

  float* of(kernel::Space space) const {
    switch (space) {
      case kernel::Space::memory: return memory;
      case kernel::Space::destination: return destination;
      case kernel::Space::skip: return skip;
      case kernel::Space::partial: return partial;
    }
    return nullptr;
  }
};

/// The kernel by its definition, one lane at a time; lanes are wanted 16 bits at a time.
void interpret(const kernel::Kernel& kernel, std::size_t lanes, const Spaces& spaces, const std::uint16_t* wanted = nullptr) {
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    std::vector<double> sums(kernel.rows);
    double x = 0;
    for (const kernel::Step& step : kernel.steps) {
      const auto constant = [&] { return kernel.constants.at(step.index); };
      const auto place = [&]() -> float& { return spaces.of(step.space)[step.offset / sizeof(float) + lane]; };
      switch (step.op) {
        case kernel::Op::clear: sums.at(step.row) = 0; break;
        case kernel::Op::set: sums.at(step.row) = constant(); break;
        case kernel::Op::resume: sums.at(step.row) = place(); break;
        case kernel::Op::load: x = place(); break;
        case kernel::Op::take: x = constant(); break;
        case kernel::Op::hold: x = sums.at(step.row); break;
        case kernel::Op::multiply_add: sums.at(step.row) += constant() * x; break;
        case kernel::Op::add: sums.at(step.row) += x; break;
        case kernel::Op::scale: sums.at(step.row) = sums.at(step.row) * x + constant(); break;
        case kernel::Op::maximum: sums.at(step.row) = std::max(sums.at(step.row), x); break;
        case kernel::Op::minimum: sums.at(step.row) = std::min(sums.at(step.row), x); break;
        case kernel::Op::blank:
          if ((wanted[lane / 16] >> lane % 16 & 1) == 0) sums.at(step.row) = 0;
          break;
        case kernel::Op::store: place() = static_cast<float>(sums.at(step.row)); break;
      }
    }
  }
}

struct Layout {
  std::uint32_t sources = 0;
  std::uint64_t plane_bytes = 0;
};

SparseRowBlock random_block(unsigned rows, Layout layout, double density, bool one_weight, std::mt19937& random) {
  std::uniform_real_distribution<float> uniform(-1, 1);
  SparseRowBlock block;
  block.name = "random";
  block.may_multiply_at_end = one_weight;
  block.low = -0.5f;
  block.high = 0.75f;
  for (unsigned row = 0; row < rows; ++row) {
    SparseRowBlock::Row& made = block.rows.emplace_back();
    made.destination = (layout.sources + row) * layout.plane_bytes;
    made.bias = row % 3 == 0 ? 0 : uniform(random);
    if (row % 4 == 1) made.residuals = {row % layout.sources * layout.plane_bytes, 0};
    for (std::uint32_t source = 0; source < layout.sources; ++source)
      if (row % 5 != 4 && random() % 1000 < static_cast<unsigned>(density * 1000))
        block.nonzeros.push_back({source * layout.plane_bytes, static_cast<std::uint16_t>(row), one_weight ? 0.125f : uniform(random)});
  }
  return block;
}

class X86 : public testing::TestWithParam<Target> {
 protected:
  std::span<const plan::TileShape> shapes() const { return plan::tile_shapes(GetParam() == Target::avx512 ? cpu::Isa::avx512 : cpu::Isa::avx2); }

  void expect_same(const std::vector<kernel::Kernel>& kernels, Tile tile, std::size_t planes) const {
    const unsigned lanes = vector_lanes(GetParam()) * tile.vectors * tile.tiles;
    std::mt19937 random(7);
    std::uniform_real_distribution<float> uniform(-1, 1);
    base::AlignedFloats memory(planes * lanes);
    for (std::size_t k = 0; k < memory.size(); ++k) memory.data()[k] = uniform(random);
    std::vector<float> expected(memory.data(), memory.data() + memory.size());
    for (const kernel::Kernel& kernel : kernels) interpret(kernel, lanes, {expected.data()});
    const Code code = emit(kernels, GetParam(), tile);
    ASSERT_FALSE(code.bytes.empty());
    if (!runs_here(GetParam())) return;
    const cpu::ExecutableMemory executable(code.bytes);
    executable.entry<void(float*, const float*)>()(memory.data(), code.constants.data());
    for (std::size_t k = 0; k < memory.size(); ++k) ASSERT_NEAR(memory.data()[k], expected[k], 2e-5) << "plane " << k / lanes << ", lane " << k % lanes;
  }

  /// Runs both kernels over three tiles and compares with what the kernels say.
  static void expect_sweeps_agree(const std::vector<kernel::Kernel>& kernels, const SweepForm& form, const std::vector<TileStep>& steps, unsigned rows, std::mt19937& random) {
    const Sweeps sweeps = emit_sweeps(kernels, GetParam(), form);
    ASSERT_EQ(sweeps.entries.size(), 2u);
    if (!runs_here(GetParam())) return;
    const std::size_t lanes = vector_lanes(GetParam()) * form.vectors;
    constexpr std::size_t line = 16;  // before the first and after the last
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<float> source(40 * 250 + 500 + 2 * line), skip(30 * 75 + 200), partial(3 * lanes * rows), destination(30 * 175 + 4000 + lanes), expected;
    for (float& value : source) value = uniform(random);
    for (float& value : skip) value = uniform(random);
    expected = destination;
    std::size_t at_source = line, at_destination = 0, at_skip = 0;
    for (const TileStep& step : steps) {
      for (const kernel::Kernel& kernel : kernels) interpret(kernel, lanes, {&source[at_source], &expected[at_destination], &skip[at_skip], partial.data()}, step.wanted);
      at_source += static_cast<std::size_t>(step.source / 4);
      at_destination += static_cast<std::size_t>(step.destination / 4);
      at_skip += static_cast<std::size_t>(step.skip / 4);
    }
    const cpu::ExecutableMemory executable(sweeps.bytes);
    for (const Sweeps::Entry& entry : sweeps.entries)
      reinterpret_cast<Sweep*>(reinterpret_cast<std::uintptr_t>(executable.entry<void()>()) + entry.code)(
          &source[line], reinterpret_cast<const float*>(executable.entry<std::byte>() + entry.constants), destination.data(), skip.data(), steps.data(), steps.size(), partial.data(),
          executable.entry<std::byte>());
    for (std::size_t k = 0; k < expected.size(); ++k) ASSERT_NEAR(destination[k], expected[k], 2e-5) << k;
  }
};

TEST_P(X86, ASumMayBeHeldAndAddedToOthers) {
  using kernel::Op;
  for (plan::TileShape shape : shapes()) {
    if (shape.rows < 3) continue;
    const std::uint64_t plane = vector_lanes(GetParam()) * sizeof(float) * shape.vectors;
    kernel::Kernel kernel{"held", 3, {}, {0.5f, 2.0f, -3.0f, 0.25f, -1.0f}};
    kernel.steps = {{Op::set, 0, 0}, {Op::clear, 1}, {Op::clear, 2}, {Op::load}, {Op::multiply_add, 0, 1}, {Op::multiply_add, 1, 2}, {Op::load, 0, 0, plane}, {Op::multiply_add, 2, 3},
                    {Op::hold, 1}, {Op::add, 0}, {Op::multiply_add, 2, 4}, {Op::store, 0, 0, 2 * plane}, {Op::store, 2, 0, 3 * plane}};
    expect_same({kernel}, {shape.vectors, 1}, 4);
  }
}

TEST_P(X86, EveryShapeComputesWhatTheKernelSays) {
  for (plan::TileShape shape : shapes())
    for (unsigned tiles : {1u, 2u, 3u})
      for (double density : {0.02, 0.3, 1.0})
        for (bool one_weight : {false, true}) {
          SCOPED_TRACE(testing::Message() << shape.vectors << " x " << shape.rows << ", " << tiles << " tiles, density " << density << ", one weight "
                                          << one_weight);
          std::mt19937 random(shape.rows);
          const Layout layout{90, vector_lanes(GetParam()) * sizeof(float) * shape.vectors * tiles};
          std::vector<kernel::Kernel> kernels;
          kernels.push_back(kernel::build(random_block(shape.rows, layout, density, one_weight, random)));
          kernels.push_back(kernel::build(random_block(1, layout, density, one_weight, random)));  // overwrites row 0
          expect_same(kernels, {shape.vectors, tiles}, 90 + shape.rows);
        }
}

TEST_P(X86, PlacesFarApartAreReached) {
  SparseRowBlock block;
  block.name = "far";
  const std::uint64_t plane = vector_lanes(GetParam()) * sizeof(float);
  block.rows = {{0, 1, {70000 * plane}}, {40000 * plane, 0, {}}};
  block.nonzeros = {{1 * plane, 0, 2}, {30000 * plane, 0, 3}, {30000 * plane, 1, -1}, {60000 * plane, 1, 5}};
  expect_same({kernel::build(block)}, {1, 1}, 70001);
}

TEST_P(X86, TheSameKernelGivesTheSameBytes) {
  std::mt19937 random(3);
  const std::vector<kernel::Kernel> kernels{kernel::build(random_block(6, {50, 64}, 0.2, false, random))};
  EXPECT_EQ(emit(kernels, GetParam(), {1, 1}).bytes, emit(kernels, GetParam(), {1, 1}, true).bytes);
}

/// objdump's Intel syntax in our words: "ZMMWORD PTR [rdi+0x40]" -> "[rdi+64]".
std::string in_our_words(std::string line) {
  static const std::regex size("\\b[A-Z]+ (PTR|BCST) ");
  static const std::regex to_all(" ?\\{1to16\\}");
  static const std::regex number("0x[0-9a-f]+");
  static const std::regex jump("^(jnz|jne) .*");
  static const std::regex comma(",\\s+");
  line = std::regex_replace(std::regex_replace(line, size, ""), to_all, "");
  for (std::smatch hex; std::regex_search(line, hex, number);)
    line = hex.prefix().str() + std::to_string(static_cast<std::int64_t>(std::stoull(hex.str(), nullptr, 16))) + hex.suffix().str();
  return std::regex_replace(std::regex_replace(line, jump, "jnz"), comma, ",");
}

std::vector<std::string> disassemble(const std::vector<std::uint8_t>& bytes) {
  const tests::TempFolder folder;
  const std::string file = folder.write("code", {reinterpret_cast<const char*>(bytes.data()), bytes.size()}).string();
  FILE* const pipe = ::popen(("objdump -D -b binary -mi386:x86-64 -M intel --no-show-raw-insn " + file + " 2>/dev/null").c_str(), "r");
  static const std::regex instruction("\\s*[0-9a-f]+:\\t(\\S+)\\s*(.*?)\\s*\\n");
  std::vector<std::string> lines;
  char line[512];
  while (std::fgets(line, sizeof(line), pipe) != nullptr) {
    std::smatch found;
    const std::string text = line;
    if (std::regex_match(text, found, instruction))
      lines.push_back(in_our_words(found[1].str() + (found[2].length() > 0 ? " " + found[2].str() : "")));
  }
  ::pclose(pipe);
  return lines;
}

std::vector<std::string> lines_of(const std::string& listing) {
  std::vector<std::string> lines;
  std::istringstream stream(listing);
  for (std::string line; std::getline(stream, line);)
    if (line[0] != ';' && line[0] != 'L') lines.push_back(in_our_words(line));
  return lines;
}

/// What is written down is what the bytes mean, by somebody else's reading of them; for AVX-512 also on machines that cannot run it.
TEST_P(X86, TheListingIsWhatAnotherDisassemblerReads) {
  std::mt19937 random(11);
  for (plan::TileShape shape : shapes()) {
    const Layout layout{60, vector_lanes(GetParam()) * sizeof(float) * shape.vectors * 2};
    const std::vector<kernel::Kernel> kernels{kernel::build(random_block(shape.rows, layout, 0.3, false, random)),
                                              kernel::build(random_block(shape.rows, layout, 0.3, true, random))};
    const Code code = emit(kernels, GetParam(), {shape.vectors, 2}, true);
    const std::vector<std::string> read = disassemble(code.bytes);
    if (read.empty()) GTEST_SKIP() << "no objdump here";
    ASSERT_EQ(lines_of(code.listing), read);
  }
}

TEST_P(X86, ANonzeroTakesFewBytes) {
  std::mt19937 random(3);
  const std::vector<kernel::Kernel> kernels{kernel::build(random_block(13, {1000, 64}, 0.1, false, random))};
  const Code code = emit(kernels, GetParam(), {1, 1});
  EXPECT_LT(static_cast<double>(code.bytes.size()) / static_cast<double>(code.constants.size()), 16.0);
}

TEST_P(X86, MoreSumsThanRegistersAreAnInternalError) {
  std::mt19937 random(3);
  const std::vector<kernel::Kernel> kernels{kernel::build(random_block(40, {50, 64}, 0.2, false, random))};
  EXPECT_THROW(emit(kernels, GetParam(), {1, 1}), InternalError);
}

/// A block in two parts whose spaces are apart: the first suspends its sums, the second finishes them.
std::vector<kernel::Kernel> parts_of_block(unsigned rows, std::uint64_t tile_bytes, bool blanks, std::mt19937& random) {
  std::vector<kernel::Kernel> kernels;
  for (bool second : {false, true}) {
    SparseRowBlock block = random_block(rows, {40, 1000}, 0.2, false, random);
    block.spaces_apart = true;
    block.resumes = second;
    block.suspends = !second;
    block.blanks = blanks;
    if (rows % 2 == 0) block.low = -std::numeric_limits<float>::infinity();  // bounds blank lanes too; here there is one of them, or none
    if (rows % 4 == 0) block.high = std::numeric_limits<float>::infinity();
    for (unsigned row = 0; row < rows; ++row) {
      block.rows[row].destination = row * 700;
      block.rows[row].residuals = {row * 300};
      block.rows[row].partial = row * tile_bytes;
    }
    kernels.push_back(kernel::build(block));
  }
  return kernels;
}

TEST_P(X86, SweepsOverTilesAnywhereComputeWhatTheKernelsSay) {
  for (plan::TileShape shape : shapes()) {
    SCOPED_TRACE(testing::Message() << shape.vectors << " x " << shape.rows);
    std::mt19937 random(shape.rows);
    const std::size_t lanes = vector_lanes(GetParam()) * shape.vectors;
    const auto tile_bytes = static_cast<std::int64_t>(lanes * sizeof(float));
    const std::vector<kernel::Kernel> kernels = parts_of_block(shape.rows, static_cast<std::uint64_t>(tile_bytes), GetParam() == Target::avx512, random);
    // Bytes: three tiles; those that come by lines begin alike in them.
    const std::vector<TileStep> anywhere{{400, 8000, 36, {0xffff, 0x7fff, 1, 0}}, {-200, 6000, 44, {0, 0xf0f0, 0xffff, 3}}, {0, 0, 0, {0xfffe, 0xffff, 0, 9}}};
    std::vector<TileStep> alike = anywhere;
    alike[0].source = 448;
    alike[1].source = -192;
    expect_sweeps_agree(kernels, {shape.vectors, tile_bytes * shape.rows, 3, {}}, anywhere, shape.rows, random);
    if (GetParam() == Target::avx512 && shape.vectors == 1)
      for (std::uint32_t into_line : {0u, 4u, 24u, 60u}) {
        SCOPED_TRACE(into_line);
        expect_sweeps_agree(kernels, {1, tile_bytes * shape.rows, 3, into_line}, alike, shape.rows, random);
        const unsigned fewer = shape.rows - 1;  // what is spread needs a register more
        expect_sweeps_agree(parts_of_block(fewer, static_cast<std::uint64_t>(tile_bytes), true, random), {1, tile_bytes * fewer, 3, into_line, true}, alike, fewer, random);
        expect_sweeps_agree(parts_of_block(fewer, static_cast<std::uint64_t>(tile_bytes), true, random), {1, tile_bytes * fewer, 3, {}, true}, anywhere, fewer, random);
      }
  }
}

TEST(X86Sweeps, WeightsAreSpreadForSingleVectorsOfAvx512AndARegisterMore) {
  std::mt19937 random(2);
  const std::vector<kernel::Kernel> kernels = parts_of_block(27, 64, false, random);
  const auto refusal = [](const std::vector<kernel::Kernel>& refused, Target target, unsigned vectors) -> std::string {
    try {
      emit_sweeps(refused, target, {vectors, 64 * vectors, 1, {}, true});
      return "";
    } catch (const InternalError& error) {
      return error.what();
    }
  };
  for (const std::string& text : {refusal(kernels, Target::avx2, 1), refusal(parts_of_block(2, 128, false, random), Target::avx512, 2)})
    EXPECT_NE(text.find("weights are spread for single vectors of AVX-512 only"), std::string::npos) << text;
  const std::string too_many = refusal(parts_of_block(30, 64, false, random), Target::avx512, 1);
  EXPECT_NE(too_many.find("30 sums of 1 vectors do not fit 32 registers"), std::string::npos) << too_many;
  const auto count = [&](bool spreads, std::string_view word) {
    const std::string listing = emit_sweeps(kernels, Target::avx512, {1, 64 * 27, 1, {}, spreads}, true).listing;
    std::size_t found = 0;
    for (std::size_t at = listing.find(word); at != std::string::npos; at = listing.find(word, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count(false, "vbroadcastf32x4"), 0u);
  EXPECT_GT(count(true, "vbroadcastf32x4"), 0u);
  EXPECT_NEAR(static_cast<double>(count(true, "vbroadcastf32x4")) * 8, static_cast<double>(count(true, "{1to16}")), static_cast<double>(count(true, "{1to16}")) / 2) << "four of twelve";
}

TEST(X86Sweeps, SourcesByLinesAreForSingleVectorsOfAvx512) {
  std::mt19937 random(2);
  const std::vector<kernel::Kernel> kernels = parts_of_block(2, 64, false, random);
  EXPECT_THROW(emit_sweeps(kernels, Target::avx2, {1, 64, 1, 0u}), InternalError);
  EXPECT_THROW(emit_sweeps(kernels, Target::avx512, {2, 128, 1, 0u}), InternalError);
  EXPECT_EQ(emit_sweeps(kernels, Target::avx512, {1, 64, 1, {}}, true).listing.find("valignd"), std::string::npos);
  EXPECT_NE(emit_sweeps(kernels, Target::avx512, {1, 64, 1, 0u}, true).listing.find("valignd"), std::string::npos);
}

TEST(LinesInRegisters, TheOneUsedLongestAgoMakesRoom) {
  LinesInRegisters lines;
  lines.forget(2);
  EXPECT_FALSE(lines.take(0).is_there);
  EXPECT_FALSE(lines.take(64).is_there);
  EXPECT_TRUE(lines.take(0).is_there);
  const LinesInRegisters::Taken third = lines.take(128);
  EXPECT_FALSE(third.is_there);
  EXPECT_NE(third.number, lines.take(0).number);
  EXPECT_FALSE(lines.take(64).is_there);
  lines.forget(2);
  EXPECT_FALSE(lines.take(64).is_there);
  lines.forget(1);
  EXPECT_THROW(lines.take(0), InternalError);
}

TEST(X86Sweeps, OnlyAvx512BlanksLanes) {
  std::mt19937 random(2);
  const std::vector<kernel::Kernel> kernels = parts_of_block(2, 64, true, random);
  EXPECT_THROW(emit_sweeps(kernels, Target::avx2, {1, 64, 1, {}}), InternalError);
}

TEST_P(X86, TheListingOfSweepsIsWhatAnotherDisassemblerReads) {
  std::mt19937 random(12);
  for (plan::TileShape shape : shapes())
    for (std::size_t tiles : {0u, 5u}) {
      std::vector<kernel::Kernel> kernels = parts_of_block(shape.rows, 64, GetParam() == Target::avx512, random);
      const bool by_lines = GetParam() == Target::avx512 && shape.vectors == 1;
      const bool spreads = by_lines && tiles == 0;
      if (spreads) kernels = parts_of_block(shape.rows - 1, 64, true, random);
      const Sweeps sweeps = emit_sweeps(kernels, GetParam(), {shape.vectors, 640, tiles, by_lines ? std::optional(12u) : std::nullopt, spreads}, true);
      std::vector<std::uint8_t> code;  // without the constants
      for (const Sweeps::Entry& entry : sweeps.entries)
        code.insert(code.end(), sweeps.bytes.begin() + static_cast<std::ptrdiff_t>(entry.code), sweeps.bytes.begin() + static_cast<std::ptrdiff_t>(entry.constants));
      std::vector<std::string> read = disassemble(code);
      if (read.empty()) GTEST_SKIP() << "no objdump here";
      std::erase(read, "int3");  // up to the next line
      EXPECT_EQ(lines_of(sweeps.listing), read);
      EXPECT_EQ(sweeps.listing.find("prefetcht0") != std::string::npos, tiles > 0) << "the first brings the second near";
    }
}

INSTANTIATE_TEST_SUITE_P(Targets, X86, testing::Values(Target::avx2, Target::avx512),
                         [](const auto& info) { return info.param == Target::avx512 ? "avx512" : "avx2"; });

}  // namespace
}  // namespace lacuna::emit::x86
