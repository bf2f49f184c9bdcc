#include "emit/x86/emit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "emit/x86/kernel_writer.hpp"

namespace lacuna::emit::x86 {
namespace {

namespace jit = asmjit::x86;

/// AsmJit reports through a handler; ours throws, so that no error code can be forgotten.
class Throwing : public asmjit::ErrorHandler {
 public:
  void handleError(asmjit::Error, const char* message, asmjit::BaseEmitter*) override {
    throw InternalError(fmt::format("the assembler refused an instruction: {}", message));
  }
};

/// Runs `body` for every tile: the pointers end each round one tile further.
void sweep(jit::Assembler& code, KernelWriter& writer, const kernel::Kernel& kernel, Tile tile) {
  if (tile.tiles == 1) return writer.write(kernel);
  const auto step = static_cast<std::int64_t>(tile.vectors) * writer.vector_bytes();
  const asmjit::Label round = code.newLabel();
  code.mov(jit::ecx, tile.tiles);
  code.bind(round);
  const KernelWriter::Places begin = writer.places();
  writer.write(kernel);
  writer.return_to(begin, step);
  code.dec(jit::ecx);
  code.jnz(round);
  writer.moved_by(step * (tile.tiles - 1));
}

}  // namespace

unsigned vector_lanes(Target target) { return target == Target::avx512 ? 16 : 8; }
unsigned vector_registers(Target target) { return target == Target::avx512 ? 32 : 16; }

Code emit(std::span<const kernel::Kernel> kernels, Target target, Tile tile, bool with_listing) {
  Throwing throwing;
  asmjit::CodeHolder holder;
  holder.init(asmjit::Environment(asmjit::Arch::kX64));
  holder.setErrorHandler(&throwing);
  asmjit::StringLogger logger;
  if (with_listing) holder.setLogger(&logger);
  jit::Assembler code(&holder);

  Code result;
  KernelWriter writer(code, target, tile.vectors);
  code.mov(jit::rdx, jit::rdi);
  for (const kernel::Kernel& kernel : kernels) {
    if (with_listing) code.comment(fmt::format("; {}: {} sums", kernel.name, kernel.rows).c_str());
    writer.begin_constants(static_cast<std::int64_t>(result.constants.size() * sizeof(float)));
    sweep(code, writer, kernel, tile);
    result.constants.insert(result.constants.end(), kernel.constants.begin(), kernel.constants.end());
    result.constants.resize((result.constants.size() + 3) / 4 * 4);  // they are loaded four at a time
  }
  code.vzeroupper();
  code.ret();
  holder.flatten();
  holder.resolveUnresolvedLinks();
  result.bytes.resize(holder.codeSize());
  holder.relocateToBase(0);
  holder.copyFlattenedData(result.bytes.data(), result.bytes.size());
  if (with_listing) result.listing.assign(logger.data(), logger.dataSize());
  return result;
}

}  // namespace lacuna::emit::x86
