// compile: the whole pipeline, top to bottom.
#include <fmt/format.h>

#include <cstdlib>

#include <lacuna/compile.hpp>
#include <lacuna/error.hpp>

#include "base/parallel.hpp"
#include "engine/compiled.hpp"
#include "devices/cpu/cpu_info.hpp"
#include "engine/simplify.hpp"
#include "engine/tensors/explain.hpp"
#include "operators/operators.hpp"
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
  const std::vector<std::string> selected = passes::serving(select_optimisations(options.optimise), network);

  engine::Simplified simplified = engine::simplify(network, selected, options, threads);
  if (simplified.network.has_batch_in_shapes) {
    operators::check(simplified.network);  // its shapes are what its operators give: kernels trust them
    engine::tensors::Chosen chosen =
        engine::tensors::choose(simplified.network, {isa, threads, kernel, engine::tensors::parse_tune(options.tune), options.progress});
    engine::tensors::TensorProgram program = engine::tensors::build_program(simplified.network, chosen.choices, chosen.planes, threads);
    const std::uint64_t edges_left = count_edges(simplified.network);
    plan::Plan no_plan{};
    no_plan.isa = isa;
    return Program(std::make_shared<const engine::Compiled>(
        engine::Compiled{std::move(simplified.network), {}, std::move(no_plan), std::nullopt, threads, selected, count_edges(network), std::move(simplified.report),
                         engine::TensorCompiled{std::move(chosen), std::move(program), edges_left}}));
  }
  rows::SparseRows rows = rows::lower(simplified.network);
  if (passes::is_selected(selected, "merge_equal_rows")) rows = rows::merge_equal_rows(std::move(rows), threads, options.progress);
  plan::Plan plan = plan::make_plan(rows, {isa, options.panel_lanes, threads, kernel});
  std::optional<plan::CountedLayer> counted;
  if (passes::is_selected(selected, "sparse_first_layer")) counted = plan::CountedLayer::of(rows);
  return Program(std::make_shared<const engine::Compiled>(
      engine::Compiled{
      std::move(simplified.network), std::move(rows), std::move(plan), std::move(counted), threads, selected, count_edges(network), std::move(simplified.report)}));
}

Program::Program(std::shared_ptr<const engine::Compiled> compiled) : compiled_(std::move(compiled)) {}

Session Program::open() const { return Session(compiled_); }
namespace {

/// Stages that only layered networks print so far.
void refuse_tensors(const engine::Compiled& compiled, std::string_view stage) {
  if (compiled.tensors) throw Unsupported(fmt::format("the {} of a network of tensors cannot be printed yet; its plan can, with reasons (--explain)", stage));
}

}  // namespace

std::string Program::print_rows(bool with_weights) const {
  refuse_tensors(*compiled_, "rows");
  return rows::print(compiled_->rows, with_weights);
}
std::string Program::print_plan() const {
  if (compiled_->tensors) return engine::tensors::print_plan(compiled_->network, compiled_->tensors->chosen);
  return plan::print(compiled_->plan, compiled_->rows);
}
std::string Program::print_kernels() const {
  refuse_tensors(*compiled_, "kernels");
  return plan::print_kernels(compiled_->plan, compiled_->rows);
}
std::string Program::print_code() const {
  refuse_tensors(*compiled_, "machine code");
  return plan::print_code(compiled_->plan, compiled_->rows);
}
std::string Program::explain() const {
  if (compiled_->tensors) return engine::tensors::explain(layers(), compiled_->tensors->chosen, cpu::measure_peak(compiled_->plan.isa, compiled_->threads));
  return plan::explain(compiled_->plan, compiled_->rows);
}
bool Program::has_tensors() const { return compiled_->tensors.has_value(); }
std::vector<LayerReport> Program::layers() const {
  return compiled_->tensors ? engine::tensors::layer_reports(compiled_->network, compiled_->tensors->chosen) : std::vector<LayerReport>{};
}
std::size_t Program::arena_bytes() const { return compiled_->tensors ? compiled_->tensors->program.arena_bytes : 0; }
std::size_t Program::least_arena_bytes() const { return compiled_->tensors ? compiled_->tensors->program.least_bytes : 0; }
std::string Program::device() const { return "cpu"; }
std::string Program::isa() const { return std::string(cpu::name(compiled_->plan.isa)); }
unsigned Program::threads() const { return compiled_->threads; }
std::vector<std::string> Program::optimisations() const { return compiled_->optimisations; }
std::uint64_t Program::edges() const { return compiled_->edges; }
std::uint64_t Program::edges_left() const {
  if (compiled_->tensors) return compiled_->tensors->edges_left;
  std::uint64_t edges = 0;
  for (const rows::RowGroup& group : compiled_->rows.groups) edges += group.weights.nnz();
  return edges;
}
Network Program::network() const { return compiled_->network; }
SimplifyReport Program::simplified() const { return compiled_->simplified; }

}  // namespace lacuna
