#include "engine/gpus/conv_choices.hpp"

#include <algorithm>
#include <limits>

#include <lacuna/error.hpp>

namespace lacuna::engine::gpus {
namespace {

using plan::gpus::ConvKernel;
using plan::gpus::ConvOptions;

/// Multiply-adds in the code of all kernels. ptxas takes about 0.3 ms for each, compilers of OpenCL C ten times as long and more in longer kernels
/// (measured on a Xeon with CUDA 13 and PoCL 3.1, 2026-11-17).
constexpr std::uint64_t ptx_budget = 32768, opencl_budget = 1024;
constexpr std::uint32_t opencl_kernel_multiply_adds = 512;
constexpr std::uint64_t warp_lanes = 32;  // with fewer pixels than lanes, rows are the better lanes
constexpr std::uint64_t most_images_of_dot = 65535;

ConvOptions options_for(const TensorTarget& target) {
  ConvOptions options;
  options.multiprocessors = target.multiprocessors;
  if (target.language == gpu::Language::opencl) {
    options.kernel_multiply_adds = opencl_kernel_multiply_adds;
    options.piece = 0;
  }
  return options;
}

/// Of the output, in all images.
std::uint64_t pixels_of(const Network& network, const Operator& op) {
  return network.value(op.output).shape.size() / std::get<Conv>(op.operation).output_channels;
}

}  // namespace

std::vector<ConvOptions> choose_convs(const Network& network, const TensorTarget& target, plan::KernelWish kernel) {
  if (kernel == plan::KernelWish::dense) throw Unsupported("GPUs have no dense kernels here: leave --kernel out, dense weights go through a table");
  std::vector<ConvOptions> choices(network.operators.size(), options_for(target));
  std::vector<std::size_t> candidates;
  for (std::size_t k = 0; k < choices.size(); ++k) {
    const auto* conv = std::get_if<Conv>(&network.operators[k].operation);
    if (conv == nullptr || network.value(network.operators[k].output).shape.size() == 0) continue;
    const std::uint64_t images = network.value(network.operators[k].output).shape.extents[0], pixels = pixels_of(network, network.operators[k]);
    if (images <= most_images_of_dot && (pixels == images || pixels < warp_lanes))
      choices[k].kernel = ConvKernel::dot;
    else if (kernel != plan::KernelWish::table)
      candidates.push_back(k);
  }
  std::stable_sort(candidates.begin(), candidates.end(), [&](std::size_t a, std::size_t b) { return pixels_of(network, network.operators[a]) > pixels_of(network, network.operators[b]); });
  std::uint64_t left = kernel == plan::KernelWish::baked ? std::numeric_limits<std::uint64_t>::max() : target.language == gpu::Language::ptx ? ptx_budget : opencl_budget;
  for (std::size_t k : candidates) {
    const std::uint64_t nonzeros = plan::gpus::count_nonzeros(std::get<Conv>(network.operators[k].operation));
    if (nonzeros > left) continue;
    choices[k].kernel = ConvKernel::baked;
    left -= nonzeros;
  }
  return choices;
}

}  // namespace lacuna::engine::gpus
