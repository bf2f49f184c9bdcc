// Array<T>: a fixed-size run of values that either owns its memory or borrows it from a memory-mapped store.
// Copies share the memory, so an Array is read-only once filled.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace lacuna {

template <typename T>
class Array {
 public:
  Array() = default;

  Array(std::vector<T> values) {
    auto owned = std::make_shared<const std::vector<T>>(std::move(values));
    view_ = *owned;
    owner_ = std::move(owned);
  }

  /// Borrows `view`; `owner` keeps the memory alive.
  Array(std::span<const T> view, std::shared_ptr<const void> owner) : view_(view), owner_(std::move(owner)) {}

  std::size_t size() const { return view_.size(); }
  bool empty() const { return view_.empty(); }
  const T& operator[](std::size_t i) const { return view_[i]; }
  const T* data() const { return view_.data(); }
  auto begin() const { return view_.begin(); }
  auto end() const { return view_.end(); }
  std::span<const T> span() const { return view_; }
  std::size_t bytes() const { return view_.size_bytes(); }

 private:
  std::span<const T> view_;
  std::shared_ptr<const void> owner_;
};

}  // namespace lacuna
