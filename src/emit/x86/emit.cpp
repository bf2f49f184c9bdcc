#include "emit/x86/emit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/round_up.hpp"
#include "emit/x86/kernel_writer.hpp"

namespace lacuna::emit::x86 {
namespace {

/// More than any kernel takes: the longest instructions have 11 bytes, and a step becomes two for each vector at most, a load and a move.
std::size_t most_bytes(std::size_t steps, std::size_t kernels, unsigned vectors) { return (steps + 8 * kernels + 4) * (2 * std::size_t{vectors} + 4) * 11; }

std::size_t all_steps(std::span<const kernel::Kernel> kernels) {
  return std::accumulate(kernels.begin(), kernels.end(), std::size_t{0}, [](std::size_t sum, const kernel::Kernel& kernel) { return sum + kernel.steps.size(); });
}

std::size_t most_steps(std::span<const kernel::Kernel> kernels) {
  return std::accumulate(kernels.begin(), kernels.end(), std::size_t{0}, [](std::size_t most, const kernel::Kernel& kernel) { return std::max(most, kernel.steps.size()); });
}

bool has_space(const kernel::Kernel& kernel, kernel::Space space) {
  return std::any_of(kernel.steps.begin(), kernel.steps.end(), [&](const kernel::Step& step) { return step.space == space; });
}

bool has_op(const kernel::Kernel& kernel, kernel::Op op) {
  return std::any_of(kernel.steps.begin(), kernel.steps.end(), [&](const kernel::Step& step) { return step.op == op; });
}

void append_constants(const kernel::Kernel& kernel, std::vector<float>& constants) {
  constants.insert(constants.end(), kernel.constants.begin(), kernel.constants.end());
  constants.resize(base::round_up(constants.size(), 4));  // they are loaded four at a time
}

/// Runs `body` for every tile: the pointers end each round one tile further.
void sweep(Assembler& code, KernelWriter& writer, const kernel::Kernel& kernel, Tile tile) {
  if (tile.tiles == 1) return writer.write(kernel);
  const auto step = static_cast<std::int64_t>(tile.vectors) * writer.vector_bytes();
  code.begin_loop(tile.tiles);
  const KernelWriter::Places begin = writer.places();
  writer.write(kernel);
  writer.return_to(begin, step);
  code.end_loop();
  writer.moved_by(step * (tile.tiles - 1));
}

}  // namespace

unsigned vector_lanes(Target target) { return target == Target::avx512 ? 16 : 8; }
unsigned vector_registers(Target target) { return target == Target::avx512 ? 32 : 16; }

Code emit(std::span<const kernel::Kernel> kernels, Target target, Tile tile, bool with_listing) {
  Assembler code(target, most_bytes(all_steps(kernels), kernels.size(), tile.vectors), with_listing);
  Code result;
  KernelWriter writer(code, target, tile.vectors);
  code.begin();
  for (const kernel::Kernel& kernel : kernels) {
    code.note(fmt::format("{}: {} sums", kernel.name, kernel.rows));
    writer.begin_constants(static_cast<std::int64_t>(result.constants.size() * sizeof(float)));
    sweep(code, writer, kernel, tile);
    append_constants(kernel, result.constants);
  }
  code.end();
  result.bytes = code.bytes();
  result.listing = code.listing();
  return result;
}

Sweeps emit_sweeps(std::span<const kernel::Kernel> kernels, Target target, const SweepForm& form, bool with_listing) {
  const auto [vectors, partial_step, tiles, into_line, spreads] = form;
  constexpr std::size_t line_bytes = 64;
  Sweeps result;
  const auto begin_line = [&] { result.bytes.resize(base::round_up(result.bytes.size(), line_bytes), 0xCC); };  // nobody comes through here
  const std::size_t most = most_bytes(most_steps(kernels), 1, vectors);
  Assembler code(target, most + most / 4, with_listing);  // with prefetches of 8 bytes for each line of the next kernel
  std::size_t lines = 0, all_bytes = tiles * line_bytes;  // lines: of the kernel that comes after
  std::vector<Sweeps> made;
  for (std::size_t k = kernels.size(); k-- > 0;) {  // the last one first: each has to know how long the next is
    const kernel::Kernel& kernel = kernels[k];
    const std::size_t ahead = tiles == 0 ? 0 : (lines + tiles - 1) / tiles;
    code.restart();
    code.note(fmt::format("{}: {} sums", kernel.name, kernel.rows));
    KernelWriter writer(code, target, vectors, into_line, spreads);
    code.begin_sweep(has_op(kernel, kernel::Op::blank) ? vectors : 0, ahead > 0);
    const KernelWriter::Places begin = writer.places();
    writer.write(kernel, ahead);
    writer.return_to(begin, 0, has_space(kernel, kernel::Space::partial) ? partial_step : 0);
    code.end_sweep(has_space(kernel, kernel::Space::destination), has_space(kernel, kernel::Space::skip), ahead);
    code.end();
    Sweeps& one = made.emplace_back();
    one.bytes = code.bytes();
    one.listing = code.listing();
    lines = base::round_up(one.bytes.size(), line_bytes) / line_bytes + base::round_up(kernel.constants.size() * sizeof(float), line_bytes) / line_bytes;
    all_bytes += (lines + 1) * line_bytes;
  }
  result.bytes.reserve(all_bytes);
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const Sweeps& one = made[kernels.size() - 1 - k];
    begin_line();
    result.entries.push_back({result.bytes.size(), 0});
    result.bytes.insert(result.bytes.end(), one.bytes.begin(), one.bytes.end());
    begin_line();
    result.entries.back().constants = result.bytes.size();
    const auto* const constants = reinterpret_cast<const std::uint8_t*>(kernels[k].constants.data());
    result.bytes.insert(result.bytes.end(), constants, constants + kernels[k].constants.size() * sizeof(float));
    result.bytes.resize(base::round_up(result.bytes.size(), 16), 0);  // constants are loaded four at a time
    result.listing += one.listing;
  }
  result.bytes.resize(result.bytes.size() + tiles * line_bytes, 0xCC);  // the last lines that are asked for may be beyond
  return result;
}

}  // namespace lacuna::emit::x86
