// compile: the whole pipeline, top to bottom.
#include <fmt/format.h>

#include <cstdlib>

#include <lacuna/compile.hpp>
#include <lacuna/error.hpp>

#include "base/parallel.hpp"
#include "engine/compiled.hpp"
#include "passes/pass_list.hpp"

namespace lacuna {

namespace {

void check_device(const CompileOptions& options) {
  std::string device = options.device;
  if (const char* wish = std::getenv("LACUNA_DEVICE"); device == "auto" && wish != nullptr && *wish != '\0') device = wish;
  if (device != "auto" && device != "cpu") throw Unsupported(fmt::format("no device is called \"{}\"; this release has cpu", device));
}

}  // namespace

Program compile(const Network& network, const CompileOptions& options) {
  check_device(options);
  const cpu::Isa isa = cpu::choose_isa(options.isa);
  const unsigned threads = base::thread_count(options.threads);
  const plan::KernelWish kernel = plan::parse_kernel_wish(options.kernel);
  const std::vector<std::string> selected = select_optimisations(options.optimise);

  verify(network);
  Network simplified = passes::run_passes(network, selected, options.after_pass);
  rows::SparseRows rows = rows::lower(simplified);
  plan::Plan plan = plan::make_plan(rows, {isa, options.panel_lanes, threads, kernel});
  return Program(std::make_shared<const engine::Compiled>(
      engine::Compiled{std::move(simplified), std::move(rows), std::move(plan), threads, selected, count_edges(network)}));
}

Program::Program(std::shared_ptr<const engine::Compiled> compiled) : compiled_(std::move(compiled)) {}

Session Program::open() const { return Session(compiled_); }
std::string Program::print_rows(bool with_weights) const { return rows::print(compiled_->rows, with_weights); }
std::string Program::print_plan() const { return plan::print(compiled_->plan, compiled_->rows); }
std::string Program::print_kernels() const { return plan::print_kernels(compiled_->plan, compiled_->rows); }
std::string Program::print_code() const { return plan::print_code(compiled_->plan, compiled_->rows); }
std::string Program::explain() const { return plan::explain(compiled_->plan, compiled_->rows); }
std::string Program::device() const { return "cpu"; }
std::string Program::isa() const { return std::string(cpu::name(compiled_->plan.isa)); }
unsigned Program::threads() const { return compiled_->threads; }
std::vector<std::string> Program::optimisations() const { return compiled_->optimisations; }
std::uint64_t Program::edges() const { return compiled_->edges; }
Network Program::network() const { return compiled_->network; }

}  // namespace lacuna
