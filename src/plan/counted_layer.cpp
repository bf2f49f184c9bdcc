#include "plan/counted_layer.hpp"

#include <algorithm>
#include <limits>

namespace lacuna::plan {
namespace {

constexpr std::uint32_t block_sources = 8;
constexpr std::uint32_t most_countable = 255;  // counts are bytes

std::uint32_t longest_row(const SparseMatrix& weights) {
  std::uint32_t longest = 0;
  for (std::uint32_t row = 0; row < weights.rows; ++row) longest = std::max(longest, weights.row_begin[row + std::size_t{1}] - weights.row_begin[row]);
  return longest;
}

bool is_read_later(const rows::SparseRows& rows) {
  const auto& live = rows.groups.front().live_after;
  return std::find(live.begin(), live.end(), rows.input) != live.end();
}

const char* reason_against(const rows::SparseRows& rows) {
  if (rows.groups.empty()) return "there is no layer";
  const rows::RowGroup& group = rows.groups.front();
  const ActivationKind kind = group.activation.kind;
  if (group.weights.nnz() < 2 || !group.weights.has_one_value()) return "its weights differ";
  if (!group.residuals.empty()) return "its rows have residuals";
  if (kind != ActivationKind::identity && kind != ActivationKind::relu && kind != ActivationKind::clip) return "its activation is not a clip";
  if (longest_row(group.weights) > most_countable) return "a row has more than 255 sources";
  if (is_read_later(rows)) return "the input is read again by a later layer";
  return nullptr;
}

}  // namespace

std::optional<CountedLayer> CountedLayer::of(const rows::SparseRows& rows, std::string* why_not) {
  if (const char* reason = reason_against(rows); reason != nullptr) {
    if (why_not != nullptr) *why_not = reason;
    return std::nullopt;
  }
  const rows::RowGroup& group = rows.groups.front();
  const SparseMatrix& weights = group.weights;
  CountedLayer layer;
  layer.input_planes_ = rows.input.count;
  layer.most_sources_ = longest_row(weights);
  layer.sources_.reserve(weights.nnz() + std::size_t{weights.rows} * (block_sources - 1));
  for (std::uint32_t row = 0; row < weights.rows; ++row) {
    for (std::size_t e = weights.row_begin[row]; e < weights.row_begin[row + std::size_t{1}]; ++e) layer.sources_.push_back(weights.column(e));
    while (layer.sources_.size() % block_sources != 0) layer.sources_.push_back(layer.input_planes_);
    layer.blocks_.push_back(static_cast<std::uint32_t>(layer.sources_.size() / block_sources));
  }
  constexpr float infinite = std::numeric_limits<float>::infinity();
  layer.epilogue_.weight = weights.values[0];
  layer.epilogue_.low = group.activation.kind == ActivationKind::identity ? -infinite : 0.0f;
  layer.epilogue_.high = infinite;
  if (group.activation.kind == ActivationKind::clip) {
    layer.epilogue_.low = group.activation.first;
    layer.epilogue_.high = group.activation.second;
  }
  layer.bias_ = group.bias;
  return layer;
}

bool CountedLayer::takes(float value) const {
  float sum = 0;
  for (std::uint32_t count = 1; count <= most_sources_; ++count) {
    sum += value;
    if (sum != static_cast<float>(count) * value) return false;  // NaN is refused too
  }
  return true;
}

cpu::CountEpilogue CountedLayer::epilogue(float input) const {
  cpu::CountEpilogue epilogue = epilogue_;
  epilogue.input = input;
  if (bias_.size() > 1)
    epilogue.bias = bias_.data();
  else
    epilogue.one_bias = bias_.empty() ? 0 : bias_[0];
  return epilogue;
}

}  // namespace lacuna::plan
