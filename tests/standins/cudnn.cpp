// Stands in for NVIDIA's cuDNN in the tests: the same entry points with the types of its public header. It refuses types, orders, math and shapes other than those that are meant, and an output whose
// extents are not those of the convolution, as the real one does. LACUNA_STANDIN_ALGORITHMS=none: it has no algorithm in f32 for anything.
#include <array>
#include <cstring>

#include "standin.hpp"

namespace {

using standin::is_to_fail;
using standin::read;
using standin::write;

enum Status { success = 0, not_initialized = 1001, bad_param = 2000, not_supported = 3000, execution_failed = 5000 };
constexpr int type_f32 = 0, channels_first = 0, cross_correlation = 1, fma_math = 3, tensor_op_math = 1, implicit_gemm = 0, implicit_precomputed_gemm = 1, fft = 4;
constexpr std::size_t work_bytes = 512;

struct Context {
  void* stream = nullptr;
};
struct Tensor {
  std::array<int, 4> extents{}, strides{};

  std::size_t at(int n, int c, int y, int x) const {
    return static_cast<std::size_t>(n) * static_cast<std::size_t>(strides[0]) + static_cast<std::size_t>(c) * static_cast<std::size_t>(strides[1]) +
           static_cast<std::size_t>(y) * static_cast<std::size_t>(strides[2]) + static_cast<std::size_t>(x) * static_cast<std::size_t>(strides[3]);
  }
  std::size_t floats() const { return at(extents[0] - 1, extents[1] - 1, extents[2] - 1, extents[3] - 1) + 1; }
  /// Planes without gaps in them.
  bool is_packed() const { return strides[3] == 1 && strides[2] == extents[3]; }
};
struct Filter {
  int outputs = 0, channels = 0, height = 0, width = 0;
};
struct Convolution {
  int pad_y = 0, pad_x = 0, stride_y = 0, stride_x = 0, dilation_y = 0, dilation_x = 0, groups = 1, math = 0;
};
struct Expected {
  int algorithm;
  Status status;
  float milliseconds;
  std::size_t work_bytes;
  int determinism, math;
  int reserved[3];
};

int outputs(int extent, int pad, int kernel, int dilation, int stride) { return (extent + 2 * pad - (kernel - 1) * dilation - 1) / stride + 1; }

Status check(const Context* context, const Tensor* x, const Filter* w, const Convolution* conv, const Tensor* y) {
  if (context == nullptr || x == nullptr || w == nullptr || conv == nullptr || y == nullptr) return bad_param;
  if (conv->math != fma_math) return not_supported;
  if (x->extents[0] != y->extents[0] || w->channels * conv->groups != x->extents[1] || w->outputs != y->extents[1] || w->outputs % conv->groups != 0) return bad_param;
  if (y->extents[2] != outputs(x->extents[2], conv->pad_y, w->height, conv->dilation_y, conv->stride_y)) return bad_param;
  return y->extents[3] == outputs(x->extents[3], conv->pad_x, w->width, conv->dilation_x, conv->stride_x) ? success : bad_param;
}

float sum_of(const std::vector<float>& from, const Tensor& x, const std::vector<float>& weights, const Filter& w, const Convolution& conv, int n, int k, int oy, int ox) {
  float sum = 0;
  const int first = k / (w.outputs / conv.groups) * w.channels;
  for (int c = 0; c < w.channels; ++c)
    for (int ky = 0; ky < w.height; ++ky)
      for (int kx = 0; kx < w.width; ++kx) {
        const int iy = oy * conv.stride_y + ky * conv.dilation_y - conv.pad_y, ix = ox * conv.stride_x + kx * conv.dilation_x - conv.pad_x;
        if (iy < 0 || ix < 0 || iy >= x.extents[2] || ix >= x.extents[3]) continue;
        sum += weights[static_cast<std::size_t>(((k * w.channels + c) * w.height + ky) * w.width + kx)] * from[x.at(n, first + c, iy, ix)];
      }
  return sum;
}

template <typename Object>
Status create(const char* call, Object** object) {
  if (is_to_fail(call)) return not_initialized;
  standin::create(object);
  return success;
}

template <typename Object>
Status destroy(Object* object) {
  standin::destroy(object);
  return success;
}

}  // namespace

EXPORT int lacuna_computes_on_simulated_memory() { return standin::objects; }

EXPORT std::size_t cudnnGetVersion() { return 90100; }
EXPORT const char* cudnnGetErrorString(Status status) {
  switch (status) {
    case not_initialized: return "CUDNN_STATUS_NOT_INITIALIZED";
    case not_supported: return "CUDNN_STATUS_NOT_SUPPORTED";
    case execution_failed: return "CUDNN_STATUS_EXECUTION_FAILED";
    default: return "CUDNN_STATUS_BAD_PARAM";
  }
}

EXPORT Status cudnnCreate(Context** context) { return create("cudnnCreate", context); }
EXPORT Status cudnnDestroy(Context* context) { return destroy(context); }
EXPORT Status cudnnSetStream(Context* context, void* stream) {
  context->stream = stream;
  return is_to_fail("cudnnSetStream") ? bad_param : success;
}

