// Pooling: for each row of outputs the taps of the window are added one after another, so that the innermost loop runs along the row.
#include <algorithm>
#include <limits>

#include "operators/families.hpp"
#include "operators/window.hpp"

namespace lacuna::operators {
namespace {

Window pool_window(const Call& call, const Shape& shape) {
  if (find_attribute(call, "kernel_shape") == nullptr) fail(call, "the attribute kernel_shape is missing");
  return window_of(call, shape, integers_attribute(call, "kernel_shape"), true);
}

Shape pooled_shape(const Call& call, const Shape& shape, const Window& window) {
  Integers extents{shape.extents[0], shape.extents[1]};
  extents.insert(extents.end(), window.output.begin(), window.output.end());
  return make_shape(call, extents);
}

/// Elements that the window of each output sees along one axis: those of the input, or of the padded input.
Integers seen_along(const Window& window, std::size_t k, bool with_pads) {
  const std::int64_t low = with_pads ? -window.pads_begin[k] : 0;
  const std::int64_t high = window.input[k] + (with_pads ? window.pads_end[k] : 0);
  Integers seen;
  for (std::int64_t o = 0; o < window.output[k]; ++o) {
    const std::int64_t start = o * window.strides[k] - window.pads_begin[k];
    std::int64_t inside = 0;
    for (std::int64_t tap = 0; tap < window.kernel[k]; ++tap) {
      const std::int64_t at = start + tap * window.dilations[k];
      inside += at >= low && at < high ? 1 : 0;
    }
    seen.push_back(inside);
  }
  return seen;
}

/// The same for every output of a plane.
std::vector<double> seen_by(const Window& window, bool with_pads) {
  std::vector<double> seen{1};
  for (std::size_t k = 0; k < window.kernel.size(); ++k) {
    const Integers along = seen_along(window, k, with_pads);
    std::vector<double> longer;
    for (const double outer : seen)
      for (const std::int64_t inner : along) longer.push_back(outer * static_cast<double>(inner));
    seen = std::move(longer);
  }
  return seen;
}

/// f(a plane of the input, the same plane of the output)
template <typename T, typename F>
void for_each_plane(const Evaluation& job, const Window& window, F f) {
  const std::size_t planes = std::size_t{job.shape(0).extents[0]} * job.shape(0).extents[1];
  for (std::size_t k = 0; k < planes; ++k)
    f(job.in<T>(0) + k * static_cast<std::size_t>(window.input_size()), job.out<T>() + k * static_cast<std::size_t>(window.output_size()));
}

template <typename T>
void max_values(const T* in, T* out, const Window& window) {
  using C = Computed<T>;
  using Limits = std::numeric_limits<C>;
  std::fill_n(out, window.output_size(), static_cast<T>(Limits::has_infinity ? -Limits::infinity() : Limits::lowest()));
  const std::int64_t stride = window.strides.back();
  for_each_tap(window, [&](std::int64_t to, std::int64_t from, std::int64_t, std::int64_t length) {
    if (stride == 1)
      for (std::int64_t k = 0; k < length; ++k) out[to + k] = static_cast<C>(in[from + k]) > static_cast<C>(out[to + k]) ? in[from + k] : out[to + k];
    else
      for (std::int64_t k = 0; k < length; ++k)
        out[to + k] = static_cast<C>(in[from + k * stride]) > static_cast<C>(out[to + k]) ? in[from + k * stride] : out[to + k];
  });
}

/// The same place in a plane whose first spatial axis counts fastest (storage_order 1).
std::int64_t column_major(std::int64_t place, const Integers& extents) {
  std::int64_t result = 0;
  std::int64_t rest = place;
  std::int64_t scale = product_of(extents);
  for (std::size_t k = extents.size(); k-- > 0;) {
    scale /= extents[k];
    result += rest % extents[k] * scale;
    rest /= extents[k];
  }
  return result;
}

/// Output 1 of MaxPool: where in the whole input each maximum is.
template <typename T>
void max_places(const Evaluation& job, const Window& window) {
  const bool by_columns = flag_attribute(job.call, "storage_order", false);
  const std::int64_t size = window.output_size();
  const std::size_t planes = std::size_t{job.shape(0).extents[0]} * job.shape(0).extents[1];
  for (std::size_t plane = 0; plane < planes; ++plane) {
    const T* const in = job.in<T>(0) + plane * static_cast<std::size_t>(window.input_size());
    Integers best(static_cast<std::size_t>(size), -1);
    for_each_tap(window, [&](std::int64_t to, std::int64_t from, std::int64_t, std::int64_t length) {
      for (std::int64_t k = 0; k < length; ++k) {
        const std::int64_t at = from + k * window.strides.back();
        std::int64_t& place = best[static_cast<std::size_t>(to + k)];
        if (place < 0 || static_cast<Computed<T>>(in[at]) > static_cast<Computed<T>>(in[place])) place = at;
      }
    });
    for (std::int64_t k = 0; k < size; ++k) {
      const std::int64_t place = best[static_cast<std::size_t>(k)];
      job.out<std::int64_t>()[static_cast<std::int64_t>(plane) * size + k] =
          static_cast<std::int64_t>(plane) * window.input_size() + (by_columns ? column_major(place, window.input) : place);
    }
  }
}

}  // namespace

std::int64_t product_of(const Integers& extents) {
  std::int64_t product = 1;
  for (const std::int64_t extent : extents) product *= extent;
  return product;
}

Signature infer_pool(const Inference& question) {
  const ElementType type = question.call.which_output == 1 ? ElementType::i64 : question.type(0);
  return {type, pooled_shape(question.call, question.shape(0), pool_window(question.call, question.shape(0)))};
}
Signature infer_global_pool(const Inference& question) {
  if (question.rank(0) < 2) fail(question.call, "a value of {}; expected a batch and channels", describe(question.shape(0)));
  Signature signature = question.same_as(0);
  std::fill(signature.shape.extents.begin() + 2, signature.shape.extents.end(), 1u);
  return signature;
}

void max_pool(const Evaluation& job) {
  const Window window = pool_window(job.call, job.shape(0));
  with_type<numbers>(job.type(0), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (job.call.which_output == 1) return max_places<T>(job, window);
    for_each_plane<T>(job, window, [&](const T* in, T* out) { max_values(in, out, window); });
  });
}

