// The outputs of a run as its shares bring them: copied to their place by the core that brings them, so that nothing is left to do at the end but the list of survivors.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <lacuna/compile.hpp>

#include "engine/share.hpp"

namespace lacuna::engine {

/// Takes what the shares of a wave bring, in the order of the shares, while others still run.
class Collector {
 public:
  /// The memory of `spare` is used again.
  Collector(std::size_t inputs, std::size_t width, Outputs spare) : outputs_(std::move(spare)), row_of_(inputs, nobody) {
    outputs_.inputs = inputs;
    outputs_.width = width;
    outputs_.survivors.clear();
    outputs_.rows.clear();
    outputs_.values.clear();
  }

  /// A wave of so many shares begins.
  void expect(std::size_t shares) {
    waiting_.assign(shares, std::nullopt);
    next_ = 0;
  }

  void bring(std::size_t share, Arrived arrived) {
    const std::lock_guard lock(mutex_);
    waiting_[share] = std::move(arrived);
    for (; next_ < waiting_.size() && waiting_[next_]; ++next_) {
      append(*waiting_[next_]);
      *waiting_[next_] = {};
    }
  }

  /// Every input that arrived, or became equal to one that did, in order.
  Outputs take(std::vector<std::uint32_t>& leader) {
    for (std::uint32_t id = 0; id < leader.size(); ++id) {
      std::uint32_t& last = leader[id];
      while (leader[last] != last) last = leader[last];  // a leader may follow another further on
      if (row_of_[last] == nobody) continue;
      outputs_.survivors.push_back(id);
      outputs_.rows.push_back(row_of_[last]);
    }
    return std::move(outputs_);
  }

 private:
  static constexpr std::uint32_t nobody = static_cast<std::uint32_t>(-1);

  void append(const Arrived& some) {
    std::vector<float>& values = outputs_.values;
    if (next_ == 0) values.reserve(values.size() + some.values.size() * waiting_.size());  // the others will bring about as much
    for (std::uint32_t id : some.ids) row_of_[id] = static_cast<std::uint32_t>(rows_++);
    values.insert(values.end(), some.values.begin(), some.values.end());
  }

  Outputs outputs_;
  std::vector<std::uint32_t> row_of_;
  std::size_t rows_ = 0;
  std::mutex mutex_;
  std::vector<std::optional<Arrived>> waiting_;
  std::size_t next_ = 0;  ///< share that comes next
};

}  // namespace lacuna::engine