EXPORT Status cudnnCreateTensorDescriptor(Tensor** tensor) { return create("cudnnCreateTensorDescriptor", tensor); }
EXPORT Status cudnnDestroyTensorDescriptor(Tensor* tensor) { return destroy(tensor); }
EXPORT Status cudnnSetTensor4dDescriptorEx(Tensor* tensor, int type, int n, int c, int h, int w, int n_stride, int c_stride, int h_stride, int w_stride) {
  if (type != type_f32 || n < 1 || c < 1 || h < 1 || w < 1 || w_stride != 1) return bad_param;
  // Elements of their own for every index.
  if ((h > 1 && h_stride < w) || (c > 1 && c_stride < h * h_stride) || (n > 1 && n_stride < c * c_stride)) return not_supported;
  *tensor = {{n, c, h, w}, {n_stride, c_stride, h_stride, w_stride}};
  return success;
}

EXPORT Status cudnnCreateFilterDescriptor(Filter** filter) { return create("cudnnCreateFilterDescriptor", filter); }
EXPORT Status cudnnDestroyFilterDescriptor(Filter* filter) { return destroy(filter); }
EXPORT Status cudnnSetFilter4dDescriptor(Filter* filter, int type, int order, int k, int c, int h, int w) {
  if (type != type_f32 || order != channels_first || k < 1 || c < 1 || h < 1 || w < 1) return bad_param;
  *filter = {k, c, h, w};
  return success;
}

EXPORT Status cudnnCreateConvolutionDescriptor(Convolution** conv) { return create("cudnnCreateConvolutionDescriptor", conv); }
EXPORT Status cudnnDestroyConvolutionDescriptor(Convolution* conv) { return destroy(conv); }
EXPORT Status cudnnSetConvolution2dDescriptor(Convolution* conv, int pad_y, int pad_x, int stride_y, int stride_x, int dilation_y, int dilation_x, int mode, int type) {
  if (mode != cross_correlation || type != type_f32 || pad_y < 0 || pad_x < 0 || stride_y < 1 || stride_x < 1 || dilation_y < 1 || dilation_x < 1) return bad_param;
  *conv = {pad_y, pad_x, stride_y, stride_x, dilation_y, dilation_x, conv->groups, conv->math};
  return success;
}
EXPORT Status cudnnSetConvolutionGroupCount(Convolution* conv, int groups) {
  conv->groups = groups;
  return success;
}
EXPORT Status cudnnSetConvolutionMathType(Convolution* conv, int math) {
  conv->math = math;
  return is_to_fail("cudnnSetConvolutionMathType") ? bad_param : success;
}

/// In the order of the real one: the fastest first, those that do not work with their reason.
EXPORT Status cudnnGetConvolutionForwardAlgorithm_v7(Context* context, Tensor* x, Filter* w, Convolution* conv, Tensor* y, int wanted, int* given, Expected* expected) {
  if (is_to_fail("cudnnGetConvolutionForwardAlgorithm_v7")) return execution_failed;
  if (const Status status = check(context, x, w, conv, y); status != success || wanted < 4) return status == success ? bad_param : status;
  const char* const wish = std::getenv("LACUNA_STANDIN_ALGORITHMS");
  const Status is_here = wish != nullptr && std::string_view(wish) == "none" ? not_supported : success;
  expected[0] = {implicit_precomputed_gemm, success, 1, work_bytes, 1, tensor_op_math, {}};
  expected[1] = {fft, x->is_packed() && y->is_packed() ? success : not_supported, 2, std::size_t{1} << 40, 1, fma_math, {}};
  expected[2] = {implicit_precomputed_gemm, is_here, 3, work_bytes, 1, fma_math, {}};
  expected[3] = {implicit_gemm, is_here, 4, 0, 1, fma_math, {}};
  *given = 4;
  return success;
}

EXPORT Status cudnnGetConvolutionForwardWorkspaceSize(Context* context, Tensor* x, Filter* w, Convolution* conv, Tensor* y, int algorithm, std::size_t* bytes) {
  *bytes = algorithm == implicit_gemm ? 0 : work_bytes;
  return is_to_fail("cudnnGetConvolutionForwardWorkspaceSize") ? execution_failed : check(context, x, w, conv, y);
}

EXPORT Status cudnnConvolutionForward(Context* context, const void* alpha, Tensor* x, std::uint64_t x_at, Filter* w, std::uint64_t w_at, Convolution* conv, int algorithm, std::uint64_t work,
                                      std::size_t bytes, const void* beta, Tensor* y, std::uint64_t y_at) {
  if (const Status status = check(context, x, w, conv, y); status != success) return status;
  if (algorithm != implicit_precomputed_gemm || bytes != work_bytes || alpha == nullptr || beta == nullptr) return bad_param;
  if (is_to_fail("cudnnConvolutionForward")) return execution_failed;
  std::vector<std::byte> of_work(work_bytes);
  std::vector<float> from(x->floats()), weights(static_cast<std::size_t>(w->outputs) * static_cast<std::size_t>(w->channels * w->height * w->width)), to(y->floats());
  const bool is_there = read(of_work, work, context->stream) && read(from, x_at, context->stream) && read(weights, w_at, context->stream) && read(to, y_at, context->stream);
  if (!is_there) return execution_failed;
  float times = 0, plus = 0;
  std::memcpy(&times, alpha, sizeof times);
  std::memcpy(&plus, beta, sizeof plus);
  for (int n = 0; n < y->extents[0]; ++n)
    for (int k = 0; k < y->extents[1]; ++k)
      for (int oy = 0; oy < y->extents[2]; ++oy)
        for (int ox = 0; ox < y->extents[3]; ++ox) {
          float& place = to[y->at(n, k, oy, ox)];
          place = times * sum_of(from, *x, weights, *w, *conv, n, k, oy, ox) + (plus == 0 ? 0 : plus * place);
        }
  return write(to, y_at, context->stream) ? success : execution_failed;
}
