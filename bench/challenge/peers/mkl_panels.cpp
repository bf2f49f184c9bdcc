// Peer: Intel MKL's inspector-executor SpMM, set up as well as we know how. Not part of Lacuna.
// A panel is a row-major block [neurons][width] of inputs that goes through all layers while it stays in cache.
//   C = W^T (CSR, one row per output neuron) x panel by mkl_sparse_s_mm, then one vectorised pass C = clip(C + bias).
// Two ways are tried in a warm-up, each with several panel widths, and the fastest does the timed run:
//   panels    every thread walks its own panels, MKL sequential inside
//   threaded  one panel at a time, MKL threaded inside
// Timed: the layer loop only. Weights are optimised and inputs are dense panels before the clock starts.
//
// mkl_panels NETWORK.bin INPUTS.bin THREADS OUTPUT.npy      prints one JSON object
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <mkl.h>

#include "binary_file.hpp"

namespace {

struct Way {
  std::string name;
  int width, workers, mkl_threads;
};

using Floats = std::unique_ptr<float[], decltype(&mkl_free)>;
Floats make_floats(size_t count) {
  return {static_cast<float*>(mkl_malloc(count * sizeof(float), 64)), &mkl_free};
}

void check(sparse_status_t status, const char* call) {
  if (status != SPARSE_STATUS_SUCCESS) throw std::runtime_error(std::string(call) + " failed: " + std::to_string(status));
}

const matrix_descr general{SPARSE_MATRIX_TYPE_GENERAL, SPARSE_FILL_MODE_LOWER, SPARSE_DIAG_NON_UNIT};

/// The layers as MKL handles, inspected and optimised for one way of running.
class Matrices {
 public:
  Matrices(Network& net, const Way& way) {
    mkl_set_num_threads(way.mkl_threads);
    for (Layer& layer : net.layers) {
      sparse_matrix_t matrix;
      check(mkl_sparse_s_create_csr(&matrix, SPARSE_INDEX_BASE_ZERO, net.neurons, net.neurons, layer.row_start.data(),
                                    layer.row_start.data() + 1, layer.source.data(), layer.weight.data()),
            "mkl_sparse_s_create_csr");
      handles_.push_back(matrix);
      check(mkl_sparse_set_mm_hint(matrix, SPARSE_OPERATION_NON_TRANSPOSE, general, SPARSE_LAYOUT_ROW_MAJOR, way.width,
                                   10000),
            "mkl_sparse_set_mm_hint");
      check(mkl_sparse_set_memory_hint(matrix, SPARSE_MEMORY_AGGRESSIVE), "mkl_sparse_set_memory_hint");
      check(mkl_sparse_optimize(matrix), "mkl_sparse_optimize");
    }
  }
  ~Matrices() {
    for (sparse_matrix_t handle : handles_) mkl_sparse_destroy(handle);
  }
  Matrices(const Matrices&) = delete;
  sparse_matrix_t operator[](size_t layer) const { return handles_[layer]; }

 private:
  std::vector<sparse_matrix_t> handles_;
};

void add_bias_and_clip(float* panel, const std::vector<float>& bias, int columns, int width) {
  for (size_t row = 0; row < bias.size(); ++row) {
    float* values = panel + row * width;
    for (int lane = 0; lane < columns; ++lane) {
      const float sum = values[lane] + bias[row];
      const float positive = sum > 0.0f ? sum : 0.0f;
      values[lane] = positive < 32.0f ? positive : 32.0f;
    }
  }
}

/// All inputs as dense panels, and the answers in the same layout. The last panel may use fewer columns than its width.
struct Batch {
  Batch(const Inputs& inputs, int panel_width)
      : count(inputs.count), neurons(inputs.neurons), width(panel_width), panels((count + width - 1) / width),
        panel_size(size_t(neurons) * width), in(make_floats(panels * panel_size)), out(make_floats(panels * panel_size)) {
    std::fill_n(in.get(), panels * panel_size, 0.0f);
    std::fill_n(out.get(), panels * panel_size, 0.0f);
    for (int i = 0; i < count; ++i)
      for (int k = inputs.row_start[i]; k < inputs.row_start[i + 1]; ++k)
        in[(i / width) * panel_size + size_t(inputs.pixel[k]) * width + i % width] = inputs.value[k];
  }
  int columns(int panel) const { return std::min(width, count - panel * width); }

