#include "emit/x86/emit.hpp"

#include <fmt/format.h>

#include "emit/x86/kernel_writer.hpp"

namespace lacuna::emit::x86 {
namespace {

/// More than any kernel takes: the longest instructions have 11 bytes, and a step becomes two for each vector at most, a load and a move.
std::size_t most_bytes(std::span<const kernel::Kernel> kernels, Tile tile) {
  std::size_t steps = 4;
  for (const kernel::Kernel& kernel : kernels) steps += kernel.steps.size() + 8;
  return steps * (2 * std::size_t{tile.vectors} + 4) * 11;
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
  Assembler code(target, most_bytes(kernels, tile), with_listing);
  Code result;
  KernelWriter writer(code, target, tile.vectors);
  code.begin();
  for (const kernel::Kernel& kernel : kernels) {
    code.note(fmt::format("{}: {} sums", kernel.name, kernel.rows));
    writer.begin_constants(static_cast<std::int64_t>(result.constants.size() * sizeof(float)));
    sweep(code, writer, kernel, tile);
    result.constants.insert(result.constants.end(), kernel.constants.begin(), kernel.constants.end());
    result.constants.resize((result.constants.size() + 3) / 4 * 4);  // they are loaded four at a time
  }
  code.end();
  result.bytes = code.bytes();
  result.listing = code.listing();
  return result;
}

}  // namespace lacuna::emit::x86