void average_pool(const Evaluation& job) {
  const Window window = pool_window(job.call, job.shape(0));
  const std::vector<double> seen = seen_by(window, flag_attribute(job.call, "count_include_pad", false));
  std::vector<double> sums(seen.size());
  const std::int64_t stride = window.strides.back();
  with_type<floats>(job.signature.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for_each_plane<T>(job, window, [&](const T* in, T* out) {
      std::fill(sums.begin(), sums.end(), 0.0);
      for_each_tap(window, [&](std::int64_t to, std::int64_t from, std::int64_t, std::int64_t length) {
        for (std::int64_t k = 0; k < length; ++k) sums[static_cast<std::size_t>(to + k)] += static_cast<double>(static_cast<Computed<T>>(in[from + k * stride]));
      });
      for (std::size_t k = 0; k < sums.size(); ++k) out[k] = static_cast<T>(seen[k] == 0 ? 0.0 : sums[k] / seen[k]);
    });
  });
}

/// (sum of |x|^p)^(1/p)
void lp_pool(const Evaluation& job) {
  const Window window = pool_window(job.call, job.shape(0));
  const auto p = static_cast<double>(integer_attribute(job.call, "p", 2));
  std::vector<double> sums(static_cast<std::size_t>(window.output_size()));
  with_type<floats>(job.signature.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for_each_plane<T>(job, window, [&](const T* in, T* out) {
      std::fill(sums.begin(), sums.end(), 0.0);
      for_each_tap(window, [&](std::int64_t to, std::int64_t from, std::int64_t, std::int64_t length) {
        for (std::int64_t k = 0; k < length; ++k)
          sums[static_cast<std::size_t>(to + k)] += std::pow(std::abs(static_cast<double>(static_cast<Computed<T>>(in[from + k * window.strides.back()]))), p);
      });
      for (std::size_t k = 0; k < sums.size(); ++k) out[k] = static_cast<T>(std::pow(sums[k], 1 / p));
    });
  });
}

void global_average_pool(const Evaluation& job) {
  const std::size_t area = count(job.shape(0), 2, job.shape(0).extents.size());
  with_type<floats>(job.signature.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::size_t plane = 0; plane < job.out_size(); ++plane) {
      double sum = 0;
      for (std::size_t k = 0; k < area; ++k) sum += static_cast<double>(static_cast<Computed<T>>(job.in<T>(0)[plane * area + k]));
      job.out<T>()[plane] = static_cast<T>(sum / static_cast<double>(area));
    }
  });
}

void global_max_pool(const Evaluation& job) {
  const std::size_t area = count(job.shape(0), 2, job.shape(0).extents.size());
  with_type<floats>(job.signature.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = Computed<T>;
    for (std::size_t plane = 0; plane < job.out_size(); ++plane) {
      C best = -std::numeric_limits<C>::infinity();
      for (std::size_t k = 0; k < area; ++k) best = std::max(best, static_cast<C>(job.in<T>(0)[plane * area + k]));
      job.out<T>()[plane] = static_cast<T>(best);
    }
  });
}

void global_lp_pool(const Evaluation& job) {
  const std::size_t area = count(job.shape(0), 2, job.shape(0).extents.size());
  const auto p = static_cast<double>(integer_attribute(job.call, "p", 2));
  const std::vector<double> values = job.doubles(0);
  with_type<floats>(job.signature.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::size_t plane = 0; plane < job.out_size(); ++plane) {
      double sum = 0;
      for (std::size_t k = 0; k < area; ++k) sum += std::pow(std::abs(values[plane * area + k]), p);
      job.out<T>()[plane] = static_cast<T>(std::pow(sum, 1 / p));
    }
  });
}

}  // namespace lacuna::operators
