// Operators that keep the elements in their order and change the shape, and those that tell a shape or fill one.
#include <algorithm>
#include <cstring>

#include "operators/families.hpp"

namespace lacuna::operators {
namespace {

/// Axes from input 1, or none given.
Integers optional_axes(const Inference& question, std::size_t input) { return question.has(input) ? question.integers(input, "axes") : Integers(); }

}  // namespace

void copy_elements(const Evaluation& job) {
  const std::span<const std::byte> bytes = job.bytes(0);
  if (!bytes.empty()) std::memcpy(job.output, bytes.data(), bytes.size());
}

Signature infer_reshape(const Inference& question) {
  const Shape& from = question.shape(0);
  Integers target = question.integers(1, "shape");
  const bool zero_is_zero = flag_attribute(question.call, "allowzero", false);
  std::ptrdiff_t open = -1;
  for (std::size_t k = 0; k < target.size(); ++k) {
    if (target[k] == 0 && !zero_is_zero) {
      if (k >= from.extents.size()) fail(question.call, "extent {} of the target is 0 (keep), but the input is {}", k, describe(from));
      target[k] = from.extents[k];
    } else if (target[k] == -1) {
      if (open >= 0) fail(question.call, "the target has two extents of -1; at most one can be found");
      open = static_cast<std::ptrdiff_t>(k);
    }
  }
  if (open >= 0) {
    target[static_cast<std::size_t>(open)] = 1;
    const std::uint64_t others = make_shape(question.call, target).size();
    if (others == 0 || from.size() % others != 0)
      fail(question.call, "{} elements of {} are not a multiple of the {} elements of the other extents", from.size(), describe(from), others);
    target[static_cast<std::size_t>(open)] = static_cast<std::int64_t>(from.size() / others);
  }
  const Shape shape = make_shape(question.call, target);
  if (shape.size() != from.size()) fail(question.call, "{} has {} elements and {} has {}", describe(from), from.size(), describe(shape), shape.size());
  return {question.type(0), shape};
}

Signature infer_flatten(const Inference& question) {
  const std::size_t rank = question.rank(0);
  const std::int64_t axis = integer_attribute(question.call, "axis", 1);
  const std::size_t split = axis == static_cast<std::int64_t>(rank) ? rank : axis_of(question.call, axis, rank);
  const Integers extents{static_cast<std::int64_t>(count(question.shape(0), 0, split)), static_cast<std::int64_t>(count(question.shape(0), split, rank))};
  return {question.type(0), make_shape(question.call, extents)};
}

Signature infer_squeeze(const Inference& question) {
  const Shape& from = question.shape(0);
  const std::vector<std::size_t> axes = axes_of(question.call, optional_axes(question, 1), from.extents.size());
  Signature signature{question.type(0), {}};
  for (std::size_t k = 0; k < from.extents.size(); ++k) {
    const bool listed = std::binary_search(axes.begin(), axes.end(), k);
    if (listed && from.extents[k] != 1) fail(question.call, "axis {} of {} has {} elements; only axes of 1 can be removed", k, describe(from), from.extents[k]);
    if (!listed && (question.has(1) || from.extents[k] != 1)) signature.shape.extents.push_back(from.extents[k]);
  }
  return signature;
}

Signature infer_unsqueeze(const Inference& question) {
  const Integers given = question.integers(1, "axes");
  const std::vector<std::size_t> axes = axes_of(question.call, given, question.rank(0) + given.size());
  Signature signature = question.same_as(0);
  for (const std::size_t axis : axes) signature.shape.extents.insert(signature.shape.extents.begin() + static_cast<std::ptrdiff_t>(axis), 1);
  return signature;
}

Signature infer_shape_of(const Inference& question) {
  const auto [first, last] = shape_range(question.call, question.rank(0));
  return {ElementType::i64, make_shape(question.call, Integers{static_cast<std::int64_t>(last - first)})};
}

std::pair<std::size_t, std::size_t> shape_range(const Call& call, std::size_t rank) {
  const auto end = static_cast<std::int64_t>(rank);
  const auto bound = [&](std::int64_t axis) { return std::clamp<std::int64_t>(axis < 0 ? axis + end : axis, 0, end); };
  const std::int64_t first = bound(integer_attribute(call, "start", 0));
  const std::int64_t last = bound(integer_attribute(call, "end", end));
  return {static_cast<std::size_t>(first), static_cast<std::size_t>(std::max(first, last))};
}

void shape_of(const Evaluation& job) {
  const auto [first, last] = shape_range(job.call, job.shape(0).extents.size());
  for (std::size_t k = first; k < last; ++k) job.out<std::int64_t>()[k - first] = job.shape(0).extents[k];
}

Signature infer_size_of(const Inference&) { return {ElementType::i64, {}}; }
void size_of_tensor(const Evaluation& job) { *job.out<std::int64_t>() = static_cast<std::int64_t>(job.shape(0).size()); }

/// Output 1 of Dropout is the mask: everything is kept.
Signature infer_dropout(const Inference& question) {
  if (question.call.which_output == 1) return {ElementType::boolean, question.shape(0)};
  return question.same_as(0);
}
void dropout(const Evaluation& job) {
  if (job.call.which_output == 1)
    std::memset(job.output, 1, job.out_size());
  else
    copy_elements(job);
}

/// ONNX's attribute value is input 1 here, a single element; without it a float 0.
Signature infer_constant_of_shape(const Inference& question) {
  if (question.has(1) && question.shape(1).size() != 1) fail(question.call, "a value of {}; expected one element", describe(question.shape(1)));
  return {question.has(1) ? question.type(1) : ElementType::f32, make_shape(question.call, question.integers(0, "shape"))};
}
void constant_of_shape(const Evaluation& job) {
  with_width(job.element_bytes(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::fill_n(job.out<T>(), job.out_size(), job.has(1) ? *job.in<T>(1) : T{0});
  });
}

}  // namespace lacuna::operators
