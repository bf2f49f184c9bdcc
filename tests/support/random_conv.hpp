// Random convolutions and the plain loops they are compared with.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include <lacuna/network.hpp>

#include "rows/conv_rows.hpp"

namespace lacuna::tests {

struct ConvCase {
  std::uint32_t batch = 1, group_channels = 4, output_channels = 5, groups = 1;
  std::vector<std::uint32_t> extents{6, 7};  ///< of the input, without batch and channels
  std::vector<std::uint32_t> kernel{3, 3}, strides{1, 1}, dilations{1, 1}, pads_begin{1, 1}, pads_end{1, 1};
  double density = 0.3;
  Activation activation = Activation::relu();
  bool skip = false;
};

inline std::vector<float> random_floats(std::size_t count, std::mt19937& random) {
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(count);
  for (float& value : values) value = uniform(random);
  return values;
}

inline Conv random_conv(const ConvCase& wanted, std::mt19937& random) {
  Conv conv;
  conv.output_channels = wanted.output_channels;
  conv.group_channels = wanted.group_channels;
  conv.groups = wanted.groups;
  conv.kernel = wanted.kernel;
  conv.strides = wanted.strides;
  conv.dilations = wanted.dilations;
  conv.pads_begin = wanted.pads_begin;
  conv.pads_end = wanted.pads_end;
  conv.activation = wanted.activation;
  std::size_t weights = std::size_t{wanted.output_channels} * wanted.group_channels;
  for (std::uint32_t extent : wanted.kernel) weights *= extent;
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::bernoulli_distribution is_kept(wanted.density);
  std::vector<float> values(weights), bias(wanted.output_channels);
  for (float& value : values) value = is_kept(random) ? uniform(random) : 0.0f;
  for (float& value : bias) value = uniform(random);
  conv.weights = std::move(values);
  conv.bias = std::move(bias);
  return conv;
}

inline Shape input_shape(const ConvCase& wanted) {
  Shape shape{{wanted.batch, wanted.group_channels * wanted.groups}};
  shape.extents.insert(shape.extents.end(), wanted.extents.begin(), wanted.extents.end());
  return shape;
}

inline Shape output_shape(const ConvCase& wanted) {
  Shape shape{{wanted.batch, wanted.output_channels}};
  for (std::size_t axis = 0; axis < wanted.extents.size(); ++axis)
    shape.extents.push_back((wanted.extents[axis] + wanted.pads_begin[axis] + wanted.pads_end[axis] - (wanted.kernel[axis] - 1) * wanted.dilations[axis] - 1) /
                                wanted.strides[axis] + 1);
  return shape;
}

/// The output and, for each element, the sum of the magnitudes of what was added up: what rounding errors are measured by.
struct PlainOutput {
  std::vector<double> values;
  std::vector<double> magnitudes;
};

inline PlainOutput plain_conv(const Conv& conv, const Shape& in, const Shape& out, const std::vector<float>& input, const std::vector<float>& skip) {
  const auto extent = [](const Shape& shape, std::size_t axis_from_last) {
    const std::size_t spatial = shape.extents.size() - 2;
    return axis_from_last < spatial ? shape.extents[shape.extents.size() - 1 - axis_from_last] : 1u;
  };
  const rows::Window w = rows::window_of(conv);
  const std::uint32_t height = extent(in, 1), width = extent(in, 0), out_height = extent(out, 1), out_width = extent(out, 0), channels = in.extents[1];
  PlainOutput result;
  for (std::uint32_t n = 0; n < in.extents[0]; ++n)
    for (std::uint32_t k = 0; k < conv.output_channels; ++k)
      for (std::uint32_t oy = 0; oy < out_height; ++oy)
        for (std::uint32_t ox = 0; ox < out_width; ++ox) {
          double sum = conv.bias.empty() ? 0 : conv.bias[k], magnitude = std::abs(sum);
          for (std::uint32_t c = 0; c < conv.group_channels; ++c)
            for (std::uint32_t ky = 0; ky < w.kernel_y; ++ky)
              for (std::uint32_t kx = 0; kx < w.kernel_x; ++kx) {
                const std::int64_t y = std::int64_t{oy} * w.stride_y + std::int64_t{ky} * w.dilation_y - w.pad_y;
                const std::int64_t x = std::int64_t{ox} * w.stride_x + std::int64_t{kx} * w.dilation_x - w.pad_x;
                if (y < 0 || y >= height || x < 0 || x >= width) continue;
                const std::uint32_t channel = k / (conv.output_channels / conv.groups) * conv.group_channels + c;
                const double product = double{conv.weights[((std::size_t{k} * conv.group_channels + c) * w.kernel_y + ky) * w.kernel_x + kx]} *
                                       input[((std::size_t{n} * channels + channel) * height + static_cast<std::size_t>(y)) * width + static_cast<std::size_t>(x)];
                sum += product;
                magnitude += std::abs(product);
              }
          if (!skip.empty()) {
            sum += skip[result.values.size()];
            magnitude += std::abs(skip[result.magnitudes.size()]);
          }
          result.values.push_back(apply(conv.activation, sum));
          result.magnitudes.push_back(magnitude);
        }
  return result;
}

}  // namespace lacuna::tests
