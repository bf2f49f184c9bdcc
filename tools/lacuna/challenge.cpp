// `lacuna challenge`: the Sparse DNN Graph Challenge, from files or generated, timed and verified.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "against.hpp"
#include "command.hpp"
#include "ladder.hpp"
#include "prediction.hpp"

namespace cli {
namespace {

namespace fs = std::filesystem;

struct ChallengeOptions : CommonOptions {
  std::uint32_t neurons = 0;  ///< 0: the folder's, or 1,024 if generated
  std::uint32_t layers = 0;   ///< 0: the folder's, or 120 if generated
  std::uint32_t inputs = 60000;
  bool inputs_given = false;
  std::string data;
  std::string network = "radix";
  std::string images;
  std::string truth;
  std::string output;
  std::uint64_t seed = 1;
  unsigned repeat = 3;
  bool ladder = false;
  std::string against;
};

/// A network, its inputs and the truth if there is one, with a sentence about each.
struct Problem {
  lacuna::Network network;
  std::string network_from;
  lacuna::LoadReport loaded;  ///< empty if it was generated
  lacuna::SparseMatrix inputs;
  std::optional<lacuna::BitMatrix> packed;  ///< the inputs as bits, where that is smaller
  std::string inputs_from;
  std::string truth_file;
  std::vector<std::uint32_t> truth;
};

/// The first of FOLDER/STEM.{tsv,mtx}[.gz|.zst] that exists.
std::string find_beside(const std::string& folder, const std::string& stem) {
  for (const char* ending : {".tsv", ".tsv.gz", ".tsv.zst", ".mtx", ".mtx.gz", ".mtx.zst"})
    if (const fs::path file = fs::path(folder) / (stem + ending); fs::exists(file)) return file.string();
  return {};
}

void get_network(const ChallengeOptions& options, Problem& problem) {
  if (!options.data.empty()) {
    lacuna::LoadOptions load = load_options(options);
    load.neurons = options.neurons;
    load.layers = options.layers;
    problem.network = load_network(options.data, load, &problem.loaded);
    problem.network_from = problem.loaded.from_store ? problem.loaded.store.string() : options.data;
  } else if (options.network == "radix") {
    problem.network = lacuna::generate_radix({options.neurons, options.layers, options.seed, {}});
    problem.network_from = fmt::format("radix, seed {}", options.seed);
  } else {
    lacuna::GeneralOptions general;
    general.neurons = options.neurons;
    general.layers = options.layers;
    general.seed = options.seed;
    problem.network = lacuna::generate_general(general);
    problem.network_from = fmt::format("general, seed {}", options.seed);
  }
}

void get_inputs(const ChallengeOptions& options, Problem& problem) {
  std::string images = options.images;
  if (images.empty() && !options.data.empty()) images = find_beside(options.data, fmt::format("sparse-images-{}", options.neurons));
  if (images.empty()) {
    problem.inputs = lacuna::generate_inputs({options.neurons, options.inputs, options.seed, {}}, &problem.inputs_from);
    return;
  }
  lacuna::LoadOptions load = load_options(options);
  load.neurons = options.neurons;
  load.store.clear();  // --store names the network's
  problem.inputs = lacuna::load_inputs(images, options.inputs_given ? options.inputs : 0, options.inputs_given, load);
  problem.inputs_from = images;
}

void get_truth(const ChallengeOptions& options, Problem& problem) {
  const bool official = !options.data.empty() && problem.inputs_from.starts_with(options.data);
  problem.truth_file = options.truth;
  if (problem.truth_file.empty() && official)
    problem.truth_file = find_beside(options.data, fmt::format("neuron{}-l{}-categories", options.neurons, options.layers));
  if (!problem.truth_file.empty()) problem.truth = lacuna::load_categories(problem.truth_file, problem.inputs.rows, options.inputs_given);
}

struct Result {
  double seconds_load = 0;
  double seconds_compile = 0;
  std::vector<double> seconds_run;
  lacuna::RunReport report;
  double peak = 0;
  Json counters = Json::array();  ///< of the last run on simulated GPUs
  std::size_t survivors = 0;
  std::vector<lacuna::Verdict> verdicts;

