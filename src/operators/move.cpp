// Operators that move elements, whatever their type: by bytes.
#include <algorithm>
#include <cstring>
#include <limits>

#include "operators/families.hpp"
#include "operators/walk.hpp"

namespace lacuna::operators {
namespace {

/// Where a slice starts, how it steps and how long it is, along every axis of the input.
struct Slices {
  Integers starts;
  Integers steps;
  Integers extents;
};

Slices slices_of(const Call& call, const Shape& shape, const Integers& starts, const Integers& ends, const Integers* axes, const Integers* steps) {
  const std::size_t rank = shape.extents.size();
  const std::size_t given = starts.size();
  if (ends.size() != given || (axes != nullptr && axes->size() != given) || (steps != nullptr && steps->size() != given))
    fail(call, "{} starts, {} ends, {} axes and {} steps; expected as many of each", given, ends.size(), axes == nullptr ? given : axes->size(),
         steps == nullptr ? given : steps->size());
  if (given > rank) fail(call, "{} starts for {}", given, describe(shape));
  Slices slices{Integers(rank, 0), Integers(rank, 1), extents_of(shape)};
  if (axes != nullptr) axes_of(call, *axes, rank);  // each at most once
  for (std::size_t k = 0; k < given; ++k) {
    const std::size_t axis = axes == nullptr ? k : axis_of(call, (*axes)[k], rank);
    const std::int64_t extent = shape.extents[axis];
    const std::int64_t step = steps == nullptr ? 1 : (*steps)[k];
    if (step == 0) fail(call, "a step of 0 along axis {}", axis);
    const std::int64_t last = step < 0 ? extent - 1 : extent;
    const auto bound = [&](std::int64_t at, std::int64_t low) { return std::clamp(at < 0 ? at + extent : at, low, std::max(low, last)); };
    const std::int64_t start = bound(starts[k], 0);
    const std::int64_t end = extent == 0 ? start : bound(ends[k], step < 0 ? -1 : 0);
    const std::int64_t distance = step < 0 ? start - end : end - start;
    const std::uint64_t stride = step < 0 ? 0 - static_cast<std::uint64_t>(step) : static_cast<std::uint64_t>(step);
    const std::int64_t steps_taken = distance <= 0 ? 0 : static_cast<std::int64_t>((static_cast<std::uint64_t>(distance) - 1) / stride + 1);
    slices.starts[axis] = steps_taken == 0 ? 0 : start;
    slices.steps[axis] = steps_taken <= 1 ? 1 : step;  // a single element needs no step; one that is read is within the extent
    slices.extents[axis] = steps_taken;
  }
  return slices;
}

void copy_slices(const Evaluation& job, const Slices& slices) {
  const Integers strides = strides_of(job.shape(0));
  Integers steps(strides.size());
  std::int64_t start = 0;
  for (std::size_t k = 0; k < strides.size(); ++k) {
    start += slices.starts[k] * strides[k];
    steps[k] = slices.steps[k] * strides[k];
  }
  if (job.out_size() != 0) copy_strided(job.inputs[0].data, start, slices.extents, steps, job.element_bytes(), job.output);
}

/// The extents of the parts of a Split.
Integers split_parts(const Call& call, std::int64_t extent, const Integers* given) {
  if (given != nullptr) {
    std::int64_t rest = extent;
    for (const std::int64_t part : *given) {
      if (part < 0 || part > rest) fail(call, "parts of [{}] for an axis of {}", fmt::join(*given, " "), extent);
      rest -= part;
    }
    if (rest != 0) fail(call, "parts of [{}] for an axis of {}", fmt::join(*given, " "), extent);
    return *given;
  }
  const std::int64_t parts = integer_attribute(call, "num_outputs", 0);
  if (parts < 1 || parts > std::numeric_limits<std::int32_t>::max()) fail(call, "neither a list of parts nor the attribute num_outputs (it is {})", parts);
  const std::int64_t each = (extent + parts - 1) / parts;
  Integers extents;
  for (std::int64_t left = extent, k = 0; k < parts; ++k) {
    extents.push_back(std::min(each, left));
    left -= extents.back();
  }
  return extents;
}

Slices split_slices(const Call& call, const Shape& shape, const Integers* given) {
  const std::size_t axis = axis_of(call, integer_attribute(call, "axis", 0), shape.extents.size());
  const Integers parts = split_parts(call, shape.extents[axis], given);
  if (call.which_output >= parts.size()) fail(call, "output {} of {} parts", call.which_output, parts.size());
  Slices slices{Integers(shape.extents.size(), 0), Integers(shape.extents.size(), 1), extents_of(shape)};
  for (std::uint32_t k = 0; k < call.which_output; ++k) slices.starts[axis] += parts[k];
  slices.extents[axis] = parts[call.which_output];
  return slices;
}

std::vector<std::size_t> permutation_of(const Call& call, std::size_t rank) {
  const Integers given = integers_attribute(call, "perm");
  std::vector<std::size_t> permutation(rank);
  for (std::size_t k = 0; k < rank; ++k) permutation[k] = rank - 1 - k;
  if (find_attribute(call, "perm") == nullptr) return permutation;
  if (given.size() != rank || axes_of(call, given, rank).size() != rank) fail(call, "perm [{}] for a value of {} axes", fmt::join(given, " "), rank);
  for (std::size_t k = 0; k < rank; ++k) permutation[k] = axis_of(call, given[k], rank);
  return permutation;
}

}  // namespace

Signature infer_transpose(const Inference& question) {
  Signature signature{question.type(0), {}};
  for (const std::size_t axis : permutation_of(question.call, question.rank(0))) signature.shape.extents.push_back(question.shape(0).extents[axis]);
  return signature;
}
void transpose(const Evaluation& job) {
  const Integers strides = strides_of(job.shape(0));
  Integers permuted;
  for (const std::size_t axis : permutation_of(job.call, strides.size())) permuted.push_back(strides[axis]);
  copy_strided(job.inputs[0].data, 0, extents_of(job.signature.shape), permuted, job.element_bytes(), job.output);
}

Signature infer_slice(const Inference& question) {
  const Integers starts = question.integers(1, "starts");
  const Integers ends = question.integers(2, "ends");
  const Integers axes = question.has(3) ? question.integers(3, "axes") : Integers();
  const Integers steps = question.has(4) ? question.integers(4, "steps") : Integers();
  const Slices slices = slices_of(question.call, question.shape(0), starts, ends, question.has(3) ? &axes : nullptr, question.has(4) ? &steps : nullptr);
  return {question.type(0), make_shape(question.call, slices.extents)};
}
void slice(const Evaluation& job) {
  const Integers axes = job.has(3) ? job.integers(3) : Integers();
  const Integers steps = job.has(4) ? job.integers(4) : Integers();
  copy_slices(job, slices_of(job.call, job.shape(0), job.integers(1), job.integers(2), job.has(3) ? &axes : nullptr, job.has(4) ? &steps : nullptr));
}

Signature infer_split(const Inference& question) {
  const Integers parts = question.has(1) ? question.integers(1, "split") : Integers();
  return {question.type(0), make_shape(question.call, split_slices(question.call, question.shape(0), question.has(1) ? &parts : nullptr).extents)};
}
void split(const Evaluation& job) {
  const Integers parts = job.has(1) ? job.integers(1) : Integers();
  copy_slices(job, split_slices(job.call, job.shape(0), job.has(1) ? &parts : nullptr));
}

Signature infer_concat(const Inference& question) {
  question.check_same_type(1);
  if (find_attribute(question.call, "axis") == nullptr) fail(question.call, "the attribute axis is missing");
  const std::size_t axis = axis_of(question.call, integer_attribute(question.call, "axis", 0), question.rank(0));
  Integers extents = extents_of(question.shape(0));
  for (std::size_t k = 1; k < question.inputs.size(); ++k) {
    if (!question.has(k)) fail(question.call, "input {} is missing", k);
    const Shape& other = question.shape(k);
    bool fits = other.extents.size() == extents.size();
    for (std::size_t a = 0; fits && a < extents.size(); ++a) fits = a == axis || other.extents[a] == extents[a];
    if (!fits) fail(question.call, "input {} is {} and input 0 is {}; only axis {} may differ", k, describe(other), describe(question.shape(0)), axis);
    extents[axis] += other.extents[axis];
  }
  return {question.type(0), make_shape(question.call, extents)};
}
void concat(const Evaluation& job) {
  const Shape& shape = job.signature.shape;
  const std::size_t axis = axis_of(job.call, integer_attribute(job.call, "axis", 0), shape.extents.size());
  const std::size_t outer = count(shape, 0, axis);
  const std::size_t row = count(shape, axis, shape.extents.size()) * job.element_bytes();
  std::byte* at = job.output;
  for (std::size_t k = 0; k < job.inputs.size(); ++k) {
    const std::size_t part = count(job.shape(k), axis, shape.extents.size()) * job.element_bytes();
    if (part == 0) continue;
    for (std::size_t i = 0; i < outer; ++i) std::memcpy(at + i * row, job.inputs[k].data + i * part, part);
    at += part;
  }
}

Signature infer_expand(const Inference& question) {
  const Shape target = make_shape(question.call, question.integers(1, "shape"));
  const Shape* const both[] = {&question.shape(0), &target};
  return {question.type(0), broadcast(question.call, both)};
}
void expand(const Evaluation& job) {
  const Shape& shape = job.signature.shape;
  copy_strided(job.inputs[0].data, 0, extents_of(shape), broadcast_strides(job.shape(0), shape), job.element_bytes(), job.output);
}

Signature infer_tile(const Inference& question) {
  const Integers repeats = question.integers(1, "repeats");
  Integers extents = extents_of(question.shape(0));
  if (repeats.size() != extents.size()) fail(question.call, "{} repeats for {}", repeats.size(), describe(question.shape(0)));
  for (std::size_t k = 0; k < extents.size(); ++k) {
    if (repeats[k] < 0 || repeats[k] > std::numeric_limits<std::uint32_t>::max()) fail(question.call, "{} repeats along axis {}", repeats[k], k);
    if (extents[k] != 0 && repeats[k] > std::numeric_limits<std::uint32_t>::max() / extents[k]) fail(question.call, "{} repeats of {}", repeats[k], extents[k]);
    extents[k] *= repeats[k];
  }
  return {question.type(0), make_shape(question.call, extents)};
}
/// Each axis as two: the repeats, of stride 0, and the elements.
void tile(const Evaluation& job) {
  if (job.out_size() == 0) return;
  const Integers own = strides_of(job.shape(0));
  Integers extents;
  Integers strides;
  for (std::size_t k = 0; k < own.size(); ++k) {
    extents.insert(extents.end(), {job.signature.shape.extents[k] / job.shape(0).extents[k], job.shape(0).extents[k]});
    strides.insert(strides.end(), {0, own[k]});
  }
  copy_strided(job.inputs[0].data, 0, extents, strides, job.element_bytes(), job.output);
}

}  // namespace lacuna::operators
