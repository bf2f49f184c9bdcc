// `lacuna compile`: compile a network and show the stages.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "command.hpp"

namespace cli {
namespace {

struct CompileCommandOptions : CommonOptions {
  std::string path;
  std::string print_after;
  std::string emit;
  bool explain = false;
  unsigned panel_lanes = 0;
};

void check_pass_name(const std::string& name, const std::string& optimise) {
  if (name.empty() || name == "all") return;
  const auto all = lacuna::optimisations();
  const auto pass = std::find_if(all.begin(), all.end(), [&](const lacuna::Optimisation& entry) { return entry.name == name; });
  if (pass == all.end() || !pass->is_pass) {
    std::vector<std::string_view> passes;
    for (const lacuna::Optimisation& entry : all)
      if (entry.is_pass) passes.push_back(entry.name);
    throw lacuna::InputError(fmt::format("--print-after={}: {}; the passes are {}", name,
                                         pass == all.end() ? "no such pass" : "not done to the network, but to its rows or while the program runs", fmt::join(passes, ", ")));
  }
  const auto selected = lacuna::select_optimisations(optimise);
  if (std::find(selected.begin(), selected.end(), name) == selected.end())
    throw lacuna::InputError(fmt::format("--print-after={}, but --optimise {} leaves it out", name, optimise));
}

bool is_for_gpus(const std::string& stage) { return stage == "ptx" || stage == "opencl"; }

/// Kernels for GPUs can be looked at on any machine: where no device is named, they are those for a simulated one.
void choose_device(const std::string& stage, lacuna::CompileOptions& options) {
  const char* const wish = std::getenv("LACUNA_DEVICE");
  if (is_for_gpus(stage) && options.device == "auto" && (wish == nullptr || *wish == '\0')) options.device = "sim:a100";
}

std::string simplified_words(const lacuna::Program& program) {
  const lacuna::SimplifyReport report = program.simplified();
  return report.from_store ? "from store" : "in " + in_seconds(report.seconds);
}

void run_compile(const CompileCommandOptions& options) {
  check_pass_name(options.print_after, options.optimise);
  lacuna::LoadReport loaded;
  const Stopwatch load_watch;
  const lacuna::Network network = load_network(options.path, load_options(options), &loaded);
  const double seconds_load = load_watch.seconds();

  Json passes = Json::array();
  lacuna::CompileOptions compile = compile_options(options, loaded);
  if (!options.print_after.empty()) compile.simplified_store.clear();  // the passes must run to be seen
  compile.panel_lanes = options.panel_lanes;
  choose_device(options.emit, compile);
  compile.after_pass = [&](std::string_view pass, const lacuna::Network& after, double seconds, bool changed) {
    passes.push_back({{"name", pass}, {"seconds", seconds}, {"changed", changed}});
    if (options.print_after == pass || options.print_after == "all")
      fmt::print(options.json ? stderr : stdout, "# after {} ({}){}\n{}", pass, in_seconds(seconds), changed ? "" : " (unchanged)",
                 changed || options.print_after == pass ? lacuna::print(after) : "");
  };
  const Stopwatch compile_watch;
  const lacuna::Program program = compile_network(network, compile);
  const double seconds_compile = compile_watch.seconds();

  if (options.json) {
    Json json{{"edges", program.edges()}, {"edges_after_passes", program.edges_left()}, {"device", program.device()},
                       {"isa", program.isa()}, {"threads", program.threads()}, {"seconds_load", seconds_load}, {"seconds_compile", seconds_compile},
                       {"optimisations", program.optimisations()}, {"simplified", simplified_words(program)}, {"seconds_simplify", program.simplified().seconds},
              {"passes", passes},
              {"plan", options.explain ? program.explain() : program.print_plan()}};
    if (options.emit == "rows") json["rows"] = program.print_rows(true);
    if (options.emit == "kernel") json["kernel"] = program.print_kernels();
    if (options.emit == "asm") json["asm"] = program.print_code();
    if (is_for_gpus(options.emit)) json[options.emit] = program.kernel_text(options.emit);
    return print_json(json);
  }
  if (options.emit == "rows") fmt::print("{}", program.print_rows(true));
  if (options.emit == "plan") fmt::print("{}", program.print_plan());
  if (options.emit == "kernel") fmt::print("{}", program.print_kernels());
  if (options.emit == "asm") fmt::print("{}", program.print_code());
  if (is_for_gpus(options.emit)) fmt::print("{}", program.kernel_text(options.emit));
  if (options.explain) fmt::print("{}", program.explain());
  if (options.emit.empty() && !options.explain && options.print_after.empty())
    fmt::print("{} edges, {} after the passes; loaded in {}, compiled in {} for {}; simplified {}\n", with_commas(program.edges()),
               with_commas(program.edges_left()), in_seconds(seconds_load), in_seconds(seconds_compile), where(program), simplified_words(program));
}

}  // namespace

void add_compile(CLI::App& app) {
  auto options = std::make_shared<CompileCommandOptions>();
  CLI::App& command = *app.add_subcommand("compile", "Compile a network and show the stages");
  command.add_option("network", options->path, "Folder of layers, binary store or text form")->required();
  command.add_option("--print-after", options->print_after, "Print the network after this pass, or after all");
  command.add_option("--emit", options->emit, "Print a stage: rows, plan, kernel or asm (of baked groups), ptx or opencl (all kernels for the GPU that --device names, else for a simulated one)")
      ->check(CLI::IsMember({"rows", "plan", "kernel", "asm", "ptx", "opencl"}));
  command.add_flag("--explain", options->explain, "Print the plan with reasons");
  command.add_option("--panel", options->panel_lanes, "Inputs of a panel (default: the fastest measured)");
  add_load_flags(command, *options);
  add_compile_flags(command, *options);
  add_json_flag(command, *options);
  command.callback([options] { run_compile(*options); });
}

}  // namespace cli
