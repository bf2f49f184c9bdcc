#include "engine/gpus/conv_choices.hpp"

#include <fmt/format.h>

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

bool is_conv(const Operator& op, const Network& network) { return std::holds_alternative<Conv>(op.operation) && network.value(op.output).shape.size() != 0; }

/// Of the output, in all images.
std::uint64_t pixels_of(const Network& network, const Operator& op) {
  return network.value(op.output).shape.size() / std::get<Conv>(op.operation).output_channels;
}

void choose_by_times(ConvChoice& choice, const ConvTimes& times) {
  choice.is_dense = times.dense_seconds < times.own_seconds;
  const std::string own = fmt::format("{:.1f} us by a kernel of ours", times.own_seconds * 1e6), dense = fmt::format("{:.1f} us by {}", times.dense_seconds * 1e6, choice.library);
  choice.reason = choice.is_dense ? dense + ", " + own : own + ", " + dense;
}

void choose_by_share(ConvChoice& choice, const Conv& conv, const TensorTarget& target, const TensorTarget::Library& library) {
  const double share = static_cast<double>(plan::gpus::count_nonzeros(conv)) / static_cast<double>(std::max<std::size_t>(conv.weights.size(), 1));
  if (share <= 0.5) return;
  choice.is_dense = !library.name.empty();
  choice.reason = fmt::format("{:.0f}% of its weights are not zero; {}", 100 * share, choice.is_dense ? target.why_untimed : library.missing);
}

void choose_dense(const Conv& conv, const TensorTarget& target, plan::KernelWish kernel, const std::optional<ConvTimes>& times, ConvChoice& choice) {
  const TensorTarget::Library& library = conv.kernel.empty() ? target.products : target.convs;
  choice.library = library.name;
  if (kernel == plan::KernelWish::dense) {
    if (library.name.empty()) throw Unsupported(library.missing);
    choice.is_dense = true;
    choice.reason = "asked for";
  } else if (kernel == plan::KernelWish::automatic) {
    if (times)
      choose_by_times(choice, *times);
    else
      choose_by_share(choice, conv, target, library);
  }
}

/// Of those that are not dense.
void choose_own(const Network& network, const TensorTarget& target, plan::KernelWish kernel, std::vector<ConvChoice>& choices) {
  std::vector<std::size_t> candidates;
  for (std::size_t k = 0; k < choices.size(); ++k) {
    if (!is_conv(network.operators[k], network)) continue;
    const std::uint64_t images = network.value(network.operators[k].output).shape.extents[0], pixels = pixels_of(network, network.operators[k]);
    if (images <= most_images_of_dot && (pixels == images || pixels < warp_lanes))
      choices[k].own.kernel = ConvKernel::dot;
    else if (kernel != plan::KernelWish::table && !choices[k].is_dense)
      candidates.push_back(k);
  }
  std::stable_sort(candidates.begin(), candidates.end(), [&](std::size_t a, std::size_t b) { return pixels_of(network, network.operators[a]) > pixels_of(network, network.operators[b]); });
  std::uint64_t left = kernel == plan::KernelWish::baked ? std::numeric_limits<std::uint64_t>::max() : target.language == gpu::Language::ptx ? ptx_budget : opencl_budget;
  for (std::size_t k : candidates) {
    const std::uint64_t nonzeros = plan::gpus::count_nonzeros(std::get<Conv>(network.operators[k].operation));
    if (nonzeros > left) continue;
    choices[k].own.kernel = ConvKernel::baked;
    left -= nonzeros;
  }
}

}  // namespace

std::vector<ConvChoice> choose_convs(const Network& network, const TensorTarget& target, plan::KernelWish kernel, std::span<const std::optional<ConvTimes>> times) {
  std::vector<ConvChoice> choices(network.operators.size());
  for (std::size_t k = 0; k < choices.size(); ++k) {
    choices[k].own = options_for(target);
    if (is_conv(network.operators[k], network))
      choose_dense(std::get<Conv>(network.operators[k].operation), target, kernel, k < times.size() ? times[k] : std::nullopt, choices[k]);
  }
  choose_own(network, target, kernel, choices);
  return choices;
}

}  // namespace lacuna::engine::gpus
