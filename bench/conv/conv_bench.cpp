// Times sparse convolutions against oneDNN's best dense float32 convolution of the same layer, interleaved in one run, answers compared.
//   conv_bench [--batch=N] [--threads=N] [--only=TEXT] [--lanes=pixels|batch] [--seconds=S] [--cold] [--slabs] [--explore] [--json=FILE]
// --cold: other memory fills all caches before each run, as the rest of a large network does; else a rival finds its own things there.
// --slabs: the output, and the input of 1x1 layers, stand in slabs.
// One thread is timed by its own CPU time, more by the wall clock; the best round counts. A machine that others use needs --seconds=1 or more.
#include <fmt/format.h>
#include <omp.h>
#include <time.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <random>
#include <string>

#include "base/aligned_buffer.hpp"
#include "dense.hpp"
#include "devices/cpu/cpu_info.hpp"
#include "devices/cpu/kernels.hpp"
#include "layers.hpp"
#include "plan/sparse_conv.hpp"
#include "plan/tile_shape.hpp"
#include "rows/conv_rows.hpp"

namespace lacuna::bench {
namespace {

struct Options {
  std::uint32_t batch = 1;
  unsigned threads = 1;
  std::string only;
  rows::Lanes lanes = rows::Lanes::pixels;
  double seconds = 0.3;
  bool explore = false;
  bool cold = false;
  bool slabs = false;
  std::string json;
};

double now(bool of_thread) {
  timespec time{};
  ::clock_gettime(of_thread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// The fewest seconds each rival needed, all in turn, until `seconds` have passed for each of them on average.
std::vector<double> best_times(const std::vector<std::function<void()>>& rivals, double seconds, bool of_thread, bool cold) {
  std::vector<char> others(cold ? std::size_t{128} << 20 : 0);
  std::vector<double> best(rivals.size(), INFINITY);
  for (const auto& rival : rivals) rival();
  double spent = 0;
  for (int round = 0; round < 3 || spent < seconds * static_cast<double>(rivals.size()); ++round)
    for (std::size_t k = 0; k < rivals.size(); ++k) {
      for (int repeat = 0; repeat < (cold ? 1 : 4); ++repeat) {
        for (std::size_t at = 0; at < others.size(); at += 64) ++others[at];
        const double start = now(of_thread);
        rivals[k]();
        const double took = now(of_thread) - start;
        spent += took;
        best[k] = std::min(best[k], took);
      }
    }
  return best;
}

/// Multiply-adds a second in registers, by the clock that layers are timed with.
double peak_of(cpu::Isa isa, unsigned threads) {
  float sink[3] = {0.999f, 0.001f, 0};
  double best = 0;
  for (int round = 0; round < 50; ++round) {
    const double start = now(true);
    const std::uint64_t done = cpu::kernels_for(isa).multiply_adds(20000, sink);
    best = std::max(best, static_cast<double>(done) / (now(true) - start));
  }
  return best * threads;
}

/// A convolution with its buffers.
struct Rival {
  Rival(const Layer& layer, const rows::Planes& in, const rows::Planes& out, const plan::ConvKernelChoice& wanted, cpu::Isa isa, unsigned threads)
      : choice(wanted), conv(layer.conv, in, out, nullptr, wanted, isa, threads), scratch(conv.scratch_floats()) {}
  plan::ConvKernelChoice choice;
  plan::SparseConv conv;
  base::AlignedFloats scratch;
};

/// Every shape with several chunks and groups.
std::vector<plan::ConvKernelChoice> grid(cpu::Isa isa, std::size_t slab) {
  std::vector<plan::ConvKernelChoice> all;
  for (unsigned groups : {1u, 2u, 4u, 8u, 16u}) {
    for (unsigned chunk : {1u, 4u}) all.push_back({plan::ConvKernelKind::table, 8, 128, chunk, groups});
    for (plan::TileShape shape : plan::tile_shapes(isa)) {
      if (slab % (shape.vectors * cpu::kernels_for(isa).vector_lanes) != 0) continue;
      for (unsigned chunk : {8u, 32u, 1000u})
        for (unsigned together : {1u, 4u, 8u}) all.push_back({plan::ConvKernelKind::baked, shape.vectors, shape.rows, std::max(1u, chunk / shape.vectors), groups, together});
      if (isa == cpu::Isa::avx512 && shape.vectors == 1)
        for (unsigned chunk : {8u, 32u, 1000u})
          for (unsigned together : {1u, 4u})
            for (bool spreads : {false, true})
              for (bool by_lines : {false, true})
                if (spreads || by_lines) all.push_back({plan::ConvKernelKind::baked, 1, shape.rows - (spreads ? 1 : 0), chunk, groups, together, by_lines, false, spreads});
    }
  }
  return all;
}

void time_layer(const Layer& layer, const Options& options, double peak, std::ofstream& json) {
  const cpu::Isa isa = cpu::choose_isa();
  const std::uint32_t height = (layer.height + 2 * layer.conv.pads_begin[0] - layer.conv.kernel[0]) / layer.conv.strides[0] + 1;
  const Shape in_shape{{options.batch, layer.channels, layer.height, layer.width}}, out_shape{{options.batch, layer.conv.output_channels, height, height}};
  const std::uint32_t halo = std::max(1u, rows::halo_of(layer.conv).x);
  const auto place = [&](const Shape& shape, bool may_be_slabs) { return options.slabs && may_be_slabs ? rows::slabs_for(shape, halo, options.lanes) : planes_for(shape, halo, halo, options.lanes); };
  const rows::Planes in = place(in_shape, rows::reads_one_pixel(rows::window_of(layer.conv))), out = place(out_shape, true);
  constexpr std::size_t apart = rows::apart_in_page;
  std::mt19937 random(3);
  std::uniform_real_distribution<float> uniform(0, 1);
  std::vector<float> input(in_shape.size());
  for (float& value : input) value = uniform(random);
  base::AlignedFloats in_memory(in.floats), out_buffer(out.floats + apart);
  float* const out_memory = out_buffer.data() + apart;
  std::fill_n(in_memory.data(), in_memory.size(), 0.0f);  // lanes of slabs that are no pixels are computed too, and some CPUs take a hundred times as long for the denormals of chance
  load_planes(input.data(), in, in_memory.data());
  std::fill(out_memory, out_memory + out.floats, 0.0f);

  omp_set_num_threads(static_cast<int>(options.threads));
  DenseConv dense(layer, options.batch, input);
  std::vector<std::unique_ptr<Rival>> rivals;
  for (const auto& choice : options.explore ? grid(isa, std::max(in.slab, out.slab)) : plan::conv_candidates(layer.conv, in, out, nullptr, isa))
    rivals.push_back(std::make_unique<Rival>(layer, in, out, choice, isa, options.threads));
  const auto run = [&](Rival& rival) { rival.conv.run(in_memory.data(), nullptr, out_memory, rival.scratch.data()); };
  const bool of_thread = options.threads == 1;

  std::vector<std::function<void()>> trials;
  for (auto& rival : rivals) trials.push_back([&, one = rival.get()] { run(*one); });
  const std::vector<double> trial_times = best_times(trials, options.explore ? options.seconds : options.seconds / 4, of_thread, options.cold);
  const auto edges = static_cast<double>(rivals[0]->conv.edges());
  if (options.explore) {
    std::vector<std::size_t> order(rivals.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return trial_times[a] < trial_times[b]; });
    for (std::size_t k = 0; k < order.size() && k < 14; ++k)
      fmt::print("    {:6.1f} G/s  {:7.1f} KiB  {}\n", edges / trial_times[order[k]] / 1e9, static_cast<double>(rivals[order[k]]->conv.code_bytes()) / 1024, rivals[order[k]]->conv.describe());
  }
  Rival& best = *rivals[static_cast<std::size_t>(std::min_element(trial_times.begin(), trial_times.end()) - trial_times.begin())];
  const std::vector<double> times = best_times({[&] { run(best); }, [&] { dense.run(); }}, options.seconds, of_thread, options.cold);

  std::vector<float> got(out_shape.size());
  store_elements(out, out_memory, got.data());
  const std::vector<float> expected = dense.output();
  double error = 0, largest = 0;
  for (std::size_t k = 0; k < got.size(); ++k) {
    error = std::max(error, static_cast<double>(std::abs(got[k] - expected[k])));
    largest = std::max(largest, static_cast<double>(std::abs(expected[k])));
  }
  if (!(error <= 1e-4 * std::max(1.0, largest))) {
    fmt::print("{}: WRONG, off by {} of {}\n", layer.name, error, largest);
    std::exit(1);
  }
  const double rate = edges / times[0];
  const std::uint64_t nonzeros = best.conv.edges() / (std::uint64_t{options.batch} * height * height);
  fmt::print("{:32} {:3.0f}% b{:<2} t{} {:9.1f} us  dense {:9.1f} us {:5.1f}x  {:5.1f} G/s {:3.0f}%  {:6.0f} KiB  {}\n", layer.name, layer.sparsity * 100, options.batch, options.threads, times[0] * 1e6,
             times[1] * 1e6, times[1] / times[0], rate / 1e9, 100 * rate / peak, static_cast<double>(best.conv.code_bytes()) / 1024, best.conv.describe());
  std::fflush(stdout);
  if (json.is_open())
    json << fmt::format(
        R"({{"layer":"{}","sparsity":{},"nonzeros":{},"batch":{},"threads":{},"lanes":"{}","microseconds":{:.2f},"dense_microseconds":{:.2f},"dense_kernel":"{}","speed_up":{:.2f},"multiply_adds_per_second":{:.4g},"fraction_of_peak":{:.3f},"kernel":"{}","code_bytes":{},"verified":true}})",
        layer.name, layer.sparsity, nonzeros, options.batch, options.threads, options.lanes == rows::Lanes::pixels ? "pixels" : "batch", times[0] * 1e6, times[1] * 1e6, dense.kernel(), times[1] / times[0], rate,
        rate / peak, best.conv.describe(), best.conv.code_bytes())
         << "\n";
}

Options read_options(int count, char** words) {
  Options options;
  for (int k = 1; k < count; ++k) {
    const std::string word = words[k];
    const std::string value = word.substr(std::min(word.size(), word.find('=') + 1));
    if (word.starts_with("--batch=")) options.batch = static_cast<std::uint32_t>(std::stoul(value));
    else if (word.starts_with("--threads=")) options.threads = static_cast<unsigned>(std::stoul(value));
    else if (word.starts_with("--only=")) options.only = value;
    else if (word.starts_with("--lanes=")) options.lanes = value == "batch" ? rows::Lanes::batch : rows::Lanes::pixels;
    else if (word.starts_with("--seconds=")) options.seconds = std::stod(value);
    else if (word.starts_with("--json=")) options.json = value;
    else if (word == "--explore") options.explore = true;
    else if (word == "--cold") options.cold = true;
    else if (word == "--slabs") options.slabs = true;
    else throw std::runtime_error("unknown option " + word);
  }
  return options;
}

}  // namespace
}  // namespace lacuna::bench

int main(int count, char** words) {
  using namespace lacuna;
  const bench::Options options = bench::read_options(count, words);
  const double peak = bench::peak_of(cpu::choose_isa(), options.threads);
  fmt::print("{}, {} of {} cores, multiply-add peak {:.1f} G/s\n", cpu::cpu_info().model, options.threads, cpu::cpu_info().cores, peak / 1e9);
  const char* const data = std::getenv("LACUNA_DATA");
  std::vector<bench::Layer> layers = bench::resnet_layers(data == nullptr ? "" : data);
  if (layers.empty()) fmt::print("LACUNA_DATA names no folder with dlmc-rn50: random patterns only\n");
  for (bench::Layer& layer : bench::ten_layers()) layers.push_back(std::move(layer));
  std::ofstream json;
  if (!options.json.empty()) json.open(options.json, std::ios::app);
  for (const bench::Layer& layer : layers)
    if (fmt::format("{} {}%", layer.name, layer.sparsity * 100).find(options.only) != std::string::npos) bench::time_layer(layer, options, peak, json);
  return 0;
}
