// `run` and `bench` for networks of tensors (ONNX models).
#pragma once

#include <string>
#include <vector>

#include "command.hpp"

namespace cli {

/// Whether the path is an ONNX model, by its name.
bool is_model(const std::string& path);

/// Inputs from .npy files, one for each input of the model, in its order. Throws InputError where a type cannot be had without loss.
void run_model(const std::string& path, const std::vector<std::string>& input_files, const std::vector<std::string>& output_files, const CommonOptions& options);

struct BenchModel {
  std::string path;
  std::vector<std::string> input_files;  ///< none: random values
  std::uint32_t batch = 0;               ///< 0: the file's
  std::uint64_t seed = 1;
  double seconds = 10;
  bool verify = true;
};

void bench_model(const BenchModel& bench, const CommonOptions& options);

}  // namespace cli
