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
  dnnl::primitive_attr made;
  made.set_post_ops(after);
  made.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return made;
}

Layout layout_of(const memory::dims& dims, memory::format_tag tag) { return Layout(dims, memory::data_type::f32, tag); }

/// {groups,} output channels, input channels, kernel
memory::dims weight_dims(const Conv& conv) {
  memory::dims dims{conv.output_channels, conv.group_channels};
  if (conv.groups > 1) dims = {conv.groups, conv.output_channels / conv.groups, conv.group_channels};
  dims.insert(dims.end(), conv.kernel.begin(), conv.kernel.end());
  return dims;
}

}  // namespace

DenseConv::DenseConv(const Conv& conv, const Shape& input, const Shape& output, bool has_skip) : has_skip_(has_skip) {
  constexpr auto any = memory::format_tag::any;
  const memory::dims dims = weight_dims(conv);
  const Layout bias = conv.bias.empty() ? Layout() : layout_of({conv.output_channels}, memory::format_tag::x);
  const auto attribute = attributes(conv.activation, has_skip);
  try {
    if (conv.kernel.empty()) {
      if (conv.groups > 1) throw Unsupported("oneDNN has no fully connected layer in groups");
      const dnnl::inner_product_forward::desc what(dnnl::prop_kind::forward_inference, any_layout(input), layout_of(dims, any), bias, any_layout(output));
      const dnnl::inner_product_forward::primitive_desc description(what, attribute, cpu_engine());
      finish(description, conv, row_major(dims));
      primitive_ = dnnl::inner_product_forward(description);
    } else {
      memory::dims dilations = dims_of(conv.dilations);
      for (auto& dilation : dilations) dilation -= 1;  // oneDNN counts the gaps
      const dnnl::convolution_forward::desc what(dnnl::prop_kind::forward_inference, algorithm::convolution_direct, any_layout(input), layout_of(dims, any), bias,
                                                 any_layout(output), dims_of(conv.strides), dilations, dims_of(conv.pads_begin), dims_of(conv.pads_end));
      const dnnl::convolution_forward::primitive_desc description(what, attribute, cpu_engine());
      finish(description, conv, row_major(dims));
      primitive_ = dnnl::convolution_forward(description);
    }
  } catch (const dnnl::error& error) {
    throw Unsupported(fmt::format("oneDNN has no such convolution here ({})", error.what()));
  }
}

template <typename Description>
void DenseConv::finish(const Description& description, const Conv& conv, const Layout& given_weights) {
  input_ = description.src_desc();
  output_ = description.dst_desc();
  scratch_ = description.scratchpad_desc();
  implementation_ = description.impl_info_str();
  weights_ = memory(description.weights_desc(), cpu_engine());
  memory given(given_weights, cpu_engine(), const_cast<float*>(conv.weights.data()));  // read only
  dnnl::reorder(given, weights_).execute(stream(), given, weights_);
  if (!conv.bias.empty()) {
    bias_ = memory(layout_of({conv.output_channels}, memory::format_tag::x), cpu_engine());
    std::memcpy(bias_.get_data_handle(), conv.bias.data(), conv.bias.bytes());
  }
  stream().wait();
}

void DenseConv::run(const float* input, const float* skip, float* output, std::byte* scratch) const {
  if (has_skip_ && skip != output) std::memcpy(output, skip, output_.get_size());  // the sum is made in place
  std::unordered_map<int, memory> arguments{{DNNL_ARG_SRC, memory(input_, cpu_engine(), const_cast<float*>(input))},
                                            {DNNL_ARG_WEIGHTS, weights_},
                                            {DNNL_ARG_DST, memory(output_, cpu_engine(), output)},
                                            {DNNL_ARG_SCRATCHPAD, memory(scratch_, cpu_engine(), scratch)}};
  if (bias_) arguments.emplace(DNNL_ARG_BIAS, bias_);
  primitive_.execute(stream(), arguments);
}

}  // namespace lacuna::dense
