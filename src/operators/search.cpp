// Operators that look for elements along an axis or in a whole value: ArgMax, ArgMin, TopK, NonZero; and CumSum, which goes along one too.
#include <algorithm>
#include <limits>
#include <numeric>

#include "operators/families.hpp"

namespace lacuna::operators {
namespace {

template <typename Better>
void find_best(const Evaluation& job, Better better) {
  const bool last = flag_attribute(job.call, "select_last_index", false);
  const Around around_axis = around(job.shape(0), axis_of(job.call, integer_attribute(job.call, "axis", 0), job.shape(0).extents.size()));
  const std::size_t outer = around_axis.outer, length = around_axis.length, inner = around_axis.inner;
  with_type<numbers>(job.type(0), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = Computed<T>;
    for (std::size_t i = 0; i < outer; ++i)
      for (std::size_t x = 0; x < inner; ++x) {
        const T* const in = job.in<T>(0) + i * length * inner + x;
        std::size_t best = 0;
        for (std::size_t k = 1; k < length; ++k) {
          const auto candidate = static_cast<C>(in[k * inner]);
          const auto so_far = static_cast<C>(in[best * inner]);
          if (better(candidate, so_far) || (last && candidate == so_far)) best = k;
        }
        job.out<std::int64_t>()[i * inner + x] = static_cast<std::int64_t>(best);
      }
  });
}

std::size_t top_axis(const Call& call, const Shape& shape) { return axis_of(call, integer_attribute(call, "axis", -1), shape.extents.size()); }

std::size_t count_nonzero(ElementType type, std::span<const std::byte> bytes) {
  std::size_t nonzero = 0;
  for (const double value : to_doubles(type, bytes)) nonzero += value != 0 ? 1 : 0;
  return nonzero;
}

}  // namespace

Signature infer_arg(const Inference& question) {
  const std::size_t axis = axis_of(question.call, integer_attribute(question.call, "axis", 0), question.rank(0));
  if (question.shape(0).extents[axis] == 0) fail(question.call, "axis {} of {} has no element to choose", axis, describe(question.shape(0)));
  Shape shape = question.shape(0);
  if (flag_attribute(question.call, "keepdims", true))
    shape.extents[axis] = 1;
  else
    shape.extents.erase(shape.extents.begin() + static_cast<std::ptrdiff_t>(axis));
  return {ElementType::i64, shape};
}
void arg_max(const Evaluation& job) {
  find_best(job, [](auto a, auto b) { return a > b; });
}
void arg_min(const Evaluation& job) {
  find_best(job, [](auto a, auto b) { return a < b; });
}

/// Output 0: the values; output 1: where they were.
Signature infer_top_k(const Inference& question) {
  const Integers k = question.integers(1, "K");
  const std::size_t axis = top_axis(question.call, question.shape(0));
  if (k.size() != 1 || k[0] < 0 || k[0] > question.shape(0).extents[axis])
    fail(question.call, "the best [{}] of {} elements along axis {}", fmt::join(k, " "), question.shape(0).extents[axis], axis);
  Shape shape = question.shape(0);
  shape.extents[axis] = static_cast<std::uint32_t>(k[0]);
  return {question.call.which_output == 0 ? question.type(0) : ElementType::i64, shape};
}
void top_k(const Evaluation& job) {
  const std::size_t axis = top_axis(job.call, job.shape(0));
  const Around around_axis = around(job.shape(0), axis);
  const std::size_t outer = around_axis.outer, length = around_axis.length, inner = around_axis.inner;
  const std::size_t wanted = job.signature.shape.extents[axis];
  const bool largest = flag_attribute(job.call, "largest", true);
  std::vector<std::size_t> order(length);
  with_type<numbers>(job.type(0), [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = Computed<T>;
    for (std::size_t i = 0; i < outer; ++i)
      for (std::size_t x = 0; x < inner; ++x) {
        const T* const in = job.in<T>(0) + i * length * inner + x;
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(wanted), order.end(), [&](std::size_t a, std::size_t b) {
          const auto first = static_cast<C>(in[a * inner]);
          const auto second = static_cast<C>(in[b * inner]);
          const bool first_unknown = first != first, second_unknown = second != second;  // not-a-number last: an order that sorting can rely on
          if (first_unknown || second_unknown) return first_unknown == second_unknown ? a < b : second_unknown;
          return first == second ? a < b : (first > second) == largest;
        });
        for (std::size_t k = 0; k < wanted; ++k) {
          const std::size_t at = (i * wanted + k) * inner + x;
          if (job.call.which_output == 0)
            job.out<T>()[at] = in[order[k] * inner];
          else
            job.out<std::int64_t>()[at] = static_cast<std::int64_t>(order[k]);
        }
      }
  });
}

/// One row for each axis, one column for each nonzero element.
Signature infer_non_zero(const Inference& question) {
  if (question.inputs[0].constant == nullptr) refuse(question.call, "its input 0 is known only at run time, and the output's shape depends on it; make it a constant");
  const std::size_t nonzero = count_nonzero(question.type(0), question.inputs[0].constant->span());
  return {ElementType::i64, make_shape(question.call, Integers{static_cast<std::int64_t>(question.rank(0)), static_cast<std::int64_t>(nonzero)})};
}
void non_zero(const Evaluation& job) {
  const std::vector<double> values = job.doubles(0);
  const std::size_t columns = job.signature.shape.extents[1];
  std::vector<std::uint32_t> position(job.shape(0).extents.size(), 0);
  std::size_t column = 0;
  for (const double value : values) {
    if (value != 0 && column < columns) {
      for (std::size_t k = 0; k < position.size(); ++k) job.out<std::int64_t>()[k * columns + column] = position[k];
      ++column;
    }
    advance_position(position, job.shape(0));
  }
}

Signature infer_cum_sum(const Inference& question) {
  if (question.shape(1).size() != 1 || !contains(integers, question.type(1))) fail(question.call, "an axis of {} {}; expected one integer", name_of(question.type(1)), describe(question.shape(1)));
  if (question.rank(0) == 0) fail(question.call, "a scalar has no axis");
  return question.same_as(0);
}
void cum_sum(const Evaluation& job) {
  const Around around_axis = around(job.shape(0), axis_of(job.call, job.integers(1)[0], job.shape(0).extents.size()));
  const std::size_t outer = around_axis.outer, length = around_axis.length, inner = around_axis.inner;
  const bool exclusive = flag_attribute(job.call, "exclusive", false);
  const bool reverse = flag_attribute(job.call, "reverse", false);
  with_type<numbers>(job.signature.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::size_t i = 0; i < outer; ++i)
      for (std::size_t x = 0; x < inner; ++x) {
        Summed<T> sum = 0;
        for (std::size_t k = 0; k < length; ++k) {
          const std::size_t at = (i * length + (reverse ? length - 1 - k : k)) * inner + x;
          const auto next = static_cast<Summed<T>>(sum + static_cast<Summed<T>>(static_cast<Computed<T>>(job.in<T>(0)[at])));
          job.out<T>()[at] = static_cast<T>(exclusive ? sum : next);
          sum = next;
        }
      }
  });
}

}  // namespace lacuna::operators