  bool verified() const {
    return std::all_of(verdicts.begin(), verdicts.end(), [](const lacuna::Verdict& verdict) { return verdict.right; });
  }
};

Json to_json(const ChallengeOptions& options, const Problem& problem, const lacuna::Program& program, const Result& result) {
  const double seconds = median(result.seconds_run);
  Json json{{"neurons", options.neurons},
          {"layers", problem.network.operators.size()},
          {"inputs", problem.inputs.rows},
          {"edges", program.edges()},
          {"network", problem.network_from},
          {"inputs_from", problem.inputs_from},
          {"device", program.device()},
          {"isa", program.isa()},
          {"threads", program.threads()},
          {"seconds_load", result.seconds_load},
          {"seconds_compile", result.seconds_compile},
          {"seconds_run", seconds},
          {"seconds_run_best", *std::min_element(result.seconds_run.begin(), result.seconds_run.end())},
          {"repeat", result.seconds_run.size()},
          {"nominal_edges_per_s", static_cast<double>(program.edges()) * problem.inputs.rows / seconds},
          {"active_edges_per_s", static_cast<double>(result.report.active_edges) / seconds},
          {"fma_peak_per_s", result.peak},
          {"inputs_as_bits", problem.packed.has_value()},
          {"counted_first_layer", result.report.counted_first_layer},
          {"waves", result.report.waves},
          {"different_outputs", result.report.different_outputs},
          {"survivors", result.survivors},
          {"verified", result.verified()},
          {"simplified_from_store", program.simplified().from_store},
          {"optimisations", program.optimisations()}};
  if (!result.counters.empty()) json["predicted"] = result.counters;
  add_streaming(json, result.report);
  return json;
}

void print_problem(const ChallengeOptions& options, const Problem& problem) {
  print_line("network", fmt::format("{} neurons x {} layers, {} edges ({})", with_commas(options.neurons), with_commas(problem.network.operators.size()),
                                    with_commas(lacuna::count_edges(problem.network)), problem.network_from));
  print_line("inputs", fmt::format("{} ({}{})", with_commas(problem.inputs.rows), problem.inputs_from, problem.packed ? "; as bits" : ""));
}

void print_table(const ChallengeOptions& options, const Problem& problem, const lacuna::Program& program, const Result& result) {
  const Json json = to_json(options, problem, program, result);
  const double active = json["active_edges_per_s"];
  const lacuna::DeviceInfo device = lacuna::cpu_device();
  print_line("machine", program.isa().empty() ? program.device()
                                              : fmt::format("{}, {}, {} thread{}", device.description, program.isa(), program.threads(), program.threads() == 1 ? "" : "s"));
  print_problem(options, problem);
  print_line("optimise", program.optimisations().empty() ? "none" : fmt::format("{}", fmt::join(program.optimisations(), ", ")));
  fmt::print("\n");
  print_line("load", in_seconds(result.seconds_load));
  print_line("compile", in_seconds(result.seconds_compile));
  print_line("run", fmt::format("{:<24}median of {}, best {}{}; first layer {}", in_seconds(json["seconds_run"]), result.seconds_run.size(),
                                in_seconds(json["seconds_run_best"]), predicted_word(result.counters), result.report.counted_first_layer ? "by counting bits" : "by multiply-adds"));
  fmt::print("\n");
  print_line("nominal", fmt::format("{:<24}every input x every edge: the challenge's metric", in_words(json["nominal_edges_per_s"]) + " edges/s"));
  print_line("active", fmt::format("{:<24}multiply-adds really done", in_words(active) + " edges/s"));
  if (result.peak > 0)
    print_line("of peak", fmt::format("{:<24}of the {} multiply-adds/s measured on {}", fmt::format("{:.0f}%", 100 * active / result.peak),
                                    in_words(result.peak), program.threads() == 1 ? "this core" : "these cores"));
  print_counters(result.counters, result.report.active_edges);
  print_streaming(result.report, result.counters);
  print_line("survivors", fmt::format("{} of {}, {} different", with_commas(result.survivors), with_commas(problem.inputs.rows),
                                      with_commas(result.report.different_outputs)));
  for (const lacuna::Verdict& verdict : result.verdicts)
    print_line(verdict.right ? "verified" : "WRONG", verdict.right ? green(verdict.sentence) : red(verdict.sentence));
}

void run_challenge(ChallengeOptions options) {
  if (!options.output.empty()) check_folder_of(options.output);
  if (options.data.empty()) {
    if (options.neurons == 0) options.neurons = 1024;
    if (options.layers == 0) options.layers = 120;
  }
  Problem problem;
  Result result;
  const Stopwatch load_watch;
  get_network(options, problem);
  options.neurons = problem.network.width(problem.network.input);
  options.layers = static_cast<std::uint32_t>(problem.network.operators.size());
  get_inputs(options, problem);
  get_truth(options, problem);
  if (lacuna::is_smaller_as_bits(problem.inputs)) problem.packed = lacuna::pack_bits(problem.inputs, options.threads);
  result.seconds_load = load_watch.seconds();
  if (options.ladder) {
    if (!options.json) print_problem(options, problem);
    return run_ladder(problem.network, problem.inputs, options, options.repeat);
  }
  if (!options.against.empty()) {
    if (!options.json) print_problem(options, problem);
    return run_against(problem.network, problem.inputs, options, options.against, options.repeat);
  }

  const Stopwatch compile_watch;
  const lacuna::Program program = compile_network(problem.network, compile_options(options, problem.loaded));
  result.seconds_compile = compile_watch.seconds();

  lacuna::Session session = program.open();
  lacuna::Outputs outputs;
  for (unsigned round = 0; round < options.repeat; ++round) {
    program.reset_counters();
    session.reuse(std::move(outputs));
    outputs = problem.packed ? session.run(*problem.packed) : session.run(problem.inputs);
    result.seconds_run.push_back(session.report().seconds);
  }
  result.report = session.report();
  result.counters = counters_of(program);
  result.survivors = outputs.survivors.size();
  result.peak = peak_of(program);
  result.verdicts.push_back(
      lacuna::check_outputs(problem.network, problem.inputs, outputs, sample_size(program.edges()), tolerance_of(options, problem.network), program.threads()));
  if (!problem.truth_file.empty()) result.verdicts.push_back(lacuna::check_survivors(outputs.survivors, problem.truth));
  if (!options.output.empty()) lacuna::save_tensor(outputs.to_tensor(), options.output);

  if (options.json)
    print_json(to_json(options, problem, program, result));
  else
    print_table(options, problem, program, result);
  for (const lacuna::Verdict& verdict : result.verdicts)
    if (!verdict.right) throw WrongAnswer{verdict.sentence};
}

}  // namespace

void add_challenge(CLI::App& app) {
  auto options = std::make_shared<ChallengeOptions>();
  CLI::App& command = *app.add_subcommand("challenge", "Run a Sparse DNN Graph Challenge network, timed and verified");
  command.add_option("--neurons", options->neurons, "Neurons of each layer (default: the folder's, else 1024)")->check(CLI::Range(1u, 1u << 27));
  command.add_option("--layers", options->layers, "Layers (default: all of the folder's, else 120)")->check(CLI::Range(1u, 1u << 27));
  auto* data = command.add_option("--data", options->data, "Folder with n<N>-l<k>.tsv (plain, .gz, .zst, or .mtx)");
  command.add_option("--network", options->network, "Generate it: radix (the challenge's own) or general (no input dies)")
      ->check(CLI::IsMember({"radix", "general"}))
      ->capture_default_str()
      ->excludes(data);
  command.add_option("--images", options->images, "Inputs, TSV or Matrix Market (default: the folder's, else generated)");
  command.add_option("--truth", options->truth, "Categories file to compare the survivors with (default: the folder's, if any)");
  auto* inputs = command.add_option("--inputs", options->inputs, "How many inputs")->capture_default_str();
  command.add_option("--seed", options->seed, "Of everything that is generated")->capture_default_str();
  command.add_option("--repeat", options->repeat, "Runs; the median is reported")->check(CLI::Range(1u, 1000000u))->capture_default_str();
  auto* ladder = command.add_flag("--ladder", options->ladder, "Measure what each optimisation is worth, one on top of the other");
  command.add_option("--against", options->against, "Measure --optimise against this list, in turn, by CPU time")->excludes(ladder);
  command.add_option("--output", options->output, "Write the outputs of all inputs as .npy");
  add_load_flags(command, *options);
  add_compile_flags(command, *options);
  add_json_flag(command, *options);
  command.callback([options, inputs] {
    options->inputs_given = inputs->count() > 0;
    run_challenge(*options);
  });
}

}  // namespace cli