  int count, neurons, width, panels;
  size_t panel_size;
  Floats in, out;
};

/// Takes the first panels through all layers; gives seconds.
double run(const Network& net, const Matrices& matrices, int workers, Batch& batch, int panels) {
  std::atomic<int> next{0};
  auto work = [&] {
    Floats ping = make_floats(batch.panel_size), pong = make_floats(batch.panel_size);
    for (int panel = next++; panel < panels; panel = next++) {
      const int columns = batch.columns(panel);
      const float* from = batch.in.get() + panel * batch.panel_size;
      for (size_t l = 0; l < net.layers.size(); ++l) {
        const bool last = l + 1 == net.layers.size();
        float* to = last ? batch.out.get() + panel * batch.panel_size : (l % 2 ? pong : ping).get();
        check(mkl_sparse_s_mm(SPARSE_OPERATION_NON_TRANSPOSE, 1.0f, matrices[l], general, SPARSE_LAYOUT_ROW_MAJOR, from,
                              columns, batch.width, 0.0f, to, batch.width),
              "mkl_sparse_s_mm");
        add_bias_and_clip(to, net.layers[l].bias, columns, batch.width);
        from = to;
      }
    }
  };
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> others;
  for (int i = 1; i < workers; ++i) others.emplace_back(work);
  work();
  for (std::thread& thread : others) thread.join();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<Way> ways_to_try(int threads, int inputs) {
  std::vector<Way> ways;
  for (int width : {16, 32, 48, 64, 96, 128, 256})
    if (width <= inputs) ways.push_back({"panels", width, threads, 1});
  if (threads > 1)
    for (int width : {256, 1024})
      if (width <= inputs) ways.push_back({"threaded", width, 1, threads});
  if (ways.empty()) ways.push_back({"panels", inputs, threads, 1});
  return ways;
}

/// Billion edges per second, one panel per worker: the best of many short runs, so that noise does not choose the way.
double sample_rate(Network& net, const Inputs& inputs, const Way& way) {
  Matrices matrices(net, way);
  Batch batch(inputs, way.width);
  const int panels = std::min(batch.panels, way.workers);
  double best = run(net, matrices, way.workers, batch, panels), total = 0;
  for (int runs = 0; runs < 3 || total < 0.4; ++runs) {
    const double seconds = run(net, matrices, way.workers, batch, panels);
    best = std::min(best, seconds);
    total += seconds;
  }
  return double(net.edges) * std::min(batch.count, panels * way.width) / best * 1e-9;
}

void write_npy(const char* path, const Batch& batch) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(batch.count) + ", " +
                       std::to_string(batch.neurons) + "), }";
  header.resize((10 + header.size() + 64) / 64 * 64 - 11, ' ');
  header += '\n';
  const uint16_t length = header.size();
  std::ofstream file(path, std::ios::binary);
  file.write("\x93NUMPY\x01\x00", 8).write(reinterpret_cast<const char*>(&length), 2) << header;
  std::vector<float> row(batch.neurons);
  for (int i = 0; i < batch.count; ++i) {
    const float* first = batch.out.get() + (i / batch.width) * batch.panel_size + i % batch.width;
    for (int neuron = 0; neuron < batch.neurons; ++neuron) row[neuron] = first[size_t(neuron) * batch.width];
    file.write(reinterpret_cast<const char*>(row.data()), row.size() * sizeof(float));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return std::fprintf(stderr, "usage: mkl_panels NETWORK.bin INPUTS.bin THREADS OUTPUT.npy\n"), 2;
  const int threads = std::atoi(argv[3]);
  mkl_set_threading_layer(threads > 1 ? MKL_THREADING_INTEL : MKL_THREADING_SEQUENTIAL);
  Network net = read_network(argv[1]);
  const Inputs inputs = read_inputs(argv[2]);

  Way best{};
  double best_rate = 0;
  std::string tried;
  for (const Way& way : ways_to_try(threads, inputs.count)) {
    const double rate = sample_rate(net, inputs, way);
    char text[80];
    std::snprintf(text, sizeof text, "%s\"%s %d\": %.2f", tried.empty() ? "" : ", ", way.name.c_str(), way.width, rate);
    tried += text;
    if (rate > best_rate) best_rate = rate, best = way;
  }

  Matrices matrices(net, best);
  Batch batch(inputs, best.width);
  run(net, matrices, best.workers, batch, std::min(batch.panels, best.workers));
  const double seconds = run(net, matrices, best.workers, batch, batch.panels);
  write_npy(argv[4], batch);

  MKLVersion version;
  mkl_get_version(&version);
  std::printf("{\"seconds_run\": %.6f, \"settings\": \"%s, width %d\", \"code_path\": \"%s\", \"tried\": {%s}}\n", seconds,
              best.name.c_str(), best.width, version.Processor, tried.c_str());
}
