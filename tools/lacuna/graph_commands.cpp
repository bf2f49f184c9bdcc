#include "graph_commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

#include "prediction.hpp"

namespace cli {
namespace {

/// A folder or an archive, though it may hold a single network.
bool is_population(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  return std::filesystem::is_directory(path) || name.ends_with(".zip") || name.ends_with(".tgz") || name.find(".tar") != std::string::npos;
}

/// The outputs of all members one after the other: {members, batch, outputs}.
lacuna::TypedTensor stacked(const std::vector<lacuna::TypedTensor>& outputs) {
  std::vector<std::byte> bytes;
  for (const lacuna::TypedTensor& output : outputs) {
    if (output.shape != outputs[0].shape)
      throw lacuna::Unsupported(fmt::format("members with {} and {} outputs cannot be written to one file", outputs[0].shape.back(), output.shape.back()));
    bytes.insert(bytes.end(), output.bytes.begin(), output.bytes.end());
  }
  std::vector<std::size_t> shape = outputs[0].shape;
  shape.insert(shape.begin(), outputs.size());
  return {outputs[0].type, std::move(shape), std::move(bytes)};
}

/// As many as the network has inputs: members of a population that read inputs of their own are all given the same.
std::vector<lacuna::TypedTensor> for_all_inputs(const lacuna::Network& network, const lacuna::TypedTensor& input) {
  return std::vector<lacuna::TypedTensor>(network.all_inputs().size(), input);
}

lacuna::TypedTensor random_inputs(std::uint32_t batch, std::uint32_t width, std::uint64_t seed) {
  std::vector<float> values(std::size_t{batch} * width);
  for (float& value : values) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    value = static_cast<float>(static_cast<double>(seed >> 40) / (1 << 23) - 1);  // -1 to 1
  }
  return lacuna::make_tensor<float>({batch, width}, values);
}

std::uint64_t count_neurons(const lacuna::Network& network) {
  std::uint64_t neurons = 0;
  for (const lacuna::Operator& op : network.operators) neurons += std::get<lacuna::NeuronGraph>(op.operation).neurons.size();
  return neurons;
}

/// Of this program: what getrusage tells may be the memory of the one that started it.
std::uint64_t peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6)) * 1024;
  return 0;
}

}  // namespace

void run_graphs(const lacuna::Network& network, const std::string& path, const std::string& input, const std::string& output, double seconds_load, const CommonOptions& options) {
  const auto inputs = for_all_inputs(network, lacuna::load_typed_tensor(input));
  const Stopwatch compile_watch;
  const lacuna::Program program = compile_network(network, compile_options(options));
  const double seconds_compile = compile_watch.seconds();
  lacuna::Session session = program.open();
  const auto outputs = session.run(inputs);
  const lacuna::TypedTensor all = outputs.size() > 1 || is_population(path) ? stacked(outputs) : outputs[0];
  if (!output.empty()) lacuna::save_typed_tensor(all, output);
  if (options.json)
    return print_json({{"members", outputs.size()}, {"shape", all.shape}, {"type", lacuna::name_of(all.type)}, {"device", program.device()}, {"isa", program.isa()},
                       {"threads", program.threads()}, {"seconds_load", seconds_load}, {"seconds_compile", seconds_compile}, {"seconds_run", session.report().seconds}});
  if (outputs.size() > 1) print_line("population", fmt::format("{} networks", with_commas(outputs.size())));
  print_line("inputs", fmt::format("{} ({})", fmt::join(inputs[0].shape, " x "), input));
  print_line("outputs", fmt::format("{} {}{}", fmt::join(all.shape, " x "), lacuna::name_of(all.type), output.empty() ? "" : ", written to " + output));
  if (output.empty() && all.size() <= 16) {
    std::vector<std::string> values;
    for (std::size_t k = 0; k < all.size(); ++k) values.push_back(all.type == lacuna::ElementType::f64 ? fmt::format("{}", all.as<double>()[k]) : fmt::format("{}", all.as<float>()[k]));
    print_line("values", fmt::format("{}", fmt::join(values, " ")));
  }
  print_line("time", fmt::format("load {}, compile {}, run {} on {}", in_seconds(seconds_load), in_seconds(seconds_compile), in_seconds(session.report().seconds),
                                 where(program)));
}

