// `run` and `bench` for neuron graphs: single networks and populations.
#pragma once

#include <string>

#include "command.hpp"

namespace cli {

/// `input` is an .npy file of {batch, inputs} or {steps, batch, inputs}; the outputs of a population are written as {members, batch, outputs}.
void run_graphs(const lacuna::Network& network, const std::string& path, const std::string& input, const std::string& output, double seconds_load, const CommonOptions& options);

struct BenchGraphs {
  std::string input;  ///< empty: random values
  std::uint32_t batch = 1024;
  std::uint64_t seed = 1;
  double seconds = 2;
  bool verify = true;
};

void bench_graphs(const lacuna::Network& network, const BenchGraphs& bench, double seconds_load, const CommonOptions& options);

}  // namespace cli
