// Networks of tensors that have a bit of everything, for every device.
#pragma once

#include "support/tensor_network.hpp"

namespace lacuna::test {

/// A bit of everything: stride, groups, dilation, depthwise, skip connections, pooling, gates, concatenation, a fully connected layer.
inline TensorNetwork mixed_network(std::uint32_t batch, unsigned seed) {
  TensorNetwork net({{batch, 3, 17, 19}}, seed);
  const ValueId first = net.conv(net.network.input, {.outputs = 8, .stride = 2, .sparsity = 0, .activation = Activation::relu()});
  const ValueId wide = net.conv(first, {.outputs = 8, .sparsity = 0.8, .activation = Activation::clip(0, 6)});
  const ValueId skip = net.conv(wide, {.outputs = 8, .kernel = {1, 1}, .pad = 0, .sparsity = 0.7, .activation = Activation::relu()}, first);
  const ValueId depthwise = net.conv(skip, {.outputs = 8, .groups = 8, .sparsity = 0, .activation = Activation::hard_swish()});
  const ValueId grouped = net.conv(depthwise, {.outputs = 12, .groups = 4, .sparsity = 0.5, .activation = Activation::swish()});
  const ValueId dilated = net.conv(skip, {.outputs = 4, .pad = 2, .dilation = 2, .sparsity = 0.9, .activation = Activation::leaky_relu(0.1f)});
  const Shape& shape = net.network.value(dilated).shape;
  const ValueId both = net.call("Concat", {grouped, dilated}, {{batch, 16, shape.extents[2], shape.extents[3]}}, {{"axis", std::int64_t{1}}});
  const ValueId pooled = net.call("MaxPool", {both}, {{batch, 16, 5, 5}},
                                  {{"kernel_shape", std::vector<std::int64_t>{3, 3}}, {"pads", std::vector<std::int64_t>{1, 1, 1, 1}}, {"strides", std::vector<std::int64_t>{2, 2}}});
  const ValueId mean = net.call("GlobalAveragePool", {pooled}, {{batch, 16, 1, 1}});
  const ValueId gate = net.conv(mean, {.outputs = 16, .kernel = {1, 1}, .pad = 0, .sparsity = 0.6, .activation = Activation::hard_sigmoid(0.2f, 0.5f)});
  const ValueId gated = net.call("Mul", {pooled, gate}, net.network.value(pooled).shape);
  const ValueId last = net.conv(gated, {.outputs = 16, .kernel = {5, 5}, .pad = 0, .sparsity = 0.9, .activation = Activation::tanh()});
  const ValueId flat = net.call("Flatten", {last}, {{batch, 16}}, {{"axis", std::int64_t{1}}});
  net.conv(flat, {.outputs = 10, .kernel = {}, .sparsity = 0.5});
  return net;
}

/// ResNet-18: sparse convolutions, skip connections, and a fully connected layer; `width` of 64 is the published one. The image is image x image.
inline TensorNetwork resnet18(std::uint32_t batch, std::uint32_t image, std::uint32_t width, double sparsity, unsigned seed) {
  TensorNetwork net({{batch, 3, image, image}}, seed);
  const Activation relu = Activation::relu();
  const auto half = [](std::uint32_t extent) { return (extent + 1) / 2; };
  std::uint32_t extent = half(half(image)), channels = width;
  const ValueId stem = net.conv(net.network.input, {.outputs = width, .kernel = {7, 7}, .stride = 2, .pad = 3, .sparsity = 0, .activation = relu});
  ValueId at = net.call("MaxPool", {stem}, {{batch, width, extent, extent}},
                        {{"kernel_shape", std::vector<std::int64_t>{3, 3}}, {"pads", std::vector<std::int64_t>{1, 1, 1, 1}}, {"strides", std::vector<std::int64_t>{2, 2}}});
  for (std::uint32_t stage = 0; stage < 4; ++stage)
    for (std::uint32_t block = 0; block < 2; ++block) {
      const std::uint32_t stride = stage > 0 && block == 0 ? 2 : 1;
      if (stride == 2) channels *= 2;
      const ValueId first = net.conv(at, {.outputs = channels, .stride = stride, .sparsity = sparsity, .activation = relu});
      const ValueId skip = stride == 1 ? at : net.conv(at, {.outputs = channels, .kernel = {1, 1}, .stride = 2, .pad = 0, .sparsity = sparsity});
      at = net.conv(first, {.outputs = channels, .sparsity = sparsity, .activation = relu}, skip);
    }
  at = net.call("GlobalAveragePool", {at}, {{batch, channels, 1, 1}});
  at = net.call("Flatten", {at}, {{batch, channels}}, {{"axis", std::int64_t{1}}});
  net.conv(at, {.outputs = 10, .kernel = {}, .sparsity = 0.5});
  return net;
}

}  // namespace lacuna::test