void bench_graphs(const lacuna::Network& network, const BenchGraphs& bench, double seconds_load, const CommonOptions& options) {
  const auto inputs = for_all_inputs(network, bench.input.empty() ? random_inputs(bench.batch, network.width(network.input), bench.seed) : lacuna::load_typed_tensor(bench.input));
  std::vector<double> compile_seconds;
  std::optional<lacuna::Program> compiled;
  const Stopwatch since_first;
  do {
    compiled.reset();  // one at a time: the memory is told too
    const Stopwatch watch;
    compiled = compile_network(network, compile_options(options));
    compile_seconds.push_back(watch.seconds());
  } while (compile_seconds.size() < 20 && since_first.seconds() < 0.5 * bench.seconds);
  const double seconds_compile = median(compile_seconds);
  const lacuna::Program& program = *compiled;

  lacuna::Session session = program.open();
  const auto outputs = session.run(inputs);  // warm-up
  const Timing timing = time_runs_of(program, bench.seconds, [&] {
    session.run(inputs);
    return session.report().seconds;
  });
  const double middle = timing.median;
  const double rows = static_cast<double>(inputs[0].size()) / static_cast<double>(inputs[0].shape.back());
  const auto members = static_cast<double>(outputs.size());
  const double nominal = static_cast<double>(program.edges()) * rows / middle;
  const double active = static_cast<double>(session.report().active_edges) / middle;
  const Json counters = counters_of(program);
  const double peak = peak_of(program);
  const std::uint64_t peak_memory = peak_bytes();
  lacuna::Verdict verdict;
  if (bench.verify) verdict = lacuna::check_outputs(network, inputs, outputs);

  if (options.json) {
    Json json{{"members", outputs.size()}, {"nodes", count_neurons(network)}, {"edges", program.edges()}, {"edges_left", program.edges_left()}, {"batch", rows},
              {"precision", options.precision}, {"device", program.device()}, {"isa", program.isa()}, {"threads", program.threads()}, {"runs", timing.runs},
              {"latency_ms_median", middle * 1e3}, {"latency_ms_p99", timing.p99 * 1e3}, {"latency_ms_best", timing.best * 1e3}, {"items_per_s", rows * members / middle},
              {"edges_per_s", nominal}, {"active_edges_per_s", active}, {"fma_peak_per_s", peak}, {"seconds_load", seconds_load}, {"seconds_compile", seconds_compile},
              {"networks_compiled_per_s", members / seconds_compile}, {"peak_bytes", peak_memory}};
    if (!counters.empty()) json["predicted"] = counters;
    if (bench.verify) json["verified"] = verdict.right;
    print_json(json);
  } else {
    print_line("network", fmt::format("{} graph(s), {} neurons, {} edges ({} that reach an output)", with_commas(outputs.size()), with_commas(count_neurons(network)),
                                      with_commas(program.edges()), with_commas(program.edges_left())));
    print_line("batch", fmt::format("{} inputs, {} runs in {} on {}", with_commas(static_cast<std::uint64_t>(rows)), timing.runs, options.precision,
                                    where_with_threads(program)));
    print_line("time", fmt::format("load {}, compile {} ({} networks/s)", in_seconds(seconds_load), in_seconds(seconds_compile), in_words(members / seconds_compile)));
    print_line("run", fmt::format("median {}, 99% below {}, best {}{}", in_seconds(middle), in_seconds(timing.p99), in_seconds(timing.best), predicted_word(counters)));
    print_line("rate", fmt::format("{} edges/s ({} done){}", in_words(nominal), in_words(active), share_of_peak(active, peak)));
    print_line("memory", fmt::format("{:.0f} MB at most", static_cast<double>(peak_memory) / 1e6));
    print_counters(counters, session.report().active_edges);
    if (bench.verify) print_line(verdict.right ? "verified" : "WRONG", verdict.right ? green(verdict.sentence) : red(verdict.sentence));
  }
  if (!verdict.right) throw WrongAnswer{verdict.sentence};
}

}  // namespace cli
