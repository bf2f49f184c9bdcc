// Operators over several inputs that broadcast as NumPy does: arithmetic, comparison, logic, and choosing between two.
#include <algorithm>
#include <limits>

#include "operators/families.hpp"
#include "operators/walk.hpp"

namespace lacuna::operators {
namespace {

/// out[k] = f(a[k], b[k]) along one run of `length` elements. F has no state.
using Run = void(const std::byte* a, std::int64_t a_stride, const std::byte* b, std::int64_t b_stride, std::byte* out, std::int64_t length);

template <typename T, typename Result, typename F>
void run(const std::byte* a_bytes, std::int64_t a_stride, const std::byte* b_bytes, std::int64_t b_stride, std::byte* out_bytes, std::int64_t length) {
  using C = Computed<T>;
  const T* const a = reinterpret_cast<const T*>(a_bytes);
  const T* const b = reinterpret_cast<const T*>(b_bytes);
  auto* const out = reinterpret_cast<Result*>(out_bytes);
  if constexpr (std::is_floating_point_v<T>) {  // the strides that occur most are loops of their own, so that the compiler can take many at a time
    if (a_stride == 1 && b_stride == 1) {
      for (std::int64_t k = 0; k < length; ++k) out[k] = static_cast<Result>(F{}(a[k], b[k]));
      return;
    }
    if (a_stride == 1 && b_stride == 0) {
      const T fixed = *b;
      for (std::int64_t k = 0; k < length; ++k) out[k] = static_cast<Result>(F{}(a[k], fixed));
      return;
    }
    if (a_stride == 0 && b_stride == 1) {
      const T fixed = *a;
      for (std::int64_t k = 0; k < length; ++k) out[k] = static_cast<Result>(F{}(fixed, b[k]));
      return;
    }
  }
  for (std::int64_t k = 0; k < length; ++k) out[k] = static_cast<Result>(F{}(static_cast<C>(a[k * a_stride]), static_cast<C>(b[k * b_stride])));
}

/// Without types, so that it is compiled once and not for every operator and type.
struct Operand {
  const std::byte* data;
  const Shape& shape;
};
void combine(const Operand& a, const Operand& b, std::size_t bytes, const Shape& shape, std::byte* out, std::size_t out_bytes, Run* run) {
  Walk<3> walk{extents_of(shape), {broadcast_strides(a.shape, shape), broadcast_strides(b.shape, shape), strides_of(shape)}};
  walk.simplify();
  walk.for_each_run([&](const auto& place) {
    run(a.data + static_cast<std::size_t>(place[0]) * bytes, walk.run_stride(0), b.data + static_cast<std::size_t>(place[1]) * bytes, walk.run_stride(1),
        out + static_cast<std::size_t>(place[2]) * out_bytes, walk.run_length());
  });
}

template <Types allowed, typename F>
void combine_two(const Evaluation& job, F) {
  Run* const loop = with_type<allowed>(job.signature.type, [](auto tag) -> Run* {
    using T = typename decltype(tag)::type;
    return run<T, T, F>;
  });
  combine({job.inputs[0].data, job.shape(0)}, {job.inputs[1].data, job.shape(1)}, job.element_bytes(), job.signature.shape, job.output, job.element_bytes(), loop);
}

/// A result of bools.
template <Types allowed, typename F>
void compare_two(const Evaluation& job, F) {
  Run* const loop = with_type<allowed>(job.type(0), [](auto tag) -> Run* { return run<typename decltype(tag)::type, std::uint8_t, F>; });
  combine({job.inputs[0].data, job.shape(0)}, {job.inputs[1].data, job.shape(1)}, size_of(job.type(0)), job.signature.shape, job.output, 1, loop);
}

/// f(f(first, second), third)...
template <typename F>
void combine_all(const Evaluation& job, F) {
  Run* const loop = with_type<numbers>(job.signature.type, [](auto tag) -> Run* {
    using T = typename decltype(tag)::type;
    return run<T, T, F>;
  });
  const Shape& shape = job.signature.shape;
  const std::size_t bytes = job.element_bytes();
  copy_strided(job.inputs[0].data, 0, extents_of(shape), broadcast_strides(job.shape(0), shape), bytes, job.output);
  for (std::size_t k = 1; k < job.inputs.size(); ++k) combine({job.output, shape}, {job.inputs[k].data, job.shape(k)}, bytes, shape, job.output, bytes, loop);
}

/// Integers wrap around: computed without sign, where that is defined.
template <typename T, typename F>
auto wrapping(T a, T b, F f) {
  if constexpr (std::is_floating_point_v<T>)
    return f(a, b);
  else
    return static_cast<T>(f(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
}

template <typename T>
T divide_integers(T a, T b) {
  if (b == 0) throw InputError("Div: an integer is divided by 0");
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return static_cast<T>(0 - static_cast<std::uint64_t>(a));
  return static_cast<T>(a / b);
}

/// The sign of the divisor, as Python's %.
template <typename T>
T modulo(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    const T rest = std::fmod(a, b);
    if (rest == 0) return std::copysign(rest, b);
    return (rest < 0) != (b < 0) ? rest + b : rest;
  } else if constexpr (std::is_signed_v<T>) {
    if (b == 0) throw InputError("Mod: an integer is divided by 0");
    if (b == -1) return 0;
    const T rest = static_cast<T>(a % b);
    return rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;
  } else {
    if (b == 0) throw InputError("Mod: an integer is divided by 0");
    return static_cast<T>(a % b);
  }
}

/// The sign of the dividend, as C's fmod.
template <typename T>
T remainder(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::fmod(a, b);
  } else {
    if (b == 0) throw InputError("Mod: an integer is divided by 0");
    if constexpr (std::is_signed_v<T>)
      if (b == -1) return 0;
    return static_cast<T>(a % b);
  }
}

Shape broadcast_all(const Inference& question) {
  std::vector<const Shape*> shapes;
  for (std::size_t k = 0; k < question.inputs.size(); ++k) {
    if (!question.has(k)) fail(question.call, "input {} is missing", k);
    shapes.push_back(&question.shape(k));
  }
  return broadcast(question.call, shapes);
}

}  // namespace

Signature infer_broadcast(const Inference& question) {
  question.check_same_type(1);
  return {question.type(0), broadcast_all(question)};
}
Signature infer_comparison(const Inference& question) {
  question.check_same_type(1);
  return {ElementType::boolean, broadcast_all(question)};
}
Signature infer_where(const Inference& question) {
  question.check_same_type(2, 1);
  return {question.type(1), broadcast_all(question)};
}
/// The slope broadcasts to the value, never the other way.
Signature infer_prelu(const Inference& question) {
  question.check_same_type(1);
  if (broadcast_all(question) != question.shape(0))
    fail(question.call, "a slope of {} does not broadcast to {}", describe(question.shape(1)), describe(question.shape(0)));
  return question.same_as(0);
}
/// The exponent may be of another type.
Signature infer_pow(const Inference& question) {
  if (!contains(numbers, question.type(1))) refuse(question.call, "an exponent of {}", name_of(question.type(1)));
  return {question.type(0), broadcast_all(question)};
}
Signature infer_clip(const Inference& question) {
  question.check_same_type(1);
  for (std::size_t k = 1; k < 3; ++k)
    if (question.has(k) && question.shape(k).size() != 1) fail(question.call, "bound {} is {}; expected a scalar", k, describe(question.shape(k)));
  return question.same_as(0);
}

void add(const Evaluation& job) {
  combine_two<numbers>(job, [](auto a, auto b) { return wrapping(a, b, [](auto x, auto y) { return x + y; }); });
}
void subtract(const Evaluation& job) {
  combine_two<numbers>(job, [](auto a, auto b) { return wrapping(a, b, [](auto x, auto y) { return x - y; }); });
}
void multiply(const Evaluation& job) {
  combine_two<numbers>(job, [](auto a, auto b) { return wrapping(a, b, [](auto x, auto y) { return x * y; }); });
}
void divide(const Evaluation& job) {
  combine_two<numbers>(job, [](auto a, auto b) {
    if constexpr (std::is_floating_point_v<decltype(a)>)
      return a / b;
    else
      return divide_integers(a, b);
  });
}
void mod(const Evaluation& job) {
  if (flag_attribute(job.call, "fmod", false)) return combine_two<numbers>(job, [](auto a, auto b) { return remainder(a, b); });
  combine_two<numbers>(job, [](auto a, auto b) { return modulo(a, b); });
}
void prelu(const Evaluation& job) {
  combine_two<numbers>(job, [](auto x, auto slope) { return x < decltype(x){0} ? static_cast<decltype(x)>(x * slope) : x; });
}
void minimum(const Evaluation& job) {
  combine_all(job, [](auto a, auto b) { return b < a || b != b ? b : a; });  // not-a-number wins
}
void maximum(const Evaluation& job) {
  combine_all(job, [](auto a, auto b) { return b > a || b != b ? b : a; });
}
void sum(const Evaluation& job) {
  combine_all(job, [](auto a, auto b) { return wrapping(a, b, [](auto x, auto y) { return x + y; }); });
}
void mean(const Evaluation& job) {
  sum(job);
  with_type<floats>(job.signature.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = Computed<T>;
    for (std::size_t k = 0; k < job.out_size(); ++k) job.out<T>()[k] = static_cast<T>(static_cast<C>(job.out<T>()[k]) / static_cast<C>(job.inputs.size()));
  });
}
void logical_and(const Evaluation& job) {
  combine_two<booleans>(job, [](auto a, auto b) { return a != 0 && b != 0; });
}
void logical_or(const Evaluation& job) {
  combine_two<booleans>(job, [](auto a, auto b) { return a != 0 || b != 0; });
}
void logical_xor(const Evaluation& job) {
  combine_two<booleans>(job, [](auto a, auto b) { return (a != 0) != (b != 0); });
}
void bitwise_and(const Evaluation& job) {
  combine_two<integers>(job, [](auto a, auto b) { return a & b; });
}
void bitwise_or(const Evaluation& job) {
  combine_two<integers>(job, [](auto a, auto b) { return a | b; });
}
void bitwise_xor(const Evaluation& job) {
  combine_two<integers>(job, [](auto a, auto b) { return a ^ b; });
}
void equal(const Evaluation& job) {
  compare_two<all_types>(job, [](auto a, auto b) { return a == b; });
}
void less(const Evaluation& job) {
  compare_two<numbers>(job, [](auto a, auto b) { return a < b; });
}
void less_or_equal(const Evaluation& job) {
  compare_two<numbers>(job, [](auto a, auto b) { return a <= b; });
}
void greater(const Evaluation& job) {
  compare_two<numbers>(job, [](auto a, auto b) { return a > b; });
}
void greater_or_equal(const Evaluation& job) {
  compare_two<numbers>(job, [](auto a, auto b) { return a >= b; });
}

