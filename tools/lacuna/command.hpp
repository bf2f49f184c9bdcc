// What the commands share: how each is registered, common flags, and how results are shown.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>

#include <lacuna/lacuna.hpp>

namespace cli {

using Json = nlohmann::ordered_json;

/// The answer was computed but is not right: exit code 1.
struct WrongAnswer {
  std::string sentence;
};

// One function a command, each in a file of its own: adds the subcommand with its flags and its callback.
void add_challenge(CLI::App& app);
void add_run(CLI::App& app);
void add_bench(CLI::App& app);
void add_generate(CLI::App& app);
void add_inspect(CLI::App& app);
void add_compile(CLI::App& app);
void add_devices(CLI::App& app);
void add_prune(CLI::App& app);
void add_convert(CLI::App& app);

/// What a command can be given as a network.
inline constexpr auto network_help = "ONNX model, genome (.json, .net, ...), folder of genomes or of layers, binary store or text form";

/// Flags of every command that loads or runs a network.
struct CommonOptions {
  unsigned threads = 0;
  std::string device = "auto";
  std::string optimise = "all";
  std::string kernel = "auto";
  std::string tune = "fast";
  std::string precision = "f32";
  std::string store;
  bool no_store = false;
  std::vector<std::string> input_shapes;  ///< of ONNX models: "name=1x3x224x224"
  std::uint32_t steps = 0;                ///< of neuron graphs that are not feed forward
  double time_step = 0;                   ///< of continuous neuron graphs, in seconds
  bool json = false;
};

void add_json_flag(CLI::App& command, CommonOptions& options);
void add_load_flags(CLI::App& command, CommonOptions& options);
void add_compile_flags(CLI::App& command, CommonOptions& options);

/// How far outputs of layers may be from the reference, of the larger of 1 and their magnitude: 1e-3, and where values are kept in 16 bits four roundings for
/// each layer, of 2^-11 (f16) or 2^-8 (bf16).
double tolerance_of(const CommonOptions& options, const lacuna::Network& network);

lacuna::LoadOptions load_options(const CommonOptions& options);
lacuna::CompileOptions compile_options(const CommonOptions& options);

/// The same for a network that was loaded: what the passes make of it is kept beside its store.
lacuna::CompileOptions compile_options(const CommonOptions& options, const lacuna::LoadReport& loaded);

/// lacuna::compile, telling on standard error when the simplified network could not be kept or read.
lacuna::Program compile_network(const lacuna::Network& network, const lacuna::CompileOptions& options);

/// Where a program runs: "cpu avx2", or the GPU as it was asked for; the second one: "cpu avx2, 2 thread(s)".
std::string where(const lacuna::Program& program);
std::string where_with_threads(const lacuna::Program& program);

/// Multiply-adds a second that the cpu's kernels could do at most, measured; 0 on GPUs, where nothing like that is measured.
double peak_of(const lacuna::Program& program);

/// ", 42% of the measured peak"; nothing without a peak.
std::string share_of_peak(double rate, double peak);

/// lacuna::load, telling on standard error when no store could be written.
lacuna::Network load_network(const std::string& path, const lacuna::LoadOptions& options, lacuna::LoadReport* report = nullptr);

/// Throws InputError when the folder a file shall be written to does not exist: better before the work than after it.
void check_folder_of(const std::string& file);

/// A progress bar on standard error; nothing when that is not a terminal.
lacuna::Progress progress_bar();

/// Seconds since construction.
class Stopwatch {
 public:
  Stopwatch();
  double seconds() const;

 private:
  std::int64_t start_ns_;
};

// How figures read: 1234567 -> "1,234,567"; 3.2e9 -> "3.20 billion"; "0.123 s".
std::string with_commas(std::uint64_t number);
std::string in_words(double number);
std::string in_seconds(double seconds);
std::string green(std::string_view text);
std::string red(std::string_view text);

void print_line(std::string_view label, std::string_view text);
void print_json(const Json& json);

/// How many inputs to verify: the reference walks every edge in double, and that shall take a few seconds at most.
std::size_t sample_size(std::uint64_t edges);

double median(std::vector<double> values);

}  // namespace cli
