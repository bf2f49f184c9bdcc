// The plain program: one input at a time, one neuron after the other in their order, edges in compressed rows, 32-bit floats.
//
//   sequential NETWORKS.bin INPUTS.bin OUTPUTS.bin    (files as networks.py writes them; INPUTS: floats, one row after the other)
//
// Writes its answers, says so in a line of JSON, then measures for as many seconds as each line on its input says. Where the time is short a part of the
// activations stands for all; answers that were not computed are NaN.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
constexpr double seconds_of_answers = 20;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

template <typename T>
std::vector<T> read_array(std::istream& file, std::size_t count) {
  std::vector<T> values(count);
  if (!file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(count * sizeof(T)))) {
    std::cerr << "a file is too short\n";
    std::exit(1);
  }
  return values;
}

/// Not getrusage: its figure may be that of the process that started this one.
long long peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmHWM:") {
      long long kilobytes = 0;
      status >> kilobytes;
      return kilobytes * 1024;
    }
  return 0;
}

struct Networks {
  std::uint32_t inputs, outputs, members, function;  // function: 0 relu, 1 neat-python's sigmoid
  std::vector<std::uint32_t> neuron_begin, edge_begin, sources;
  std::vector<float> weights, biases;
};

Networks read_networks(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const auto head = read_array<std::uint32_t>(file, 4);
  Networks networks{head[0], head[1], head[2], head[3], {}, {}, {}, {}, {}};
  networks.neuron_begin = read_array<std::uint32_t>(file, networks.members + std::size_t{1});
  networks.edge_begin = read_array<std::uint32_t>(file, networks.neuron_begin.back() + std::size_t{1});
  networks.sources = read_array<std::uint32_t>(file, networks.edge_begin.back());
  networks.weights = read_array<float>(file, networks.edge_begin.back());
  networks.biases = read_array<float>(file, networks.neuron_begin.back());
  return networks;
}

template <bool is_sigmoid>
void activate(const Networks& networks, std::uint32_t member, const float* input, std::vector<float>& values, float* output) {
  std::copy_n(input, networks.inputs, values.begin());
  float* neuron = values.data() + networks.inputs;
  for (std::uint32_t k = networks.neuron_begin[member]; k < networks.neuron_begin[member + 1]; ++k) {
    float sum = networks.biases[k];
    for (std::uint32_t e = networks.edge_begin[k]; e < networks.edge_begin[k + 1]; ++e) sum += networks.weights[e] * values[networks.sources[e]];
    if constexpr (is_sigmoid) {
      *neuron++ = 1 / (1 + std::exp(-std::clamp(5 * sum, -60.0f, 60.0f)));
    } else {
      *neuron++ = std::max(sum, 0.0f);
    }
  }
  std::copy(neuron - networks.outputs, neuron, output);
}

struct Pass {
  double seconds;     // of all activations: by edges, where a part was done
  std::size_t done;
};

/// Members on inputs, until the time since start is over; outputs {members, batch, outputs}.
Pass run(const Networks& networks, const std::vector<float>& inputs, std::vector<float>& values, std::vector<float>& outputs, Clock::time_point start, double seconds) {
  constexpr std::size_t edges_between_looks = 1 << 20;  // at the clock
  const std::size_t batch = inputs.size() / networks.inputs;
  const double all = static_cast<double>(networks.edge_begin.back()) * static_cast<double>(batch);
  const auto began = Clock::now();
  std::size_t edges = 0, last_look = 0, done = 0;
  for (std::uint32_t m = 0; m < networks.members; ++m)
    for (std::size_t k = 0; k < batch; ++k) {
      float* output = outputs.data() + (m * batch + k) * networks.outputs;
      const float* input = inputs.data() + k * networks.inputs;
      networks.function == 1 ? activate<true>(networks, m, input, values, output) : activate<false>(networks, m, input, values, output);
      ++done;
      edges += networks.edge_begin[networks.neuron_begin[m + 1]] - networks.edge_begin[networks.neuron_begin[m]];
      if (edges - last_look < edges_between_looks) continue;
      last_look = edges;
      if (seconds_since(start) >= seconds) return {seconds_since(began) * all / static_cast<double>(edges), done};
    }
  return {seconds_since(began), done};
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    std::cerr << "usage: sequential NETWORKS.bin INPUTS.bin OUTPUTS.bin\n";
    return 2;
  }
  const auto start = Clock::now();
  const Networks networks = read_networks(arguments[1]);
  std::ifstream input_file(arguments[2], std::ios::binary | std::ios::ate);
  const std::size_t floats = static_cast<std::size_t>(input_file.tellg()) / sizeof(float);
  input_file.seekg(0);
  const auto inputs = read_array<float>(input_file, floats);
  const double seconds_load = seconds_since(start);
  std::uint32_t largest = 0;
  for (std::uint32_t m = 0; m < networks.members; ++m) largest = std::max(largest, networks.neuron_begin[m + 1] - networks.neuron_begin[m]);
  std::vector<float> values(networks.inputs + largest);
  const std::size_t activations = networks.members * (floats / networks.inputs);
  std::vector<float> outputs(activations * networks.outputs, std::numeric_limits<float>::quiet_NaN());
  run(networks, inputs, values, outputs, Clock::now(), seconds_of_answers);
  std::ofstream(arguments[3], std::ios::binary).write(reinterpret_cast<const char*>(outputs.data()), static_cast<std::streamsize>(outputs.size() * sizeof(float)));
  std::printf("{\"version\": \"C++ %ld\", \"seconds_load\": %g, \"seconds_compile\": 0}\n", __cplusplus, seconds_load);
  std::fflush(stdout);
  for (double seconds; std::cin >> seconds;) {
    const auto began = Clock::now();
    const Pass first = run(networks, inputs, values, outputs, began, seconds);
    std::vector<double> times{first.seconds};
    while (seconds_since(began) < seconds) {
      const Pass pass = run(networks, inputs, values, outputs, began, seconds);
      if (pass.done == activations) times.push_back(pass.seconds);
    }
    std::string scaled;
    if (first.done < activations) scaled = std::to_string(first.done) + " of " + std::to_string(activations) + " activations";
    std::sort(times.begin(), times.end());
    std::printf("{\"ms\": %g, \"best_ms\": %g, \"peak_bytes\": %lld, \"scaled\": \"%s\"}\n", times[times.size() / 2] * 1e3, times[0] * 1e3, peak_bytes(),
                scaled.c_str());
    std::fflush(stdout);
  }
}
