// Operators that make values out of little: Range, EyeLike, OneHot.
#include <algorithm>
#include <cstring>
#include <limits>

#include "operators/families.hpp"

namespace lacuna::operators {
namespace {

/// Elements of start, start + step, ... before limit.
template <typename T>
std::int64_t range_length(const Call& call, T start, T limit, T step) {
  if (!(step != 0)) fail(call, "a step of {}", step);
  if constexpr (std::is_integral_v<T>) {
    if (step > 0 ? start >= limit : start <= limit) return 0;
    const std::uint64_t distance = step > 0 ? static_cast<std::uint64_t>(limit) - static_cast<std::uint64_t>(start) : static_cast<std::uint64_t>(start) - static_cast<std::uint64_t>(limit);
    const std::uint64_t stride = step > 0 ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
    return static_cast<std::int64_t>(std::min<std::uint64_t>((distance - 1) / stride + 1, std::numeric_limits<std::int64_t>::max()));
  } else {
    const double length = std::ceil((static_cast<double>(limit) - static_cast<double>(start)) / static_cast<double>(step));
    return std::isnan(length) ? -1 : static_cast<std::int64_t>(std::clamp(length, 0.0, 0x1p50));
  }
}

template <typename T>
T only_element(const Inference& question, std::size_t k, std::string_view what) {
  if (!question.has(k) || question.inputs[k].constant == nullptr)
    refuse(question.call, "its input {} ({}) is known only at run time, and the output's shape depends on it; make it a constant", k, what);
  if (question.shape(k).size() != 1) fail(question.call, "{} is {}; expected one element", what, describe(question.shape(k)));
  T element;
  std::memcpy(&element, question.inputs[k].constant->data(), sizeof(T));
  return element;
}

}  // namespace

Signature infer_range(const Inference& question) {
  question.check_same_type(1);
  return with_type<numbers>(question.type(0), [&](auto tag) -> Signature {
    using T = typename decltype(tag)::type;
    using C = Computed<T>;
    const auto start = static_cast<C>(only_element<T>(question, 0, "start"));
    const auto limit = static_cast<C>(only_element<T>(question, 1, "limit"));
    const auto step = static_cast<C>(only_element<T>(question, 2, "delta"));
    return {question.type(0), make_shape(question.call, Integers{range_length(question.call, start, limit, step)})};
  });
}
void range(const Evaluation& job) {
  with_type<numbers>(job.signature.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using Wide = std::conditional_t<is_float<T>, Computed<T>, std::uint64_t>;
    const auto start = static_cast<Wide>(static_cast<Computed<T>>(*job.in<T>(0)));
    const auto step = static_cast<Wide>(static_cast<Computed<T>>(*job.in<T>(2)));
    for (std::size_t k = 0; k < job.out_size(); ++k) job.out<T>()[k] = static_cast<T>(start + static_cast<Wide>(k) * step);
  });
}

Signature infer_eye_like(const Inference& question) {
  question.check_rank(0, 2, "input");
  const bool given = find_attribute(question.call, "dtype") != nullptr;
  return {given ? type_of_number(question.call, integer_attribute(question.call, "dtype", 1)) : question.type(0), question.shape(0)};
}
void eye_like(const Evaluation& job) {
  const std::int64_t rows = job.signature.shape.extents[0];
  const std::int64_t columns = job.signature.shape.extents[1];
  const std::int64_t diagonal = std::clamp<std::int64_t>(integer_attribute(job.call, "k", 0), -rows, columns);
  with_type<all_types>(job.signature.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::fill_n(job.out<T>(), job.out_size(), saturated<T>(0));
    for (std::int64_t row = 0; row < rows; ++row)
      if (row + diagonal >= 0 && row + diagonal < columns) job.out<T>()[row * columns + row + diagonal] = saturated<T>(1);
  });
}

/// Input 1 is the number of classes, input 2 what to write: {off, on}.
Signature infer_one_hot(const Inference& question) {
  if (question.inputs[1].constant == nullptr) refuse(question.call, "its input 1 (depth) is known only at run time, and the output's shape depends on it; make it a constant");
  const std::vector<double> depth = question.shape(1).size() == 1 ? to_doubles(question.type(1), question.inputs[1].constant->span()) : std::vector<double>();
  if (depth.empty() || !(depth[0] >= 1 && depth[0] <= std::numeric_limits<std::uint32_t>::max())) fail(question.call, "a depth that is not one number of 1 or more");
  if (question.shape(2) != Shape{{2}}) fail(question.call, "values of {}; expected two: off and on", describe(question.shape(2)));
  const std::int64_t axis = integer_attribute(question.call, "axis", -1);
  Integers extents = extents_of(question.shape(0));
  extents.insert(extents.begin() + static_cast<std::ptrdiff_t>(axis_of(question.call, axis, extents.size() + 1)), static_cast<std::int64_t>(depth[0]));
  return {question.type(2), make_shape(question.call, extents)};
}
void one_hot(const Evaluation& job) {
  const std::vector<double> indices = job.doubles(0);
  const std::size_t rank = job.signature.shape.extents.size();
  const std::size_t axis = axis_of(job.call, integer_attribute(job.call, "axis", -1), rank);
  const std::size_t depth = job.signature.shape.extents[axis];
  const std::size_t inner = count(job.signature.shape, axis + 1, rank);
  with_width(job.element_bytes(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::fill_n(job.out<T>(), job.out_size(), job.in<T>(2)[0]);
    for (std::size_t k = 0; k < indices.size(); ++k) {
      const double index = indices[k] < 0 ? indices[k] + static_cast<double>(depth) : indices[k];
      if (index >= 0 && index < static_cast<double>(depth))  // others are off everywhere
        job.out<T>()[(k / inner * depth + static_cast<std::size_t>(index)) * inner + k % inner] = job.in<T>(2)[1];
    }
  });
}

}  // namespace lacuna::operators
