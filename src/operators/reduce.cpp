// Reductions over axes: the input is read once, in order; where an axis is reduced the place in the output stands still.
#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "operators/families.hpp"
#include "operators/walk.hpp"

namespace lacuna::operators {
namespace {

/// The axes of a reduction: input 1, or all (none with noop_with_empty_axes).
std::vector<std::size_t> reduced_axes(const Call& call, std::size_t rank, const Integers& given) {
  if (!given.empty()) return axes_of(call, given, rank);
  std::vector<std::size_t> axes;
  if (flag_attribute(call, "noop_with_empty_axes", false)) return axes;
  axes.resize(rank);
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  return axes;
}

Shape reduced_shape(const Shape& shape, const std::vector<std::size_t>& axes, bool keeps) {
  Shape result;
  for (std::size_t k = 0; k < shape.extents.size(); ++k) {
    if (!std::binary_search(axes.begin(), axes.end(), k))
      result.extents.push_back(shape.extents[k]);
    else if (keeps)
      result.extents.push_back(1);
  }
  return result;
}

/// For each run of the input: its place, the place of its (first) result, and whether the run is reduced to one. Compiled once for all types.
using FoldRun = std::function<void(std::int64_t from, std::int64_t to, std::int64_t length, bool is_reduced)>;
void walk_runs(const Shape& shape, const Shape& kept, const FoldRun& run) {
  Walk<2> walk{extents_of(shape), {strides_of(shape), broadcast_strides(kept, shape)}};
  walk.simplify();
  walk.for_each_run([&](const auto& place) { run(place[0], place[1], walk.run_length(), walk.run_stride(1) == 0); });
}

/// accumulators[place in the output] = f(accumulator, element) over all elements of `in`.
template <typename T, typename Accumulator, typename F>
void fold(const T* in, const Shape& shape, const Shape& kept, std::vector<Accumulator>& accumulators, F f) {
  walk_runs(shape, kept, [&](std::int64_t place, std::int64_t result, std::int64_t length, bool is_reduced) {
    const T* const from = in + place;
    Accumulator* const to = accumulators.data() + result;
    if (is_reduced) {
      Accumulator sum = *to;
      for (std::int64_t k = 0; k < length; ++k) sum = f(sum, static_cast<Computed<T>>(from[k]));
      *to = sum;
    } else {
      for (std::int64_t k = 0; k < length; ++k) to[k] = f(to[k], static_cast<Computed<T>>(from[k]));
    }
  });
}

/// One reduction: what each element adds to an accumulator that starts at `start`, and what is made of it in the end.
/// finish(accumulator, elements of one result)
template <typename Accumulated, typename F, typename Finish>
void reduce(const Evaluation& job, Accumulated, int start, F f, Finish finish) {
  const Shape& shape = job.shape(0);
  const std::vector<std::size_t> axes = reduced_axes(job.call, shape.extents.size(), job.has(1) ? job.integers(1) : Integers());
  const Shape kept = reduced_shape(shape, axes, true);
  double elements = 1;
  for (const std::size_t axis : axes) elements *= shape.extents[axis];
  with_type<numbers>(job.signature.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using A = typename Accumulated::template type<T>;
    std::vector<A> accumulators(job.out_size(), static_cast<A>(start));
    fold(job.in<T>(0), shape, kept, accumulators, f);
    for (std::size_t k = 0; k < accumulators.size(); ++k) job.out<T>()[k] = static_cast<T>(finish(accumulators[k], elements));
  });
}

struct Wide {  // adds up without rounding much
  template <typename T>
  using type = Summed<T>;
};
struct Real {  // for what ends in a root or a logarithm
  template <typename T>
  using type = double;
};

constexpr auto as_it_is = [](auto sum, double) { return sum; };

/// Starts at the lowest or highest value of the type, so that an empty axis gives that.
template <typename Better>
void reduce_extreme(const Evaluation& job, bool lowest_first, Better better) {
  const Shape& shape = job.shape(0);
  const Shape kept = reduced_shape(shape, reduced_axes(job.call, shape.extents.size(), job.has(1) ? job.integers(1) : Integers()), true);
  with_type<all_types>(job.signature.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = Computed<T>;
    using Limits = std::numeric_limits<C>;
    const C infinity = Limits::has_infinity ? Limits::infinity() : Limits::max();
    const C least = Limits::has_infinity ? static_cast<C>(-infinity) : Limits::lowest();
    std::vector<C> best(job.out_size(), lowest_first ? least : job.signature.type == ElementType::boolean ? C{1} : infinity);
    fold(job.in<T>(0), shape, kept, best, [&](C a, C b) { return better(b, a) || b != b ? b : a; });
    for (std::size_t k = 0; k < best.size(); ++k) job.out<T>()[k] = static_cast<T>(best[k]);
  });
}

}  // namespace

