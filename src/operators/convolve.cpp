// Convolutions, summed in double: Conv of the network, and Conv with weights that are computed (or of another type than float).
#include <algorithm>

#include "operators/families.hpp"
#include "operators/window.hpp"

namespace lacuna::operators {

/// sums[...] += every tap of every channel of the group.
void convolve(const Window& window, std::size_t group_channels, const double* input, const double* weights, std::vector<double>& sums) {
  const auto input_size = static_cast<std::size_t>(window.input_size());
  const auto kernel_size = static_cast<std::size_t>(window.kernel_size());
  const std::int64_t stride = window.strides.back();
  for (std::size_t channel = 0; channel < group_channels; ++channel) {
    const double* const plane = input + channel * input_size;
    const double* const kernel = weights + channel * kernel_size;
    for_each_tap(window, [&](std::int64_t to, std::int64_t from, std::int64_t tap, std::int64_t length) {
      const double weight = kernel[tap];
      double* const sum = sums.data() + to;
      for (std::int64_t k = 0; k < length; ++k) sum[k] += weight * plane[from + k * stride];
    });
  }
}

namespace {

struct Channels {
  std::size_t batch;
  std::size_t inputs;
  std::size_t outputs;
  std::size_t groups;
};

/// store(number of the output plane, its channel, its sums)
template <typename Store>
void convolve_all(const Window& window, const Channels& channels, const double* input, const double* weights, Store store) {
  const std::size_t group_channels = channels.inputs / channels.groups;
  const std::size_t group_outputs = channels.outputs / channels.groups;
  const auto input_size = static_cast<std::size_t>(window.input_size());
  const std::size_t filter_size = group_channels * static_cast<std::size_t>(window.kernel_size());
  std::vector<double> sums(static_cast<std::size_t>(window.output_size()));
  for (std::size_t image = 0; image < channels.batch; ++image)
    for (std::size_t output = 0; output < channels.outputs; ++output) {
      std::fill(sums.begin(), sums.end(), 0.0);
      const std::size_t first = image * channels.inputs + output / group_outputs * group_channels;
      convolve(window, group_channels, input + first * input_size, weights + output * filter_size, sums);
      store(image * channels.outputs + output, output, sums);
    }
}

/// A value without spatial axes gets one of a single element.
Window with_an_axis(Window window) {
  if (!window.kernel.empty()) return window;
  return {{1}, {1}, {1}, {1}, {1}, {0}, {0}};
}

Integers kernel_of(const Shape& weights) { return {weights.extents.begin() + 2, weights.extents.end()}; }

}  // namespace

Shape infer(const Conv& conv, const Shape& input) {
  const Call call{"Conv", {}, 0};
  const std::size_t axes = conv.kernel.size();
  if (input.extents.size() != axes + 2) fail(call, "a value of {}; expected a batch, channels and {} axes", describe(input), axes);
  for (const auto* values : {&conv.strides, &conv.dilations, &conv.pads_begin, &conv.pads_end})
    if (values->size() != axes) fail(call, "a kernel of {} axes with {} strides, dilations or pads", axes, values->size());
  const std::uint64_t channels = std::uint64_t{conv.group_channels} * conv.groups;
  if (input.extents[1] != channels)
    fail(call, "a value of {} has {} channels; the weights read {} ({} groups of {})", describe(input), input.extents[1], channels, conv.groups, conv.group_channels);
  if (conv.groups == 0 || conv.output_channels % conv.groups != 0) fail(call, "{} output channels in {} groups", conv.output_channels, conv.groups);
  Integers extents{input.extents[0], conv.output_channels};
  const Window window = window_of(conv, input);
  extents.insert(extents.end(), window.output.begin(), window.output.end());
  return make_shape(call, extents);
}

void evaluate(const Conv& conv, std::span<const TensorView> inputs, const Signature& signature, std::byte* output) {
  if (signature.type != ElementType::f32 || inputs[0].type != ElementType::f32) throw InternalError("a Conv of other elements than f32");
  const Shape& shape = *inputs[0].shape;
  const std::vector<double> input(inputs[0].as<float>().begin(), inputs[0].as<float>().end());
  const std::vector<double> weights(conv.weights.begin(), conv.weights.end());
  const float* const skip = inputs.size() > 1 && !inputs[1].is_missing() ? inputs[1].as<float>().data() : nullptr;
  auto* const out = reinterpret_cast<float*>(output);
  const Channels channels{shape.extents[0], shape.extents[1], conv.output_channels, conv.groups};
  convolve_all(with_an_axis(window_of(conv, shape)), channels, input.data(), weights.data(),
               [&](std::size_t plane, std::size_t channel, const std::vector<double>& sums) {
                 for (std::size_t k = 0; k < sums.size(); ++k) {
                   double sum = sums[k] + (conv.bias.empty() ? 0.0 : double{conv.bias[channel]});
                   const std::size_t at = plane * sums.size() + k;
                   if (skip != nullptr) sum += double{skip[at]};
                   out[at] = static_cast<float>(apply(conv.activation, sum));
                 }
               });
}

/// Of input 0 convolved with weights of shape `weights`; checks channels and groups too.
Shape convolved_shape(const Call& call, const Shape& input, const Shape& weights) {
  const std::int64_t groups = integer_attribute(call, "group", 1);
  if (weights.extents.size() != input.extents.size() || weights.extents.size() < 3)
    fail(call, "a value of {} and weights of {}; expected as many axes, at least 3", describe(input), describe(weights));
  if (groups < 1 || weights.extents[0] % groups != 0 || groups > input.extents[1] || weights.extents[1] * groups != input.extents[1])
    fail(call, "a value of {} and weights of {} in {} groups", describe(input), describe(weights), groups);
  if (const Integers given = integers_attribute(call, "kernel_shape"); !given.empty() && given != kernel_of(weights))
    fail(call, "kernel_shape is [{}], but the weights are {}", fmt::join(given, " "), describe(weights));
  const Window window = window_of(call, input, kernel_of(weights), false);
  Integers extents{input.extents[0], weights.extents[0]};
  extents.insert(extents.end(), window.output.begin(), window.output.end());
  return make_shape(call, extents);
}

void convolve_call(const Call& call, const Shape& shape, const Shape& weights_shape, const double* input, const double* weights, StorePlane store) {
  const Channels channels{shape.extents[0], shape.extents[1], weights_shape.extents[0], static_cast<std::size_t>(integer_attribute(call, "group", 1))};
  convolve_all(window_of(call, shape, kernel_of(weights_shape), false), channels, input, weights, store);
}

Signature infer_conv(const Inference& question) {
  question.check_same_type(1);
  const Shape shape = convolved_shape(question.call, question.shape(0), question.shape(1));
  if (question.has(2) && (question.rank(2) != 1 || question.shape(2).extents[0] != shape.extents[1]))
    fail(question.call, "a bias of {} for {} channels", describe(question.shape(2)), shape.extents[1]);
  return {question.type(0), shape};
}
void conv(const Evaluation& job) {
  const std::vector<double> bias = job.has(2) ? job.doubles(2) : std::vector<double>();
  const std::vector<double> input = job.doubles(0);
  const std::vector<double> weights = job.doubles(1);
  with_type<floats>(job.signature.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    convolve_call(job.call, job.shape(0), job.shape(1), input.data(), weights.data(),
                  [&](std::size_t plane, std::size_t channel, const std::vector<double>& sums) {
                    for (std::size_t k = 0; k < sums.size(); ++k)
                      job.out<T>()[plane * sums.size() + k] = static_cast<T>(sums[k] + (bias.empty() ? 0.0 : bias[channel]));
                  });
  });
}

}  // namespace lacuna::operators
