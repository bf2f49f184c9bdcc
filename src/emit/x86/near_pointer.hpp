// A pointer register that walks through memory so that most accesses need an 8-bit displacement: the bytes of code per nonzero decide how
// fast code that runs once or a few times per visit is.
#pragma once

#include <cstdint>
#include <limits>

#include <lacuna/error.hpp>

#include "emit/x86/assembler.hpp"

namespace lacuna::emit::x86 {

class NearPointer {
 public:
  /// `unit`: what the processor multiplies an 8-bit displacement by (1 for VEX, the operand's size for EVEX).
  NearPointer(Pointer pointer, std::int64_t unit) : pointer_(pointer), unit_(unit) {}

  /// Whether [place, place + bytes) is within reach of 8-bit displacements.
  bool reaches(std::int64_t place, std::int64_t bytes) const { return reaches_from(at_, place, bytes); }

  /// Where the pointer would stand to reach as far as possible beyond `place`.
  std::int64_t best_for(std::int64_t place) const { return place + 128 * unit_; }
  bool reaches_from(std::int64_t at, std::int64_t place, std::int64_t bytes) const {
    return place - at >= -128 * unit_ && place + bytes - at <= 128 * unit_ && (place - at) % unit_ == 0;
  }

  void move(Assembler& code, std::int64_t to) {
    if (to != at_) code.advance(pointer_, checked(to - at_));
    at_ = to;
  }

  /// Bytes of code that move() takes.
  std::int64_t move_cost(std::int64_t to) const { return to - at_ >= -128 && to - at_ < 128 ? 4 : 7; }

  Place place(std::int64_t place) const { return {pointer_, checked(place - at_)}; }

  std::int64_t at() const { return at_; }

  /// After a loop whose every round ended `step` beyond where it began: the register has moved, with no code here.
  void moved_by(std::int64_t step) { at_ += step; }

 private:
  static std::int32_t checked(std::int64_t distance) {
    if (distance < std::numeric_limits<std::int32_t>::min() || distance > std::numeric_limits<std::int32_t>::max())
      throw InternalError("baked code reaches 2 GiB at most");
    return static_cast<std::int32_t>(distance);
  }

  Pointer pointer_;
  std::int64_t unit_;
  std::int64_t at_ = 0;
};

}  // namespace lacuna::emit::x86