Signature infer_reduce(const Inference& question) {
  const Integers given = question.has(1) ? question.integers(1, "axes") : Integers();
  const std::vector<std::size_t> axes = reduced_axes(question.call, question.rank(0), given);
  return {question.type(0), reduced_shape(question.shape(0), axes, flag_attribute(question.call, "keepdims", true))};
}

void reduce_sum(const Evaluation& job) {
  reduce(job, Wide{}, 0, [](auto sum, auto x) { return sum + static_cast<decltype(sum)>(x); }, as_it_is);
}
void reduce_mean(const Evaluation& job) {
  reduce(job, Real{}, 0, [](double sum, auto x) { return sum + static_cast<double>(x); }, [](double sum, double elements) { return sum / elements; });
}
void reduce_prod(const Evaluation& job) {
  reduce(job, Wide{}, 1, [](auto product, auto x) { return product * static_cast<decltype(product)>(x); }, as_it_is);
}
void reduce_l1(const Evaluation& job) {
  reduce(
      job, Wide{}, 0,
      [](auto sum, auto x) {
        using A = decltype(sum);
        return x < decltype(x){0} ? sum - static_cast<A>(x) : sum + static_cast<A>(x);
      },
      as_it_is);
}
void reduce_sum_square(const Evaluation& job) {
  reduce(job, Wide{}, 0, [](auto sum, auto x) { return sum + static_cast<decltype(sum)>(x) * static_cast<decltype(sum)>(x); }, as_it_is);
}
void reduce_l2(const Evaluation& job) {
  reduce(
      job, Real{}, 0, [](double sum, auto x) { return sum + static_cast<double>(x) * static_cast<double>(x); },
      [](double sum, double) { return std::sqrt(sum); });
}
void reduce_log_sum(const Evaluation& job) {
  reduce(job, Real{}, 0, [](double sum, auto x) { return sum + static_cast<double>(x); }, [](double sum, double) { return std::log(sum); });
}
/// The largest element first, so that no power of e overflows.
void reduce_log_sum_exp(const Evaluation& job) {
  const Shape& shape = job.shape(0);
  const Shape kept = reduced_shape(shape, reduced_axes(job.call, shape.extents.size(), job.has(1) ? job.integers(1) : Integers()), true);
  const std::vector<double> values = job.doubles(0);
  std::vector<double> largest(job.out_size(), -std::numeric_limits<double>::infinity());
  fold(values.data(), shape, kept, largest, [](double a, double b) { return std::max(a, b); });
  for (double& value : largest) value = std::isinf(value) ? 0 : value;
  std::vector<double> shifted(values.size());
  walk_runs(shape, kept, [&](std::int64_t from, std::int64_t to, std::int64_t length, bool is_reduced) {
    for (std::int64_t k = 0; k < length; ++k)
      shifted[static_cast<std::size_t>(from + k)] =
          std::exp(values[static_cast<std::size_t>(from + k)] - largest[static_cast<std::size_t>(is_reduced ? to : to + k)]);
  });
  std::vector<double> sums(job.out_size(), 0);
  fold(shifted.data(), shape, kept, sums, [](double a, double b) { return a + b; });
  with_type<numbers>(job.signature.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::size_t k = 0; k < sums.size(); ++k) job.out<T>()[k] = saturated<T>(largest[k] + std::log(sums[k]));
  });
}
void reduce_max(const Evaluation& job) {
  reduce_extreme(job, true, [](auto a, auto b) { return a > b; });
}
void reduce_min(const Evaluation& job) {
  reduce_extreme(job, false, [](auto a, auto b) { return a < b; });
}

}  // namespace lacuna::operators
