// Kernel -> text, for people and golden tests.
#include <fmt/format.h>

#include <iterator>

#include <lacuna/error.hpp>

#include "kernel/kernel.hpp"

namespace lacuna::kernel {
namespace {

/// The arena is not named.
std::string place(const Step& step) {
  switch (step.space) {
    case Space::memory: return fmt::format("[{}]", step.offset);
    case Space::destination: return fmt::format("[out {}]", step.offset);
    case Space::skip: return fmt::format("[skip {}]", step.offset);
    case Space::partial: return fmt::format("[partial {}]", step.offset);
  }
  throw InternalError("a kernel step in no known space");
}

std::string print_step(const Step& step, const std::vector<float>& constants) {
  const auto constant = [&] { return constants.at(step.index); };
  switch (step.op) {
    case Op::clear: return fmt::format("s{} = 0", step.row);
    case Op::set: return fmt::format("s{} = {}", step.row, constant());
    case Op::resume: return fmt::format("s{} = {}", step.row, place(step));
    case Op::load: return fmt::format("x = {}", place(step));
    case Op::take: return fmt::format("x = {}", constant());
    case Op::hold: return fmt::format("x = s{}", step.row);
    case Op::multiply_add: return fmt::format("s{} += {} * x", step.row, constant());
    case Op::add: return fmt::format("s{} += x", step.row);
    case Op::scale: return fmt::format("s{0} = s{0} * x + {1}", step.row, constant());
    case Op::maximum: return fmt::format("s{0} = max(s{0}, x)", step.row);
    case Op::minimum: return fmt::format("s{0} = min(s{0}, x)", step.row);
    case Op::blank: return fmt::format("s{0} = wanted ? s{0} : 0", step.row);
    case Op::store: return fmt::format("{} = s{}", place(step), step.row);
  }
  throw InternalError("a kernel step of no known kind");
}

}  // namespace

std::string print(const Kernel& kernel) {
  std::string text = fmt::format("kernel {}: {} sums, {} constants\n", kernel.name, kernel.rows, kernel.constants.size());
  for (const Step& step : kernel.steps) fmt::format_to(std::back_inserter(text), "  {}\n", print_step(step, kernel.constants));
  return text;
}

}  // namespace lacuna::kernel
