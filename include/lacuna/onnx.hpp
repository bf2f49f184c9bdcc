// ONNX files as files: pruning their weights and storing zeros or leaving them out. Everything else of a file is copied byte for byte.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lacuna {

struct PruneOptions {
  std::optional<double> sparsity{};           ///< share of zeros, 0 to 1, of every layer that `per_layer` does not name; none: those stay as they are
  std::map<std::string, double> per_layer{};  ///< by the name of the weights or of the node
  bool is_global = false;                     ///< one threshold for all layers that `sparsity` is for, so that some end up sparser than others
  bool prune_first = false;                   ///< the first layer, too
  bool prune_depthwise = false;               ///< convolutions with one input channel a group, too
};

struct PrunedLayer {
  std::string node;
  std::string weights;
  std::vector<std::uint32_t> shape;
  std::uint64_t parameters = 0;
  std::uint64_t zeros_before = 0;
  std::uint64_t zeros = 0;
  std::string note;  ///< why it was left alone, if so
};

struct PruneReport {
  std::vector<PrunedLayer> layers;  ///< Conv, Gemm and MatMul with constant float32 weights, in the order of the graph
  std::uint64_t bytes_before = 0;
  std::uint64_t bytes = 0;
};

/// Sets the weights of smallest magnitude to zero, a share of each layer's or of all. Biases stay. Weights kept in files beside the model move into it.
/// Throws InputError (also for a name in `per_layer` that is no layer), Unsupported where the result would pass 2 GiB, the end of such files.
PruneReport prune_onnx(const std::filesystem::path& from, const std::filesystem::path& to, const PruneOptions& options);

enum class OnnxZeros { left_out, stored };

struct ConvertReport {
  std::uint64_t tensors = 0;  ///< of which the form changed
  std::uint64_t bytes_before = 0;
  std::uint64_t bytes = 0;
};

/// left_out: constants that take less room so become sparse tensors (ONNX's sparse_initializer); stored: sparse ones become dense again.
ConvertReport convert_onnx(const std::filesystem::path& from, const std::filesystem::path& to, OnnxZeros zeros);

}  // namespace lacuna
