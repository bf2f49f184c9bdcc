#include "dense.hpp"

#include <oneapi/dnnl/dnnl.hpp>

namespace lacuna::bench {

using dnnl::memory;

struct DenseConv::State {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  dnnl::convolution_forward::primitive_desc description;
  dnnl::convolution_forward primitive;
  memory source, weights, bias, destination;
  memory::dims out_dims;
};

DenseConv::DenseConv(const Layer& layer, std::uint32_t batch, const std::vector<float>& input) : state_(std::make_unique<State>()) {
  State& s = *state_;
  const Conv& conv = layer.conv;
  const auto dim = [](std::uint32_t value) { return static_cast<memory::dim>(value); };
  const auto out = [&](std::uint32_t extent) { return dim((extent + 2 * conv.pads_begin[0] - conv.kernel[0]) / conv.strides[0] + 1); };
  const memory::dims in_dims{dim(batch), dim(layer.channels), dim(layer.height), dim(layer.width)};
  const memory::dims weight_dims{dim(conv.output_channels), dim(layer.channels), dim(conv.kernel[0]), dim(conv.kernel[1])};
  s.out_dims = {dim(batch), dim(conv.output_channels), out(layer.height), out(layer.width)};
  const auto any = [](const memory::dims& dims) { return memory::desc(dims, memory::data_type::f32, memory::format_tag::any); };
  const memory::desc bias_desc({dim(conv.output_channels)}, memory::data_type::f32, memory::format_tag::x);
  const memory::dims strides{dim(conv.strides[0]), dim(conv.strides[1])}, pads{dim(conv.pads_begin[0]), dim(conv.pads_begin[1])};
  dnnl::primitive_attr attributes;
  dnnl::post_ops post;
  post.append_eltwise(1.0f, dnnl::algorithm::eltwise_relu, 0, 0);
  attributes.set_post_ops(post);
  s.description = dnnl::convolution_forward::primitive_desc(
      dnnl::convolution_forward::desc(dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_auto, any(in_dims), any(weight_dims), bias_desc, any(s.out_dims), strides, pads, pads),
      attributes, s.engine);
  s.primitive = dnnl::convolution_forward(s.description);
  s.source = memory(s.description.src_desc(), s.engine);
  s.weights = memory(s.description.weights_desc(), s.engine);
  s.bias = memory(bias_desc, s.engine, const_cast<float*>(conv.bias.data()));
  s.destination = memory(s.description.dst_desc(), s.engine);
  memory plain({in_dims, memory::data_type::f32, memory::format_tag::nchw}, s.engine, const_cast<float*>(input.data()));
  memory plain_weights({weight_dims, memory::data_type::f32, memory::format_tag::oihw}, s.engine, const_cast<float*>(conv.weights.data()));
  dnnl::reorder(plain, s.source).execute(s.stream, plain, s.source);
  dnnl::reorder(plain_weights, s.weights).execute(s.stream, plain_weights, s.weights);
  s.stream.wait();
}

DenseConv::~DenseConv() = default;

void DenseConv::run() {
  State& s = *state_;
  s.primitive.execute(s.stream, {{DNNL_ARG_SRC, s.source}, {DNNL_ARG_WEIGHTS, s.weights}, {DNNL_ARG_BIAS, s.bias}, {DNNL_ARG_DST, s.destination}});
  s.stream.wait();
}

std::vector<float> DenseConv::output() const {
  State& s = *state_;
  std::size_t count = 1;
  for (memory::dim extent : s.out_dims) count *= static_cast<std::size_t>(extent);
  std::vector<float> values(count);
  memory plain({s.out_dims, memory::data_type::f32, memory::format_tag::nchw}, s.engine, values.data());
  dnnl::reorder(s.destination, plain).execute(s.stream, s.destination, plain);
  s.stream.wait();
  return values;
}

std::string DenseConv::kernel() const { return state_->description.impl_info_str(); }

}  // namespace lacuna::bench
