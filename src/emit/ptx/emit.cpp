#include "emit/ptx/emit.hpp"

#include <algorithm>
#include <set>

#include <lacuna/error.hpp>

#include "emit/ptx/kernel_writer.hpp"
#include "kernel/thread_simplify.hpp"

namespace lacuna::emit::ptx {

std::string emit(std::span<const kernel::ThreadProgram> programs) {
  std::set<std::string> names;
  for (const kernel::ThreadProgram& program : programs) {
    kernel::verify(program);
    if (!names.insert(program.name).second) throw InternalError("two kernels of one PTX module are called " + program.name);
  }
  TextWriter out;
  out.line(".version 6.0");
  out.line(".target sm_70");
  out.line(".address_size 64");
  const bool needs_dynamic = std::any_of(programs.begin(), programs.end(), [](const auto& program) { return program.shared_bytes > most_static_shared_bytes; });
  if (needs_dynamic) out.line(".extern .shared .align 16 .b8 lacuna_shared[];");
  for (const kernel::ThreadProgram& program : programs) {
    out.blank();
    const kernel::ThreadProgram simple = kernel::drop_copies(program);
    out.append(KernelWriter(simple).write());
  }
  return out.text();
}

}  // namespace lacuna::emit::ptx
