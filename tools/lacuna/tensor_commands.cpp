#include "tensor_commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "prediction.hpp"

namespace cli {
namespace {

std::vector<lacuna::TypedTensor> load_inputs(const std::vector<std::string>& files) {
  std::vector<lacuna::TypedTensor> inputs;
  for (const std::string& file : files) inputs.push_back(lacuna::load_typed_tensor(file));
  return inputs;
}

lacuna::Network load_model(const std::string& path, const CommonOptions& options, const std::vector<lacuna::TypedTensor>& inputs, std::uint32_t batch) {
  lacuna::LoadOptions load = load_options(options);
  load.batch = batch;
  for (const lacuna::TypedTensor& input : inputs) load.shapes_in_order.push_back(input.shape);
  return load_network(path, load);
}

/// Random numbers of whatever type an input has: floats around 0, whole numbers 0 to 9 (token numbers and the like).
lacuna::TypedTensor random_tensor(const lacuna::Value& value, std::uint64_t& state) {
  const auto next = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 40) / double(1 << 24);  // 0 to 1
  };
  const auto filled = [&]<typename T>(T) {
    std::vector<T> values(value.shape.size());
    for (T& element : values) element = std::is_floating_point_v<T> ? static_cast<T>(2 * next() - 1) : static_cast<T>(next() * 10);
    return lacuna::make_tensor<T>({value.shape.extents.begin(), value.shape.extents.end()}, std::span<const T>(values));
  };
  switch (value.type) {
    case lacuna::ElementType::f32: return filled(float{});
    case lacuna::ElementType::f64: return filled(double{});
    case lacuna::ElementType::i64: return filled(std::int64_t{});
    case lacuna::ElementType::i32: return filled(std::int32_t{});
    case lacuna::ElementType::u8: return filled(std::uint8_t{});
    default:
      throw lacuna::Unsupported(fmt::format("input {} holds {}; give the inputs as files (--input)", value.name, lacuna::name_of(value.type)));
  }
}

Json layer_json(const lacuna::LayerReport& layer, double seconds, double peak) {
  Json json{{"name", layer.name}, {"kind", layer.kind}, {"shape", layer.shape}, {"kernel", layer.kernel}, {"precision", layer.precision}, {"ms", seconds * 1e3}};
  if (layer.dense_edges == 0) return json;
  json["sparsity"] = layer.sparsity;
  json["edges"] = layer.edges;
  json["tuned_ms"] = layer.seconds * 1e3;
  json["dense_ms"] = layer.seconds_dense * 1e3;
  if (layer.seconds > 0) json["speed_up"] = layer.seconds_dense / layer.seconds;
  if (seconds > 0 && peak > 0) json["of_peak"] = static_cast<double>(layer.edges) / seconds / peak;
  json["why"] = layer.reason;
  return json;
}

}  // namespace

bool is_model(const std::string& path) { return path.ends_with(".onnx"); }

void run_model(const std::string& path, const std::vector<std::string>& input_files, const std::vector<std::string>& output_files, const CommonOptions& options) {
  for (const std::string& file : output_files) check_folder_of(file);
  const Stopwatch load_watch;
  const std::vector<lacuna::TypedTensor> inputs = load_inputs(input_files);
  const lacuna::Network network = load_model(path, options, inputs, 0);
  const double seconds_load = load_watch.seconds();
  const auto outputs_of = network.all_outputs();
  if (output_files.size() > outputs_of.size())
    throw lacuna::InputError(fmt::format("{} output files given; {} has {} output(s)", output_files.size(), path, outputs_of.size()));
  const Stopwatch compile_watch;
  const lacuna::Program program = compile_network(network, compile_options(options));
  const double seconds_compile = compile_watch.seconds();
  lacuna::Session session = program.open();
  const std::vector<lacuna::TypedTensor> outputs = session.run(inputs);
  for (std::size_t k = 0; k < output_files.size(); ++k) lacuna::save_typed_tensor(outputs[k], output_files[k]);

  Json of_outputs = Json::array();
  for (std::size_t k = 0; k < outputs.size(); ++k)
    of_outputs.push_back({{"name", network.value(outputs_of[k]).name}, {"type", lacuna::name_of(outputs[k].type)}, {"shape", outputs[k].shape}});
  if (options.json)
    return print_json({{"outputs", of_outputs}, {"device", program.device()}, {"isa", program.isa()}, {"threads", program.threads()}, {"seconds_load", seconds_load},
                       {"seconds_compile", seconds_compile}, {"seconds_run", session.report().seconds}});
  for (std::size_t k = 0; k < outputs.size(); ++k)
    print_line("output", fmt::format("{} {} {}{}", network.value(outputs_of[k]).name, lacuna::name_of(outputs[k].type), fmt::join(outputs[k].shape, "x"),
                                     k < output_files.size() ? ", written to " + output_files[k] : ""));
  print_line("time", fmt::format("load {}, compile {}, run {} on {}", in_seconds(seconds_load), in_seconds(seconds_compile), in_seconds(session.report().seconds),
                                 where(program)));
}

