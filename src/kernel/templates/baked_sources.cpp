#include "kernel/templates/baked_sources.hpp"

#include <algorithm>

namespace lacuna::kernel {
namespace {

struct Tap {
  std::int32_t offset;
  std::uint16_t row;
  float weight;
};

std::vector<Tap> taps_of(std::span<const ConvRow> rows, BakedOrder order) {
  std::vector<Tap> taps;
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (const ConvEdge& edge : rows[row].edges) taps.push_back({edge.offset, static_cast<std::uint16_t>(row), edge.weight});
  if (order == BakedOrder::taps_first) std::sort(taps.begin(), taps.end(), [](const Tap& a, const Tap& b) { return a.offset != b.offset ? a.offset < b.offset : a.row < b.row; });
  return taps;
}

/// Elements that some pixel reads, in ascending order, and where each is last read.
class Elements {
 public:
  Elements(const std::vector<Tap>& taps, std::span<const std::int32_t> deltas) {
    for (const Tap& tap : taps)
      for (std::int32_t delta : deltas) all_.push_back(tap.offset + delta);
    std::sort(all_.begin(), all_.end());
    all_.erase(std::unique(all_.begin(), all_.end()), all_.end());
    is_loaded_.assign(all_.size(), false);
    uses_left_.assign(all_.size(), 0);
    for (const Tap& tap : taps)
      for (std::int32_t delta : deltas) ++uses_left_[place(tap.offset + delta)];
  }

  std::size_t place(std::int32_t element) const { return static_cast<std::size_t>(std::lower_bound(all_.begin(), all_.end(), element) - all_.begin()); }
  bool is_loaded(std::size_t place) const { return is_loaded_[place]; }

  /// Floats [first, first + width) that are worth one load together with `element`; marks those as loaded that somebody reads.
  BakedStep take_vector(std::int32_t element, std::uint32_t aligned) {
    std::int32_t first = element, width = 1;
    for (std::int32_t vector = 2; vector <= static_cast<std::int32_t>(aligned); vector *= 2) {
      const std::int32_t begin = floor_to(element, vector);
      if (wanted_in(begin, begin + vector) > wanted_in(first, first + width)) first = begin, width = vector;
    }
    for (std::size_t k = place(first); k < all_.size() && all_[k] < first + width; ++k) {
      if (!is_loaded_[k]) ++alive_;
      is_loaded_[k] = true;
    }
    most_alive_ = std::max(most_alive_, alive_);
    return {.kind = BakedStep::Kind::load, .width = static_cast<std::uint8_t>(width), .element = first};
  }

  void use(std::size_t place) {
    if (--uses_left_[place] == 0) --alive_;
  }
  std::size_t most_alive() const { return most_alive_; }

 private:
  static std::int32_t floor_to(std::int32_t value, std::int32_t unit) { return value - ((value % unit) + unit) % unit; }
  std::size_t wanted_in(std::int32_t begin, std::int32_t end) const {
    std::size_t wanted = 0;
    for (std::size_t k = place(begin); k < all_.size() && all_[k] < end; ++k) wanted += is_loaded_[k] ? 0 : 1;
    return wanted;
  }

  std::vector<std::int32_t> all_;
  std::vector<bool> is_loaded_;
  std::vector<std::uint32_t> uses_left_;
  std::size_t alive_ = 0, most_alive_ = 0;
};

}  // namespace

BakedSources plan_sources(std::span<const ConvRow> rows, std::span<const std::int32_t> deltas, std::uint32_t aligned, std::uint32_t lane_stride, BakedOrder order) {
  const std::vector<Tap> taps = taps_of(rows, order);
  Elements elements(taps, deltas);
  BakedSources plan;
  plan.steps.reserve(taps.size() * deltas.size() * 5 / 4);
  const auto finish = [&](std::size_t row) { plan.steps.push_back({.kind = BakedStep::Kind::finish_row, .row = static_cast<std::uint16_t>(row)}); };
  std::size_t finished = 0;
  for (const Tap& tap : taps) {
    if (order == BakedOrder::rows_first)
      while (finished < tap.row) finish(finished++);
    for (std::uint32_t pixel = 0; pixel < deltas.size(); ++pixel) {
      const std::int32_t element = tap.offset + deltas[pixel];
      const std::size_t place = elements.place(element);
      if (!elements.is_loaded(place)) {
        plan.steps.push_back(elements.take_vector(element, aligned));
        ++plan.loads;
        plan.vectors_loaded += std::clamp<std::uint32_t>(lane_stride, plan.steps.back().width, 32);
      }
      plan.steps.push_back({.kind = BakedStep::Kind::multiply_add, .row = tap.row, .pixel = pixel, .element = element, .weight = tap.weight});
      ++plan.multiply_adds;
      elements.use(place);
    }
  }
  while (finished < rows.size()) finish(finished++);
  // Rows first: the sums of two rows, as one begins while the other is stored.
  plan.most_alive = elements.most_alive() + deltas.size() * (order == BakedOrder::taps_first ? rows.size() : 2);
  return plan;
}

}  // namespace lacuna::kernel
