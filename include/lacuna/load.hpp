// From files to a Network, its inputs and its tensors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <lacuna/network.hpp>
#include <lacuna/progress.hpp>
#include <lacuna/tensor.hpp>

namespace lacuna {

struct LoadOptions {
  std::uint32_t neurons = 0;          ///< 0: found from the file names or the largest index
  std::uint32_t layers = 0;           ///< 0: as many as there are
  std::optional<float> bias{};        ///< layers without a bias file; default: the challenge's constant for the size, else 0
  std::optional<Activation> activation{};  ///< default: clip(0, 32) for challenge layers, see the trained folder's rule
  std::uint32_t batch = 0;            ///< of ONNX models: replaces the first dimension of every input; 0: the file's, or 1 where that is not fixed
  std::map<std::string, std::vector<std::size_t>> input_shapes{};  ///< of ONNX models, by the input's name: for dimensions the file does not fix
  std::vector<std::vector<std::size_t>> shapes_in_order{};  ///< the same for the first, the second, ... input; empty: none is given
  std::uint32_t steps = 0;            ///< of neuron graphs that are not feed forward: updates for one row of inputs; 0: the file's, else 1
  double time_step = 0;               ///< of continuous neuron graphs, in seconds; 0: the file's, else 0.01
  bool use_store = true;              ///< read the binary store if it is fresh, write it if not
  std::filesystem::path store{};      ///< where; empty: beside the text
  unsigned threads = 0;               ///< 0: all cores
  Progress progress{};
};

/// What a load did, for people to read.
struct LoadReport {
  bool from_store = false;
  std::filesystem::path store;  ///< the store read or written; empty: none
  std::string key;              ///< tells the network from all others, from the checksums of its store; empty: there is no store
  std::string note;             ///< why no store was written, if so
  std::uint64_t text_bytes = 0; ///< text parsed
};

/// Loads a network from: a folder of challenge layers (n<N>-l<k>.tsv, .mtx; .gz, .zst), a trained folder (weights/ and
/// biases/), a binary store, the text form, an ONNX model (.onnx), or networks of neuroevolution: neat-python's .json, SharpNEAT's .net, genomes of
/// NEAT and goNEAT (.yml), networks of MultiNEAT, .graphml, .edges; a folder or an archive of these is a population. The result passed verify.
Network load(const std::filesystem::path& path, const LoadOptions& options = {}, LoadReport* report = nullptr);

/// Loads sparse inputs, one row an input: challenge TSV (1-based), Matrix Market, or a store. `options.neurons` is the number of columns.
/// `count` is the number of inputs; 0: the largest index (TSV) or the header's (Matrix Market); inputs beyond it are an error unless `first_only`.
SparseMatrix load_inputs(const std::filesystem::path& file, std::uint32_t count, bool first_only, const LoadOptions& options = {},
                         LoadReport* report = nullptr);

/// Loads a truth file (challenge categories, TSV or Matrix Market): ascending 0-based inputs that survive. `count` bounds the index.
/// With `first_only`, inputs at or beyond `count` are left out instead of being an error.
std::vector<std::uint32_t> load_categories(const std::filesystem::path& file, std::uint32_t count, bool first_only = false);

/// Reads NumPy's .npy (float32, float64, integers and bool, C order) or MNIST's .idx (unsigned bytes; plain, .gz or .zst;
/// images are scaled to [0, 1], labels are not).
Tensor load_tensor(const std::filesystem::path& file);

/// Writes .npy version 1.0, float32: to a temporary file first, then renamed.
void save_tensor(const Tensor& tensor, const std::filesystem::path& file);

/// The same for elements of any type: .npy of bool, float16, float32, float64 and integers, in C order; an .idx file as load_tensor reads it.
TypedTensor load_typed_tensor(const std::filesystem::path& file);

/// Throws Unsupported for bfloat16, which .npy does not know.
void save_typed_tensor(const TypedTensor& tensor, const std::filesystem::path& file);

/// The challenge's constant bias: -0.3, -0.35, -0.4, -0.45 up to 1,024, 4,096, 16,384 and 65,536 neurons.
float challenge_bias(std::uint32_t neurons);

}  // namespace lacuna