void bench_model(const BenchModel& bench, const CommonOptions& options) {
  const Stopwatch load_watch;
  std::vector<lacuna::TypedTensor> inputs = load_inputs(bench.input_files);
  const lacuna::Network network = load_model(bench.path, options, inputs, bench.batch);
  const double seconds_load = load_watch.seconds();
  std::uint64_t state = bench.seed;
  if (inputs.empty())
    for (lacuna::ValueId id : network.all_inputs()) inputs.push_back(random_tensor(network.value(id), state));
  const Stopwatch compile_watch;
  const lacuna::Program program = compile_network(network, compile_options(options));
  const double seconds_compile = compile_watch.seconds();

  lacuna::Session session = program.open();
  const std::vector<lacuna::TypedTensor> outputs = session.run(inputs);  // warm-up
  std::vector<double> of_layers;
  const bool is_profiled = !program.isa().empty();  // GPUs run all operators as one
  std::vector<double> best_of_layers(program.layers().size(), is_profiled ? std::numeric_limits<double>::infinity() : 0.0);
  for (int round = 0; is_profiled && round < 5; ++round) {
    session.run_profiled(inputs, of_layers);
    for (std::size_t k = 0; k < of_layers.size(); ++k) best_of_layers[k] = std::min(best_of_layers[k], of_layers[k]);
  }
  const Timing timing = time_runs_of(program, bench.seconds, [&] {
    session.run(inputs);
    return session.report().seconds;
  });
  const double middle = timing.median;
  const double batch = inputs.empty() || inputs[0].shape.empty() ? 1.0 : static_cast<double>(inputs[0].shape[0]);
  const double active = static_cast<double>(program.edges_left()) / middle;
  const Json counters = counters_of(program);
  const double peak = peak_of(program);
  lacuna::Verdict verdict;
  if (bench.verify) verdict = lacuna::check_outputs(network, inputs, outputs, program.tolerance());

  const auto layers = program.layers();
  if (options.json) {
    Json of_layer = Json::array();
    for (std::size_t k = 0; k < layers.size(); ++k) of_layer.push_back(layer_json(layers[k], best_of_layers[k], peak));
    Json json{{"model", bench.path}, {"batch", batch}, {"precision", options.precision}, {"device", program.device()}, {"isa", program.isa()}, {"threads", program.threads()}, {"runs", timing.runs},
              {"latency_ms_median", middle * 1e3}, {"latency_ms_p99", timing.p99 * 1e3}, {"latency_ms_best", timing.best * 1e3}, {"items_per_s", batch / middle},
              {"active_flops_per_s", 2 * active}, {"edges", program.edges_left()}, {"fma_peak_per_s", peak}, {"peak_bytes", program.arena_bytes()},
              {"least_bytes", program.least_arena_bytes()}, {"seconds_load", seconds_load}, {"seconds_compile", seconds_compile}};
    if (!counters.empty()) json["predicted"] = counters;
    if (bench.verify) json["verified"] = verdict.right;
    json["layers"] = std::move(of_layer);
    print_json(json);
  } else {
    print_line("batch", fmt::format("{} of {} input(s), {} multiply-adds, {} runs on {}", batch, inputs.size(), with_commas(program.edges_left()), timing.runs,
                                    where_with_threads(program)));
    print_line("time", fmt::format("load {}, compile {}", in_seconds(seconds_load), in_seconds(seconds_compile)));
    print_line("run", fmt::format("median {}, 99% below {}, best {}{}", in_seconds(middle), in_seconds(timing.p99), in_seconds(timing.best), predicted_word(counters)));
    print_line("rate", fmt::format("{:.1f} items/s, {} active multiply-adds/s{}", batch / middle, in_words(active), share_of_peak(active, peak)));
    print_line("memory", fmt::format("{:.1f} MB of activations ({:.1f} MB alive at once)", static_cast<double>(program.arena_bytes()) / 1e6,
                                     static_cast<double>(program.least_arena_bytes()) / 1e6));
    print_counters(counters, program.edges_left());
    if (bench.verify) print_line(verdict.right ? "verified" : "WRONG", verdict.right ? green(verdict.sentence) : red(verdict.sentence));
  }
  if (!verdict.right) throw WrongAnswer{verdict.sentence};
}

}  // namespace cli
