// `lacuna bench`: how fast a network runs here, with the answer verified.
#include <fmt/format.h>

#include <algorithm>

#include "command.hpp"
#include "graph_commands.hpp"
#include "network_inputs.hpp"
#include "prediction.hpp"
#include "tensor_commands.hpp"

namespace cli {
namespace {

struct BenchOptions : CommonOptions {
  std::string path;
  std::vector<std::string> inputs;
  std::string input;
  bool verify = true;
  std::uint32_t batch = 0;  ///< 0: 1,024 of a layered network, what the file says of a model
  double density = 0.1;
  std::uint64_t seed = 1;
  double seconds = 2;
};

/// Ones at random places: for networks that come without inputs.
lacuna::SparseMatrix random_inputs(std::uint32_t count, std::uint32_t width, double density, std::uint64_t seed) {
  std::vector<std::uint32_t> row_begin{0};
  std::vector<std::uint32_t> columns;
  std::uint64_t state = seed;
  const auto chance = static_cast<std::uint64_t>(density * 4294967296.0);
  for (std::uint32_t row = 0; row < count; ++row) {
    for (std::uint32_t column = 0; column < width; ++column) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      if ((state >> 32) < chance) columns.push_back(column);
    }
    row_begin.push_back(static_cast<std::uint32_t>(columns.size()));
  }
  std::vector<float> values(columns.size(), 1.0f);
  return lacuna::make_sparse_matrix(count, width, std::move(row_begin), std::move(columns), std::move(values));
}

void run_bench(const BenchOptions& options) {
  lacuna::LoadReport loaded;
  const Stopwatch load_watch;
  const lacuna::Network network = load_network(options.path, load_options(options), &loaded);
  if (network.has_neuron_graphs())
    return bench_graphs(network, {options.input, options.batch == 0 ? 1024 : options.batch, options.seed, options.seconds, options.verify}, load_watch.seconds(), options);
  NetworkInputs inputs = options.input.empty()
                             ? NetworkInputs(random_inputs(options.batch == 0 ? 1024 : options.batch, network.width(network.input), options.density, options.seed))
                             : load_network_inputs(options.input, network, options);
  const double seconds_load = load_watch.seconds();
  const Stopwatch compile_watch;
  const lacuna::Program program = compile_network(network, compile_options(options, loaded));
  const double seconds_compile = compile_watch.seconds();

  lacuna::Session session = program.open();
  lacuna::Outputs outputs = run_inputs(session, inputs);  // warm-up
  const Timing timing = time_runs_of(program, options.seconds, [&] {
    session.reuse(std::move(outputs));
    outputs = run_inputs(session, inputs);
    return session.report().seconds;
  });
  const double middle = timing.median;
  const double items = static_cast<double>(count_inputs(inputs)) / middle;
  const double active = static_cast<double>(session.report().active_edges) / middle;
  const Json counters = counters_of(program);
  const double peak = peak_of(program);
  const lacuna::Verdict verdict = lacuna::check_outputs(network, as_sparse(inputs), outputs, 16, tolerance_of(options, network), program.threads());

  if (options.json) {
    Json json{{"inputs", count_inputs(inputs)}, {"edges", program.edges()}, {"device", program.device()}, {"isa", program.isa()},
                {"threads", program.threads()}, {"runs", timing.runs}, {"seconds_load", seconds_load}, {"seconds_compile", seconds_compile},
                {"latency_ms_median", middle * 1e3}, {"latency_ms_p99", timing.p99 * 1e3}, {"latency_ms_best", timing.best * 1e3}, {"items_per_s", items},
                {"active_edges_per_s", active}, {"fma_peak_per_s", peak}, {"verified", verdict.right}, {"optimisations", program.optimisations()}};
    if (!counters.empty()) json["predicted"] = counters;
    add_streaming(json, session.report());
    print_json(json);
  } else {
    print_line("batch", fmt::format("{} inputs, {} edges each, {} runs on {}", with_commas(count_inputs(inputs)),
                                    with_commas(program.edges()), timing.runs, where_with_threads(program)));
    print_line("time", fmt::format("load {}, compile {}", in_seconds(seconds_load), in_seconds(seconds_compile)));
    print_line("run", fmt::format("median {}, 99% below {}, best {}{}", in_seconds(middle), in_seconds(timing.p99), in_seconds(timing.best), predicted_word(counters)));
    print_line("rate", fmt::format("{} inputs/s, {} active edges/s{}", in_words(items), in_words(active), share_of_peak(active, peak)));
    print_counters(counters, session.report().active_edges);
    print_streaming(session.report(), counters);
    print_line(verdict.right ? "verified" : "WRONG", verdict.right ? green(verdict.sentence) : red(verdict.sentence));
  }
  if (!verdict.right) throw WrongAnswer{verdict.sentence};
}

}  // namespace

void add_bench(CLI::App& app) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App& command = *app.add_subcommand("bench", "Time a network here, answer verified");
  command.add_option("network", options->path, network_help)->required();
  command.add_option("--input", options->inputs, "Inputs as `run` takes them (default: random ones)");
  command.add_option("--batch", options->batch, "How many inputs at once (default: 1,024; for a model what its file says, else 1)")->check(CLI::Range(1u, 1u << 30));
  command.add_option("--density", options->density, "Share of ones in random inputs")->check(CLI::Range(0.0, 1.0))->capture_default_str();
  command.add_option("--seed", options->seed, "Of the random inputs")->capture_default_str();
  command.add_option("--seconds", options->seconds, "How long to repeat")->check(CLI::Range(0.0, 3600.0))->capture_default_str();
  add_load_flags(command, *options);
  add_compile_flags(command, *options);
  add_json_flag(command, *options);
  command.add_flag("!--no-verify", options->verify, "Models and neuron graphs: do not compare with the reference, which takes seconds for a large one");
  command.callback([options] {
    if (is_model(options->path))
      return bench_model({options->path, options->inputs, options->batch, options->seed, options->seconds, options->verify}, *options);
    if (options->inputs.size() > 1) throw lacuna::InputError("a layered network takes one --input");
    if (!options->inputs.empty()) options->input = options->inputs[0];
    run_bench(*options);
  });
}

}  // namespace cli
