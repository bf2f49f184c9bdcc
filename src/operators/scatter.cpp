// ScatterND and ScatterElements: a copy of the data with some elements replaced or combined. Indices are checked when they are read.
#include <algorithm>
#include <cstring>

#include "operators/families.hpp"

namespace lacuna::operators {
namespace {

std::string_view reduction_of(const Call& call) { return text_attribute(call, "reduction", "none"); }

void check_scatter(const Inference& question) {
  const std::string_view reduction = reduction_of(question.call);
  if (reduction != "none" && reduction != "add" && reduction != "mul" && reduction != "max" && reduction != "min") fail(question.call, "reduction is \"{}\"", reduction);
  if (reduction != "none" && question.type(0) == ElementType::boolean) refuse(question.call, "reduction \"{}\" of bool", reduction);
  if (question.type(2) != question.type(0)) fail(question.call, "updates of {} for data of {}", name_of(question.type(2)), name_of(question.type(0)));
  if (question.type(1) != ElementType::i64 && question.type(1) != ElementType::i32) fail(question.call, "indices of {}", name_of(question.type(1)));
}

/// target[k] = target[k] combined with update[k], `size` elements.
void combine(const Evaluation& job, std::size_t target, std::size_t update, std::size_t size) {
  const std::string_view reduction = reduction_of(job.call);
  const std::size_t bytes = job.element_bytes();
  if (reduction == "none") {
    std::memcpy(job.output + target * bytes, job.inputs[2].data + update * bytes, size * bytes);
    return;
  }
  with_type<numbers>(job.signature.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = Computed<T>;
    using Wide = std::conditional_t<is_float<T>, C, std::uint64_t>;  // integers wrap around
    for (std::size_t k = 0; k < size; ++k) {
      T& to = job.out<T>()[target + k];
      const auto a = static_cast<C>(to);
      const auto b = static_cast<C>(job.in<T>(2)[update + k]);
      if (reduction == "add") to = static_cast<T>(static_cast<Wide>(a) + static_cast<Wide>(b));
      if (reduction == "mul") to = static_cast<T>(static_cast<Wide>(a) * static_cast<Wide>(b));
      if (reduction == "max") to = static_cast<T>(std::max(a, b));
      if (reduction == "min") to = static_cast<T>(std::min(a, b));
    }
  });
}

std::size_t checked_index(const Call& call, std::int64_t index, std::int64_t extent) {
  if (index < -extent || index >= extent) fail(call, "index {} is outside an axis of {} elements", index, extent);
  return static_cast<std::size_t>(index < 0 ? index + extent : index);
}

}  // namespace

Signature infer_scatter_nd(const Inference& question) {
  check_scatter(question);
  const Shape& data = question.shape(0);
  const Shape& indices = question.shape(1);
  if (indices.extents.empty() || indices.extents.back() > data.extents.size())
    fail(question.call, "indices of {} for data of {}", describe(indices), describe(data));
  Shape wanted;
  wanted.extents.assign(indices.extents.begin(), indices.extents.end() - 1);
  wanted.extents.insert(wanted.extents.end(), data.extents.begin() + indices.extents.back(), data.extents.end());
  if (question.shape(2) != wanted) fail(question.call, "updates of {}; expected {}", describe(question.shape(2)), describe(wanted));
  return question.same_as(0);
}
void scatter_nd(const Evaluation& job) {
  copy_elements(job);
  const Shape& data = job.shape(0);
  const std::size_t depth = job.shape(1).extents.back();
  const std::size_t tuples = count(job.shape(1), 0, job.shape(1).extents.size() - 1);
  const std::size_t inner = count(data, depth, data.extents.size());
  const Integers indices = job.integers(1);
  for (std::size_t k = 0; k < tuples; ++k) {
    std::size_t at = 0;
    for (std::size_t d = 0; d < depth; ++d) at = at * data.extents[d] + checked_index(job.call, indices[k * depth + d], data.extents[d]);
    if (inner != 0) combine(job, at * inner, k * inner, inner);
  }
}

Signature infer_scatter_elements(const Inference& question) {
  check_scatter(question);
  axis_of(question.call, integer_attribute(question.call, "axis", 0), question.rank(0));
  if (question.shape(1) != question.shape(2)) fail(question.call, "indices of {} and updates of {}", describe(question.shape(1)), describe(question.shape(2)));
  bool fits = question.rank(1) == question.rank(0);
  for (std::size_t k = 0; fits && k < question.rank(0); ++k) fits = question.shape(1).extents[k] <= question.shape(0).extents[k];
  if (!fits && question.shape(1).size() != 0) fail(question.call, "indices of {} for data of {}", describe(question.shape(1)), describe(question.shape(0)));
  return question.same_as(0);
}
void scatter_elements(const Evaluation& job) {
  copy_elements(job);
  const Shape& data = job.shape(0);
  const std::size_t axis = axis_of(job.call, integer_attribute(job.call, "axis", 0), data.extents.size());
  const Integers strides = strides_of(data);
  const Integers indices = job.integers(1);
  std::vector<std::uint32_t> position(job.shape(1).extents.size(), 0);
  for (std::size_t k = 0; k < indices.size(); ++k) {
    std::size_t at = 0;
    for (std::size_t a = 0; a < position.size(); ++a)
      at += static_cast<std::size_t>(strides[a]) * (a == axis ? checked_index(job.call, indices[k], data.extents[axis]) : position[a]);
    combine(job, at, k, 1);
    advance_position(position, job.shape(1));
  }
}

}  // namespace lacuna::operators
