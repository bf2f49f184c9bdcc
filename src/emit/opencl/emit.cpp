#include "emit/opencl/emit.hpp"

#include <set>

#include <lacuna/error.hpp>

#include "emit/opencl/kernel_writer.hpp"
#include "kernel/thread_simplify.hpp"
#include "kernel/thread_statements.hpp"

namespace lacuna::emit::opencl {
namespace {

using namespace kernel;

bool stores_bf16(const ThreadProgram& program) {
  bool is_found = false;
  for_each_statement(program.body, [&](const Statement& statement, const Body&, bool) {
    const Store* s = std::get_if<Store>(&statement.what);
    is_found = is_found || (s != nullptr && s->element == Element::bf16);
  });
  return is_found;
}

void write_bf16(TextWriter& out) {
  out.blank();
  out.comment("The upper half, rounded to nearest, ties to even; NaN stays NaN.");
  out.line("ushort to_bf16(float value) {{");
  out.indent();
  out.line("const uint bits = as_uint(value);");
  out.line("return isnan(value) ? (ushort)0x7FFF : (ushort)((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);");
  out.outdent();
  out.line("}}");
}

}  // namespace

std::string emit(std::span<const ThreadProgram> programs) {
  std::set<std::string> names;
  bool needs_bf16 = false;
  for (const ThreadProgram& program : programs) {
    verify(program);
    if (!names.insert(program.name).second) throw InternalError("two kernels of one OpenCL program are called " + program.name);
    needs_bf16 = needs_bf16 || stores_bf16(program);
  }
  TextWriter out;
  out.line("#pragma OPENCL FP_CONTRACT OFF");
  if (needs_bf16) write_bf16(out);
  for (const ThreadProgram& program : programs) {
    out.blank();
    const ThreadProgram simple = drop_copies(program);
    out.append(KernelWriter(simple).write());
  }
  return out.text();
}

}  // namespace lacuna::emit::opencl
