#include "dense/pool.hpp"

#include <fmt/format.h>

#include <lacuna/error.hpp>

namespace lacuna::dense {
namespace {

dnnl::algorithm algorithm_of(PoolShape::Kind kind) {
  switch (kind) {
    case PoolShape::Kind::maximum: return dnnl::algorithm::pooling_max;
    case PoolShape::Kind::average: return dnnl::algorithm::pooling_avg_exclude_padding;
    case PoolShape::Kind::average_with_padding: return dnnl::algorithm::pooling_avg_include_padding;
  }
  throw InternalError("unknown pooling");
}

}  // namespace

DensePool::DensePool(const PoolShape& pool, const Layout& input, const Shape& output) : input_(input) {
  try {
    const dnnl::pooling_forward::desc what(dnnl::prop_kind::forward_inference, algorithm_of(pool.kind), input, any_layout(output, type_of(input)), dims_of(pool.strides),
                                           dims_of(pool.kernel), dims_of(pool.pads_begin), dims_of(pool.pads_end));
    const dnnl::pooling_forward::primitive_desc description(what, with_given_scratch(), cpu_engine());
    output_ = description.dst_desc();
    scratch_ = description.scratchpad_desc();
    primitive_ = dnnl::pooling_forward(description);
  } catch (const dnnl::error& error) {
    throw Unsupported(fmt::format("oneDNN has no such pooling here ({})", error.what()));
  }
}

void DensePool::run(const std::byte* input, std::byte* output) const {
  primitive_.execute(stream(), {{DNNL_ARG_SRC, dnnl::memory(input_, cpu_engine(), const_cast<std::byte*>(input))},
                                {DNNL_ARG_DST, dnnl::memory(output_, cpu_engine(), output)},
                                {DNNL_ARG_SCRATCHPAD, scratch_of_thread(scratch_)}});
}

}  // namespace lacuna::dense
