#include "dense/conv.hpp"

#include <fmt/format.h>

#include <cstring>

#include <lacuna/error.hpp>

namespace lacuna::dense {
namespace {

using dnnl::algorithm;
using dnnl::memory;

void add_activation(dnnl::post_ops& after, const Activation& activation) {
  const float first = activation.first;
  const float second = activation.second;
  switch (activation.kind) {
    case ActivationKind::identity: break;
    case ActivationKind::relu: after.append_eltwise(1, algorithm::eltwise_relu, 0, 0); break;
    case ActivationKind::clip: after.append_eltwise(1, algorithm::eltwise_clip, first, second); break;
    case ActivationKind::leaky_relu: after.append_eltwise(1, algorithm::eltwise_relu, first, 0); break;
    case ActivationKind::sigmoid: after.append_eltwise(1, algorithm::eltwise_logistic, 0, 0); break;
    case ActivationKind::tanh: after.append_eltwise(1, algorithm::eltwise_tanh, 0, 0); break;
    case ActivationKind::hard_sigmoid:
      after.append_eltwise(1, algorithm::eltwise_linear, first, second);
      after.append_eltwise(1, algorithm::eltwise_clip, 0, 1);
      break;
    case ActivationKind::hard_swish: after.append_eltwise(1, algorithm::eltwise_hardswish, 0, 0); break;
    case ActivationKind::swish: after.append_eltwise(1, algorithm::eltwise_swish, 1, 0); break;
  }
}

dnnl::primitive_attr attributes(const Activation& activation, bool has_skip) {
  dnnl::post_ops after;
  if (has_skip) after.append_sum(1);
  add_activation(after, activation);
  dnnl::primitive_attr made = with_given_scratch();
  made.set_post_ops(after);
  return made;
}

/// {groups,} output channels, input channels, kernel
memory::dims weight_dims(const Conv& conv) {
  memory::dims dims{conv.output_channels, conv.group_channels};
  if (conv.groups > 1) dims = {conv.groups, conv.output_channels / conv.groups, conv.group_channels};
  dims.insert(dims.end(), conv.kernel.begin(), conv.kernel.end());
  return dims;
}

Layout bias_layout(const Conv& conv, bool is_there, Type type) { return is_there ? Layout({conv.output_channels}, type, memory::format_tag::x) : Layout(); }

/// What oneDNN would compute, in whatever layouts it likes.
struct Types {
  Type input, weights, bias, output;
};
dnnl::convolution_forward::primitive_desc describe(const Conv& conv, const Types& types, bool has_bias, const Shape& input, const Shape& output,
                                                   const dnnl::primitive_attr& attribute) {
  memory::dims dilations = dims_of(conv.dilations);
  for (auto& dilation : dilations) dilation -= 1;  // oneDNN counts the gaps
  const dnnl::convolution_forward::desc what(dnnl::prop_kind::forward_inference, algorithm::convolution_direct, any_layout(input, types.input),
                                             Layout(weight_dims(conv), types.weights, memory::format_tag::any), bias_layout(conv, has_bias, types.bias),
                                             any_layout(output, types.output), dims_of(conv.strides), dilations, dims_of(conv.pads_begin), dims_of(conv.pads_end));
  return {what, attribute, cpu_engine()};
}

[[noreturn]] void refuse(const dnnl::error& error) { throw Unsupported(fmt::format("oneDNN has no such convolution here ({})", error.what())); }

}  // namespace

DenseConv::DenseConv(const Conv& conv, const Shape& input, const Shape& output, bool has_skip, ConvTypes types) : has_skip_(has_skip) {
  const bool has_bias = !conv.bias.empty();
  const Given given{row_major(weight_dims(conv)), bias_layout(conv, has_bias, Type::f32), conv.weights.data(), conv.bias.data()};
  const auto attribute = attributes(conv.activation, has_skip);
  try {
    if (conv.kernel.empty()) {
      if (conv.groups > 1) throw Unsupported("oneDNN has no fully connected layer in groups");
      const dnnl::inner_product_forward::desc what(dnnl::prop_kind::forward_inference, any_layout(input, types.input),
                                                   Layout(weight_dims(conv), types.input, memory::format_tag::any), given.bias, any_layout(output, types.output));
      const dnnl::inner_product_forward::primitive_desc description(what, attribute, cpu_engine());
      finish(description, given);
      primitive_ = dnnl::inner_product_forward(description);
    } else {
      const auto description = describe(conv, {types.input, types.input, Type::f32, types.output}, has_bias, input, output, attribute);
      finish(description, given);
      primitive_ = dnnl::convolution_forward(description);
    }
  } catch (const dnnl::error& error) {
    refuse(error);
  }
}

DenseConv::DenseConv(const Int8Conv& conv, const Shape& input, const Shape& output) {
  const Given given{row_major(weight_dims(conv.window), Type::s8), bias_layout(conv.window, !conv.bias.empty(), Type::s32), conv.weights.data(), conv.bias.data()};
  constexpr int by_channel = 1 << 1;  // a bit for each axis of the output
  auto attribute = attributes(Activation::identity(), false);
  attribute.set_output_scales(by_channel, conv.scales);
  if (conv.input_zero != 0) attribute.set_zero_points(DNNL_ARG_SRC, 0, {conv.input_zero});
  if (conv.output_zero != 0) attribute.set_zero_points(DNNL_ARG_DST, 0, {conv.output_zero});
  try {
    const auto description = describe(conv.window, {conv.input, Type::s8, Type::s32, conv.output}, !conv.bias.empty(), input, output, attribute);
    finish(description, given);
    primitive_ = dnnl::convolution_forward(description);
  } catch (const dnnl::error& error) {
    refuse(error);
  }
}

template <typename Description>
void DenseConv::finish(const Description& description, const Given& given) {
  input_ = description.src_desc();
  output_ = description.dst_desc();
  scratch_ = description.scratchpad_desc();
  implementation_ = description.impl_info_str();
  weights_ = memory(description.weights_desc(), cpu_engine());
  memory weights(given.weights, cpu_engine(), const_cast<void*>(given.weights_data));  // read only
  dnnl::reorder(weights, weights_).execute(stream(), weights, weights_);
  if (given.bias.get_size() > 0) {
    bias_ = memory(given.bias, cpu_engine());
    std::memcpy(bias_.get_data_handle(), given.bias_data, given.bias.get_size());
  }
  stream().wait();
}

void DenseConv::run(const std::byte* input, const std::byte* skip, std::byte* output, std::byte* scratch) const {
  if (has_skip_ && skip != output) std::memcpy(output, skip, output_.get_size());  // the sum is made in place
  std::unordered_map<int, memory> arguments{{DNNL_ARG_SRC, memory(input_, cpu_engine(), const_cast<std::byte*>(input))},
                                            {DNNL_ARG_WEIGHTS, weights_},
                                            {DNNL_ARG_DST, memory(output_, cpu_engine(), output)},
                                            {DNNL_ARG_SCRATCHPAD, memory(scratch_, cpu_engine(), scratch)}};
  if (bias_) arguments.emplace(DNNL_ARG_BIAS, bias_);
  primitive_.execute(stream(), arguments);
}

}  // namespace lacuna::dense