/// In double: an exponent may be of another type than the base.
void pow(const Evaluation& job) {
  const std::vector<double> exponents = job.doubles(1);
  with_type<numbers>(job.signature.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Shape& shape = job.signature.shape;
    Walk<3> walk{extents_of(shape), {broadcast_strides(job.shape(0), shape), broadcast_strides(job.shape(1), shape), strides_of(shape)}};
    walk.simplify();
    walk.for_each_run([&](const auto& place) {
      for (std::int64_t k = 0; k < walk.run_length(); ++k) {
        const auto base = static_cast<double>(static_cast<Computed<T>>(job.in<T>(0)[place[0] + k * walk.run_stride(0)]));
        const double exponent = exponents[static_cast<std::size_t>(place[1] + k * walk.run_stride(1))];
        job.out<T>()[place[2] + k] = saturated<T>(exponent == 2 ? base * base : std::pow(base, exponent));
      }
    });
  });
}

void where(const Evaluation& job) {
  const Shape& shape = job.signature.shape;
  Walk<4> walk{extents_of(shape),
               {broadcast_strides(job.shape(0), shape), broadcast_strides(job.shape(1), shape), broadcast_strides(job.shape(2), shape), strides_of(shape)}};
  walk.simplify();
  with_width(job.element_bytes(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    walk.for_each_run([&](const auto& place) {
      const std::uint8_t* const condition = job.in<std::uint8_t>(0) + place[0];
      const T* const yes = job.in<T>(1) + place[1];
      const T* const no = job.in<T>(2) + place[2];
      for (std::int64_t k = 0; k < walk.run_length(); ++k)
        job.out<T>()[place[3] + k] = condition[k * walk.run_stride(0)] != 0 ? yes[k * walk.run_stride(1)] : no[k * walk.run_stride(2)];
    });
  });
}

void clip(const Evaluation& job) {
  with_type<numbers>(job.signature.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = Computed<T>;
    using Limits = std::numeric_limits<C>;
    const C low = job.has(1) ? static_cast<C>(*job.in<T>(1)) : Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    const C high = job.has(2) ? static_cast<C>(*job.in<T>(2)) : Limits::has_infinity ? Limits::infinity() : Limits::max();
    const T* const in = job.in<T>(0);
    T* const out = job.out<T>();
    const std::size_t size = job.out_size();
    for (std::size_t k = 0; k < size; ++k) {
      const auto x = static_cast<C>(in[k]);
      const C raised = x < low ? low : x;
      out[k] = static_cast<T>(raised > high ? high : raised);
    }
  });
}

}  // namespace lacuna::operators
