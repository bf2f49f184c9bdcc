// Networks and inputs made to measure with: the challenge's own family, an honest general one, and inputs for both.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include <lacuna/network.hpp>
#include <lacuna/progress.hpp>

namespace lacuna {

struct RadixOptions {
  std::uint32_t neurons = 1024;
  std::uint32_t layers = 120;
  std::uint64_t seed = 1;
  std::filesystem::path residues{};  ///< uint8 [groups][neurons]: the official permutations; empty: random ones
};

struct GeneralOptions {
  std::uint32_t neurons = 1024;
  std::uint32_t layers = 120;
  std::uint32_t fan_in_low = 16;
  std::uint32_t fan_in_high = 48;
  std::uint64_t seed = 1;
};

/// The challenge's RadiX-Net with its bias and clip. Neurons: 16 times a power of two, at least 32.
Network generate_radix(const RadixOptions& options);

/// Random fan-in, random weights of both signs, a bias for every neuron, clip(0, 32); scaled so that no input dies.
Network generate_general(const GeneralOptions& options);

/// Writes `n<N>-l<k>.tsv`, and `n<N>-l<k>-bias.tsv` where a layer has a bias for each neuron.
void write_challenge_folder(const Network& network, const std::filesystem::path& folder, const Progress& progress = {});

struct InputOptions {
  std::uint32_t neurons = 1024;  ///< a square
  std::uint32_t count = 60000;
  std::uint64_t seed = 1;
  std::filesystem::path images{};  ///< an MNIST idx3 file; empty: see below
};

/// Official-like inputs: handwritten digits flattened column-major, resized and thresholded to about 10% ones. Taken from
/// `images`, else the MNIST test set under LACUNA_DATA, else Debian's dataset-fashion-mnist, else synthetic strokes.
/// `source`, if given, receives which.
SparseMatrix generate_inputs(const InputOptions& options, std::string* source = nullptr);

/// Writes `input \t neuron \t 1`, 1-based.
void write_inputs(const SparseMatrix& inputs, const std::filesystem::path& file);

}  // namespace lacuna
