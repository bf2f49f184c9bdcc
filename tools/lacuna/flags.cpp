// Flags that several commands share, and what they lead to.
#include <fmt/format.h>

#include <charconv>
#include <filesystem>

#include "command.hpp"

namespace cli {
namespace {

std::string optimise_help() {
  std::string help = "all, bitwise (those that keep every bit of the answer), none, or a comma-separated choice of:";
  for (const lacuna::Optimisation& optimisation : lacuna::optimisations())
    help += fmt::format("\n  {}: {}", optimisation.name, optimisation.what);
  return help;
}

/// "x=1x3x224x224"; the name may hold anything.
std::pair<std::string, std::vector<std::size_t>> parse_input_shape(const std::string& text) {
  const auto fail = [&] { throw lacuna::InputError(fmt::format("--input-shape {} is not of the form NAME=1x3x224x224", text)); };
  const std::size_t mark = text.rfind('=');
  if (mark == std::string::npos || mark == 0) fail();
  std::vector<std::size_t> shape;
  const char* at = text.data() + mark + 1;
  const char* end = text.data() + text.size();
  while (at != end) {
    std::size_t extent = 0;
    const auto [stop, error] = std::from_chars(at, end, extent);
    if (error != std::errc{} || (stop != end && (*stop != 'x' || stop + 1 == end))) fail();
    shape.push_back(extent);
    at = stop == end ? end : stop + 1;
  }
  return {text.substr(0, mark), shape};
}

}  // namespace

void add_json_flag(CLI::App& command, CommonOptions& options) {
  command.add_flag("--json", options.json, "Print one JSON object on standard output");
}

void add_load_flags(CLI::App& command, CommonOptions& options) {
  command.add_option("--threads", options.threads, "Threads (default: LACUNA_THREADS, else all cores)")->check(CLI::Range(1u, 4096u));
  command.add_option("--store", options.store, "Where the binary store is kept (default: beside the text)");
  command.add_flag("--no-store", options.no_store, "Neither read nor write a binary store, of the network or of what the passes make of it");
  command.add_option("--input-shape", options.input_shapes, "ONNX models: the shape of an input, NAME=1x3x224x224, where the file leaves it open");
  command.add_option("--steps", options.steps, "Recurrent neuron graphs: updates for one row of inputs (default: what the file says, else 1)")->check(CLI::Range(1u, 1u << 30));
  command.add_option("--time-step", options.time_step, "Continuous neuron graphs: seconds of an update (default: what the file says, else 0.01)")->check(CLI::PositiveNumber);
}

void add_compile_flags(CLI::App& command, CommonOptions& options) {
  command.add_option("--device", options.device, "auto (LACUNA_DEVICE, else cpu), cpu, cuda, cuda:0,1, opencl, opencl:NAME (a part of it), or simulated: sim:a100, sim:v100:2; lacuna devices lists what is here")
      ->capture_default_str();
  command.add_option("--kernel", options.kernel, "auto (the fastest measured), table (walks an index), baked (code made for this network) or dense (models: oneDNN; on cuda cuDNN and cuBLAS, which must be installed)")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "table", "baked", "dense"}));
  command.add_option("--tune", options.tune, "Models: how long kernels are timed before one is chosen: off, fast or full; what was found is remembered. Neuron graphs: full tries machine code too")
      ->capture_default_str()
      ->check(CLI::IsMember({"off", "fast", "full"}));
  command.add_option("--precision", options.precision, "Neuron graphs: f32 (fast) or f64 (exact: every bit of the plain loop in double). Models: f32, or bf16 for dense layers that are faster so (CPUs with avx512_bf16). Layers on GPUs: f32, or f16 or bf16 (values kept in 16 bits, sums in f32)")
      ->capture_default_str()
      ->check(CLI::IsMember({"f32", "f64", "f16", "bf16"}));
  command.add_option("--optimise", options.optimise, optimise_help())->capture_default_str();
}

lacuna::LoadOptions load_options(const CommonOptions& options) {
  lacuna::LoadOptions load;
  load.threads = options.threads;
  load.use_store = !options.no_store;
  load.store = options.store;
  for (const std::string& text : options.input_shapes) load.input_shapes.insert(parse_input_shape(text));
  load.steps = options.steps;
  load.time_step = options.time_step;
  load.progress = progress_bar();
  return load;
}

double tolerance_of(const CommonOptions& options, const lacuna::Network& network) {
  const double rounding = options.precision == "f16" ? 0x1p-11 : options.precision == "bf16" ? 0x1p-8 : 0;
  return 1e-3 + 4 * rounding * static_cast<double>(network.operators.size());
}

lacuna::CompileOptions compile_options(const CommonOptions& options) {
  lacuna::CompileOptions compile;
  compile.device = options.device;
  compile.threads = options.threads;
  compile.optimise = options.optimise;
  compile.progress = progress_bar();
  compile.kernel = options.kernel;
  compile.tune = options.tune;
  compile.precision = options.precision;
  return compile;
}

lacuna::CompileOptions compile_options(const CommonOptions& options, const lacuna::LoadReport& loaded) {
  lacuna::CompileOptions compile = compile_options(options);
  if (loaded.store.empty()) return compile;
  compile.simplified_store = std::filesystem::path(loaded.store).replace_extension(".simplified.lstore");
  compile.network_key = loaded.key;
  return compile;
}

std::string where(const lacuna::Program& program) { return program.isa().empty() ? program.device() : program.device() + " " + program.isa(); }

std::string where_with_threads(const lacuna::Program& program) {
  return program.isa().empty() ? program.device() : fmt::format("{}, {} thread(s)", where(program), program.threads());
}

double peak_of(const lacuna::Program& program) { return program.isa().empty() ? 0 : lacuna::measure_multiply_add_peak(program.isa(), program.threads()); }

std::string share_of_peak(double rate, double peak) { return peak > 0 ? fmt::format(", {:.0f}% of the measured peak", 100 * rate / peak) : ""; }

lacuna::Program compile_network(const lacuna::Network& network, const lacuna::CompileOptions& options) {
  lacuna::Program program = lacuna::compile(network, options);
  if (const std::string note = program.simplified().note; !note.empty()) fmt::print(stderr, "lacuna: {}\n", note);
  return program;
}

lacuna::Network load_network(const std::string& path, const lacuna::LoadOptions& options, lacuna::LoadReport* report) {
  lacuna::LoadReport told;
  lacuna::Network network = lacuna::load(path, options, &told);
  if (!told.note.empty()) fmt::print(stderr, "lacuna: {}\n", told.note);
  if (report != nullptr) *report = std::move(told);
  return network;
}

void check_folder_of(const std::string& file) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder))
    throw lacuna::InputError(file, fmt::format("the folder {} does not exist", folder.string()));
}

}  // namespace cli
