// Operators that pick elements by indices, whatever the elements' type. Indices are checked when they are read.
#include <cstring>

#include "operators/families.hpp"

namespace lacuna::operators {
namespace {

void check_index_type(const Inference& question, std::size_t k) {
  if (question.type(k) != ElementType::i64 && question.type(k) != ElementType::i32)
    fail(question.call, "indices of {}; expected i64 or i32", name_of(question.type(k)));
}

/// 0..extent-1 for -extent..extent-1.
std::size_t checked_index(const Call& call, std::int64_t index, std::int64_t extent) {
  if (index < -extent || index >= extent) fail(call, "index {} is outside an axis of {} elements", index, extent);
  return static_cast<std::size_t>(index < 0 ? index + extent : index);
}

std::size_t gather_axis(const Call& call, const Shape& shape) { return axis_of(call, integer_attribute(call, "axis", 0), shape.extents.size()); }

}  // namespace

Signature infer_gather(const Inference& question) {
  check_index_type(question, 1);
  const Shape& data = question.shape(0);
  const std::size_t axis = gather_axis(question.call, data);
  Integers extents(data.extents.begin(), data.extents.begin() + static_cast<std::ptrdiff_t>(axis));
  extents.insert(extents.end(), question.shape(1).extents.begin(), question.shape(1).extents.end());
  extents.insert(extents.end(), data.extents.begin() + static_cast<std::ptrdiff_t>(axis) + 1, data.extents.end());
  return {question.type(0), make_shape(question.call, extents)};
}
void gather(const Evaluation& job) {
  const Shape& data = job.shape(0);
  const std::size_t axis = gather_axis(job.call, data);
  const std::size_t outer = count(data, 0, axis);
  const std::size_t inner = count(data, axis + 1, data.extents.size()) * job.element_bytes();
  const Integers indices = job.integers(1);
  std::byte* out = job.output;
  for (std::size_t i = 0; i < outer; ++i)
    for (const std::int64_t index : indices) {
      const std::size_t at = checked_index(job.call, index, data.extents[axis]);
      if (inner != 0) std::memcpy(out, job.inputs[0].data + (i * data.extents[axis] + at) * inner, inner);
      out += inner;
    }
}

Signature infer_gather_elements(const Inference& question) {
  check_index_type(question, 1);
  const std::size_t axis = gather_axis(question.call, question.shape(0));
  question.check_rank(1, question.rank(0), "indices");
  for (std::size_t k = 0; k < question.rank(0); ++k)
    if (k != axis && question.shape(1).extents[k] > question.shape(0).extents[k])
      fail(question.call, "indices of {} for data of {}", describe(question.shape(1)), describe(question.shape(0)));
  return {question.type(0), question.shape(1)};
}
void gather_elements(const Evaluation& job) {
  const Shape& data = job.shape(0);
  const Shape& shape = job.signature.shape;
  const std::size_t axis = gather_axis(job.call, data);
  const Integers strides = strides_of(data);
  const Integers indices = job.integers(1);
  const std::size_t bytes = job.element_bytes();
  std::vector<std::uint32_t> position(shape.extents.size(), 0);
  for (std::size_t k = 0; k < indices.size(); ++k) {
    std::size_t at = 0;
    for (std::size_t a = 0; a < position.size(); ++a)
      at += static_cast<std::size_t>(strides[a]) * (a == axis ? checked_index(job.call, indices[k], data.extents[axis]) : position[a]);
    std::memcpy(job.output + k * bytes, job.inputs[0].data + at * bytes, bytes);
    advance_position(position, shape);
  }
}

Signature infer_gather_nd(const Inference& question) {
  check_index_type(question, 1);
  const Shape& data = question.shape(0);
  const Shape& indices = question.shape(1);
  const std::int64_t batch = integer_attribute(question.call, "batch_dims", 0);
  if (batch < 0 || batch >= static_cast<std::int64_t>(std::min(data.extents.size(), indices.extents.size())))
    fail(question.call, "batch_dims {} for data of {} and indices of {}", batch, describe(data), describe(indices));
  const auto shared = static_cast<std::size_t>(batch);
  for (std::size_t k = 0; k < shared; ++k)
    if (data.extents[k] != indices.extents[k]) fail(question.call, "data of {} and indices of {} differ in batch axis {}", describe(data), describe(indices), k);
  const std::size_t depth = indices.extents.back();
  if (depth == 0 || shared + depth > data.extents.size()) fail(question.call, "indices of {} numbers for data of {}", depth, describe(data));
  Integers extents(indices.extents.begin(), indices.extents.end() - 1);
  extents.insert(extents.end(), data.extents.begin() + static_cast<std::ptrdiff_t>(shared + depth), data.extents.end());
  return {question.type(0), make_shape(question.call, extents)};
}
void gather_nd(const Evaluation& job) {
  const Shape& data = job.shape(0);
  const auto shared = static_cast<std::size_t>(integer_attribute(job.call, "batch_dims", 0));
  const std::size_t depth = job.shape(1).extents.back();
  const std::size_t batches = count(data, 0, shared);
  const std::size_t tuples = count(job.shape(1), shared, job.shape(1).extents.size() - 1);
  const std::size_t inner = count(data, shared + depth, data.extents.size()) * job.element_bytes();
  const std::size_t batch_bytes = count(data, shared, data.extents.size()) * job.element_bytes();
  const Integers indices = job.integers(1);
  for (std::size_t k = 0; k < batches * tuples; ++k) {
    std::size_t at = 0;
    for (std::size_t d = 0; d < depth; ++d) {
      const std::uint32_t extent = data.extents[shared + d];
      at = at * extent + checked_index(job.call, indices[k * depth + d], extent);
    }
    if (inner != 0) std::memcpy(job.output + k * inner, job.inputs[0].data + k / tuples * batch_bytes + at * inner, inner);
  }
}

void advance_position(std::vector<std::uint32_t>& position, const Shape& shape) {
  for (std::size_t k = position.size(); k-- > 0;) {
    if (++position[k] < shape.extents[k]) return;
    position[k] = 0;
  }
}

}  // namespace lacuna::operators
