// Operators that move elements by a rule of their own: pads, blocks between depth and space, triangles.
#include <algorithm>
#include <cstring>
#include <limits>

#include "operators/families.hpp"
#include "operators/walk.hpp"

namespace lacuna::operators {
namespace {

struct Pads {
  Integers begin;
  Integers end;
};

/// Pads of every axis; axes that are not named have none. Negative pads cut.
Pads pads_of(const Call& call, std::size_t rank, const Integers& given, const Integers* axes) {
  const std::size_t named = axes == nullptr ? rank : axes->size();
  if (given.size() != 2 * named) fail(call, "{} pads for {} axes; expected two for each", given.size(), named);
  if (axes != nullptr) axes_of(call, *axes, rank);  // each at most once
  Pads pads{Integers(rank, 0), Integers(rank, 0)};
  constexpr std::int64_t largest = std::numeric_limits<std::uint32_t>::max();
  for (std::size_t k = 0; k < named; ++k) {
    const std::size_t axis = axes == nullptr ? k : axis_of(call, (*axes)[k], rank);
    pads.begin[axis] = given[k];
    pads.end[axis] = given[k + named];
    const auto is_too_large = [](std::int64_t pad) { return pad < -largest || pad > largest; };
    if (is_too_large(given[k]) || is_too_large(given[k + named]))
      fail(call, "pads of {} and {} along axis {}", given[k], given[k + named], axis);
  }
  return pads;
}

/// The place in an axis of `extent` that stands for `at`, which may lie outside; -1: none, the constant.
std::int64_t padded_source(std::int64_t at, std::int64_t extent, std::string_view mode) {
  if (at >= 0 && at < extent) return at;
  if (mode == "constant") return -1;
  if (mode == "edge") return at < 0 ? 0 : extent - 1;
  if (mode == "wrap") return (at % extent + extent) % extent;
  const std::int64_t period = 2 * (extent - 1);  // reflect, without repeating the border
  if (period == 0) return 0;
  const std::int64_t folded = (at % period + period) % period;
  return folded < extent ? folded : period - folded;
}

/// From each place along an axis of the output to that of the input.
std::vector<Integers> sources_of(const Evaluation& job, const Pads& pads, std::string_view mode) {
  std::vector<Integers> sources;
  for (std::size_t k = 0; k < pads.begin.size(); ++k) {
    sources.emplace_back();
    for (std::int64_t at = 0; at < job.signature.shape.extents[k]; ++at)
      sources[k].push_back(padded_source(at - pads.begin[k], job.shape(0).extents[k], mode));
  }
  return sources;
}


std::int64_t block_size(const Call& call) {
  if (const std::string_view mode = text_attribute(call, "mode", "DCR"); mode != "DCR" && mode != "CRD") fail(call, "mode is \"{}\"", mode);
  const std::int64_t size = integer_attribute(call, "blocksize", 0);
  if (size < 1 || size > (1 << 15)) fail(call, "blocksize is {}", size);
  return size;
}

}  // namespace

Signature infer_pad(const Inference& question) {
  const std::string_view mode = text_attribute(question.call, "mode", "constant");
  if (mode != "constant" && mode != "edge" && mode != "wrap" && mode != "reflect") fail(question.call, "mode is \"{}\"", mode);
  if (question.has(2) && (question.type(2) != question.type(0) || question.shape(2).size() != 1))
    fail(question.call, "a value of {} {} to fill {} with", name_of(question.type(2)), describe(question.shape(2)), name_of(question.type(0)));
  const Integers axes = question.has(3) ? question.integers(3, "axes") : Integers();
  const Pads pads = pads_of(question.call, question.rank(0), question.integers(1, "pads"), question.has(3) ? &axes : nullptr);
  Integers extents = extents_of(question.shape(0));
  for (std::size_t k = 0; k < extents.size(); ++k) {
    const std::int64_t extent = extents[k];
    extents[k] += pads.begin[k] + pads.end[k];
    if (extents[k] < 0) fail(question.call, "pads of {} and {} leave nothing of {} elements along axis {}", pads.begin[k], pads.end[k], extent, k);
    if (mode != "constant" && extent == 0 && extents[k] > 0) fail(question.call, "axis {} has no element to fill its pads with", k);
  }
  return {question.type(0), make_shape(question.call, extents)};
}
void pad(const Evaluation& job) {
  const Integers axes = job.has(3) ? job.integers(3) : Integers();
  const Pads pads = pads_of(job.call, job.shape(0).extents.size(), job.integers(1), job.has(3) ? &axes : nullptr);
  const std::string_view mode = text_attribute(job.call, "mode", "constant");
  const std::vector<Integers> sources = sources_of(job, pads, mode);
  const Integers strides = strides_of(job.shape(0));
  const std::size_t rank = strides.size();
  with_width(job.element_bytes(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T filler = job.has(2) ? *job.in<T>(2) : T{0};
    T* out = job.out<T>();
    if (rank == 0) {
      *out = *job.in<T>(0);
      return;
    }
    const std::size_t length = job.signature.shape.extents.back();
    if (job.out_size() == 0) return;
    Shape rows = job.signature.shape;
    rows.extents.pop_back();
    std::vector<std::uint32_t> position(rank - 1, 0);
    for (std::size_t row = 0; row < rows.size(); ++row, out += length, advance_position(position, rows)) {
      const T* from = job.in<T>(0);
      bool inside = true;
      for (std::size_t k = 0; k + 1 < rank; ++k) {
        const std::int64_t at = sources[k][position[k]];
        inside = inside && at >= 0;
        from += at < 0 ? 0 : at * strides[k];
      }
      if (!inside)
        std::fill_n(out, length, filler);
      else
        for (std::size_t x = 0; x < length; ++x) out[x] = sources.back()[x] < 0 ? filler : from[sources.back()[x]];
    }
  });
}

Signature infer_depth_to_space(const Inference& question) {
  question.check_rank(0, 4, "input");
  const std::int64_t size = block_size(question.call);
  Integers extents = extents_of(question.shape(0));
  if (extents[1] % (size * size) != 0) fail(question.call, "{} channels are not a multiple of {} x {}", extents[1], size, size);
  extents[1] /= size * size;
  extents[2] *= size;
  extents[3] *= size;
  return {question.type(0), make_shape(question.call, extents)};
}
/// The output as {batch, channels, height, block, width, block}.
void depth_to_space(const Evaluation& job) {
  const std::int64_t size = block_size(job.call);
  const Integers s = strides_of(job.shape(0));
  const std::int64_t channels = job.signature.shape.extents[1];
  const bool blocks_first = text_attribute(job.call, "mode", "DCR") == "DCR";
  const std::int64_t channel = blocks_first ? s[1] : s[1] * size * size;
  const std::int64_t block_row = blocks_first ? s[1] * channels * size : s[1] * size;
  const std::int64_t block_column = blocks_first ? s[1] * channels : s[1];
  const Integers extents{job.shape(0).extents[0], channels, job.shape(0).extents[2], size, job.shape(0).extents[3], size};
  copy_strided(job.inputs[0].data, 0, extents, {s[0], channel, s[2], block_row, s[3], block_column}, job.element_bytes(), job.output);
}

Signature infer_space_to_depth(const Inference& question) {
  question.check_rank(0, 4, "input");
  const std::int64_t size = block_size(question.call);
  Integers extents = extents_of(question.shape(0));
  if (extents[2] % size != 0 || extents[3] % size != 0) fail(question.call, "{} does not divide into blocks of {} x {}", describe(question.shape(0)), size, size);
  extents[1] *= size * size;
  extents[2] /= size;
  extents[3] /= size;
  return {question.type(0), make_shape(question.call, extents)};
}
void space_to_depth(const Evaluation& job) {
  const std::int64_t size = block_size(job.call);
  const Integers s = strides_of(job.shape(0));
  const Shape& out = job.signature.shape;
  const std::int64_t channels = job.shape(0).extents[1];
  const bool blocks_first = text_attribute(job.call, "mode", "DCR") == "DCR";
  Integers extents{out.extents[0], size, size, channels, out.extents[2], out.extents[3]};
  Integers strides{s[0], s[2], s[3], s[1], s[2] * size, s[3] * size};
  if (!blocks_first) {
    std::rotate(extents.begin() + 1, extents.begin() + 3, extents.begin() + 4);
    std::rotate(strides.begin() + 1, strides.begin() + 3, strides.begin() + 4);
  }
  copy_strided(job.inputs[0].data, 0, extents, strides, job.element_bytes(), job.output);
}

Signature infer_trilu(const Inference& question) {
  if (question.rank(0) < 2) fail(question.call, "a value of {}; expected matrices", describe(question.shape(0)));
  if (question.has(1) && (question.type(1) != ElementType::i64 || question.shape(1).size() != 1)) fail(question.call, "k is {} {}; expected one i64", name_of(question.type(1)), describe(question.shape(1)));
  return question.same_as(0);
}
void trilu(const Evaluation& job) {
  copy_elements(job);
  const bool upper = flag_attribute(job.call, "upper", true);
  const std::size_t rank = job.shape(0).extents.size();
  const std::int64_t rows = job.shape(0).extents[rank - 2];
  const std::int64_t columns = job.shape(0).extents[rank - 1];
  const std::int64_t diagonal = std::clamp<std::int64_t>(job.has(1) ? job.integers(1)[0] : 0, -rows, columns);
  const std::size_t bytes = job.element_bytes();
  for (std::size_t matrix = 0; matrix < count(job.shape(0), 0, rank - 2); ++matrix)
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t edge = std::clamp<std::int64_t>(row + diagonal + (upper ? 0 : 1), 0, columns);
      const std::int64_t first = upper ? 0 : edge;
      const std::int64_t last = upper ? edge : columns;
      const std::size_t start = (matrix * static_cast<std::size_t>(rows) + static_cast<std::size_t>(row)) * static_cast<std::size_t>(columns);
      if (last > first) std::memset(job.output + (start + static_cast<std::size_t>(first)) * bytes, 0, static_cast<std::size_t>(last - first) * bytes);
    }
}

}  // namespace lacuna::operators
