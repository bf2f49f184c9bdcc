// compile: the whole pipeline, top to bottom.
#include <fmt/format.h>

#include <cstdlib>

#include <lacuna/compile.hpp>
#include <lacuna/error.hpp>

#include "base/parallel.hpp"
#include "engine/compiled.hpp"
#include "devices/cpu/cpu_info.hpp"
#include "devices/cuda/open.hpp"
#include "devices/gpu/open.hpp"
#include "engine/precision.hpp"
#include "engine/simplify.hpp"
#include "engine/tensors/explain.hpp"
#include "operators/operators.hpp"
#include "passes/pass_list.hpp"

namespace lacuna {

namespace {

/// As asked for, else LACUNA_DEVICE, else the cpu.
std::string device_of(const CompileOptions& options) {
  if (options.device != "auto") return options.device;
  const char* const wish = std::getenv("LACUNA_DEVICE");
  return wish == nullptr || *wish == '\0' || std::string_view(wish) == "auto" ? "cpu" : wish;
}

/// Where the pass was left out: in order all the same, but nothing is dropped.
void levelise_all(Network& network) {
  for (Operator& op : network.operators) {
    auto& graph = std::get<NeuronGraph>(op.operation);
    if (graph.levels.empty()) graph = passes::levelise(graph, true, network.value(op.output).name);
  }
}

engine::Compiled compiled_without_plan(Network network, cpu::Isa isa, unsigned threads, std::vector<std::string> optimisations, std::uint64_t edges) {
  plan::Plan no_plan{};
  no_plan.isa = isa;
  return {std::move(network), {}, std::move(no_plan), std::nullopt, threads, std::move(optimisations), edges, {}};
}

}  // namespace

Program compile(const Network& network, const CompileOptions& options) {
  const std::string device = device_of(options);
  engine::gpus::Devices gpus;
  if (device != "cpu") gpus = gpu::open_devices(device);
  const cpu::Isa isa = cpu::choose_isa(options.isa);
  const unsigned threads = base::thread_count(options.threads);
  const plan::KernelWish kernel = plan::parse_kernel_wish(options.kernel);
  const engine::Precision precision = engine::parse_precision(options.precision);
  engine::check_precision(precision, network, !gpus.empty(), dense::has_bf16());
  std::vector<std::string> selected = passes::serving(select_optimisations(options.optimise), network);
  if (!gpus.empty() || !dense::has_vnni()) std::erase(selected, "fuse_quantisation");  // there, floats are faster than plain loops over bytes

  engine::Simplified simplified = engine::simplify(network, selected, options, threads);
  if (!gpus.empty()) {
    if (simplified.network.has_batch_in_shapes) operators::check(simplified.network);
    if (simplified.network.has_neuron_graphs()) levelise_all(simplified.network);
    engine::Compiled compiled = compiled_without_plan(std::move(simplified.network), isa, threads, selected, count_edges(network));
    compiled.simplified = std::move(simplified.report);
    compiled.device = device;
    compiled.devices = gpus;
    compiled.gpu = engine::gpus::compile_for_gpus(compiled.network, std::move(gpus), {kernel, selected, options.tune != "off", precision});
    return Program(std::make_shared<const engine::Compiled>(std::move(compiled)));
  }
  if (simplified.network.has_batch_in_shapes) {
    operators::check(simplified.network);  // its shapes are what its operators give: kernels trust them
    engine::tensors::Chosen chosen =
        engine::tensors::choose(simplified.network, {isa, threads, kernel, engine::tensors::parse_tune(options.tune), options.progress, precision});
    engine::tensors::TensorProgram program = engine::tensors::build(simplified.network, chosen, threads);
    const std::uint64_t edges_left = count_edges(simplified.network);
    plan::Plan no_plan{};
    no_plan.isa = isa;
    return Program(std::make_shared<const engine::Compiled>(
        engine::Compiled{std::move(simplified.network), {}, std::move(no_plan), std::nullopt, threads, selected, count_edges(network), std::move(simplified.report),
                         engine::TensorCompiled{std::move(chosen), std::move(program), edges_left, engine::tolerance_of(precision, network)}}));
  }
  if (simplified.network.has_neuron_graphs()) {
    levelise_all(simplified.network);
    engine::graphs::GraphProgram program = engine::graphs::build_program(
        simplified.network, {isa, threads, precision, options.panel_lanes, options.tune != "off", kernel, options.tune == "full"});
    engine::Compiled compiled = compiled_without_plan(std::move(simplified.network), isa, threads, selected, count_edges(network));
    compiled.simplified = std::move(simplified.report);
    compiled.graphs = std::move(program);
    return Program(std::make_shared<const engine::Compiled>(std::move(compiled)));
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
  if (compiled.network.has_neuron_graphs()) throw Unsupported(fmt::format("neuron graphs have no {}: print the network after levelise, or its plan with reasons (--explain)", stage));
  if (compiled.network.has_batch_in_shapes) throw Unsupported(fmt::format("the {} of a network of tensors cannot be printed yet; its plan can, with reasons (--explain)", stage));
}

void refuse_gpu(const engine::Compiled& compiled, std::string_view stage) {
  if (compiled.gpu) throw Unsupported(fmt::format("the {} of a program for \"{}\" is another: --emit=ptx or --emit=opencl", stage, compiled.device));
}

}  // namespace

std::string Program::print_rows(bool with_weights) const {
  refuse_tensors(*compiled_, "rows");
  if (compiled_->gpu) return rows::print(rows::lower(compiled_->network), with_weights);
  return rows::print(compiled_->rows, with_weights);
}
std::string Program::print_plan() const {
  if (compiled_->gpu) return compiled_->gpu->print_plan();
  if (compiled_->graphs) return engine::graphs::print_plan(compiled_->network, *compiled_->graphs);
  if (compiled_->tensors) return engine::tensors::print_plan(compiled_->network, compiled_->tensors->chosen);
  return plan::print(compiled_->plan, compiled_->rows);
}
std::string Program::print_kernels() const {
  refuse_gpu(*compiled_, "kernels");
  refuse_tensors(*compiled_, "kernels");
  return plan::print_kernels(compiled_->plan, compiled_->rows);
}
std::string Program::print_code() const {
  refuse_gpu(*compiled_, "machine code");
  refuse_tensors(*compiled_, "machine code");
  return plan::print_code(compiled_->plan, compiled_->rows);
}
std::string Program::kernel_text(const std::string& language) const {
  if (language != "ptx" && language != "opencl") throw InputError(fmt::format("kernels are written in ptx or opencl, not in \"{}\"", language));
  if (!compiled_->gpu) throw Unsupported(fmt::format("a program for the cpu has no {} kernels; compile it for a GPU, --device sim:a100 for one", language));
  return compiled_->gpu->kernel_text(language == "ptx" ? gpu::Language::ptx : gpu::Language::opencl);
}
std::string Program::explain() const {
  if (compiled_->gpu) return compiled_->gpu->explain();
  if (compiled_->graphs) return engine::graphs::explain(compiled_->network, *compiled_->graphs);
  if (compiled_->tensors) return engine::tensors::explain(layers(), compiled_->tensors->chosen, cpu::measure_peak(compiled_->plan.isa, compiled_->threads));
  return plan::explain(compiled_->plan, compiled_->rows);
}
bool Program::has_neuron_graphs() const { return compiled_->network.has_neuron_graphs(); }
bool Program::has_tensors() const { return compiled_->network.has_batch_in_shapes; }
std::vector<LayerReport> Program::layers() const {
  if (compiled_->gpu) return compiled_->gpu->layers();
  return compiled_->tensors ? engine::tensors::layer_reports(compiled_->network, compiled_->tensors->chosen) : std::vector<LayerReport>{};
}
std::size_t Program::arena_bytes() const { return compiled_->tensors ? compiled_->tensors->program.arena_bytes : 0; }
std::size_t Program::least_arena_bytes() const { return compiled_->tensors ? compiled_->tensors->program.least_bytes : 0; }
double Program::tolerance() const { return compiled_->tensors ? compiled_->tensors->tolerance : engine::tolerance_of(engine::Precision::f32, compiled_->network); }
std::string Program::device() const { return compiled_->device; }
std::string Program::isa() const { return compiled_->gpu ? std::string() : std::string(cpu::name(compiled_->plan.isa)); }
unsigned Program::threads() const { return compiled_->threads; }
std::vector<std::string> Program::optimisations() const { return compiled_->optimisations; }
std::uint64_t Program::edges() const { return compiled_->edges; }
std::uint64_t Program::edges_left() const {
  if (compiled_->tensors) return compiled_->tensors->edges_left;
  if (compiled_->graphs || compiled_->gpu) return count_edges(compiled_->network);
  std::uint64_t edges = 0;
  for (const rows::RowGroup& group : compiled_->rows.groups) edges += group.weights.nnz();
  return edges;
}
Program Program::with_weights(const Network& network) const {
  if (!has_neuron_graphs()) throw Unsupported("only the weights of neuron graphs can be changed in a program");
  if (network.operators.size() != compiled_->network.operators.size() || !network.has_neuron_graphs())
    throw InputError(fmt::format("{} graphs for a program of {}; compile them anew", network.operators.size(), compiled_->network.operators.size()));
  engine::Compiled changed = compiled_without_plan(compiled_->network, compiled_->plan.isa, compiled_->threads, compiled_->optimisations, compiled_->edges);
  const bool is_large = count_edges(network) >= (1 << 14);
  base::parallel_for(is_large ? changed.threads : 1, network.operators.size(), [&](std::size_t k, unsigned) {
    auto& graph = std::get<NeuronGraph>(changed.network.operators[k].operation);
    graph = passes::levelise_like(std::get<NeuronGraph>(network.operators[k].operation), graph, network.value(network.operators[k].output).name);
  });
  changed.device = compiled_->device;
  changed.devices = compiled_->devices;
  if (compiled_->gpu)
    changed.gpu = compiled_->gpu->with_weights(changed.network);
  else
    changed.graphs = engine::graphs::with_weights(*compiled_->graphs, changed.network);
  return Program(std::make_shared<const engine::Compiled>(std::move(changed)));
}
std::vector<std::string> Program::counters() const {
  std::vector<std::string> all;
  for (const auto& device : compiled_->devices)
    if (const auto simulation = cuda::simulation_of(*device)) all.push_back(simulation->json());
  return all;
}
void Program::reset_counters() const {
  for (const auto& device : compiled_->devices)
    if (const auto simulation = cuda::simulation_of(*device)) simulation->reset();
}
Network Program::network() const { return compiled_->network; }
SimplifyReport Program::simplified() const { return compiled_->simplified; }

}  // namespace lacuna
