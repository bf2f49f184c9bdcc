// Which lines of the cache stand in which registers: the one that was used longest ago makes room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <lacuna/error.hpp>

namespace lacuna::emit::x86 {

class LinesInRegisters {
 public:
  /// From now on there are `registers`, and nothing in them.
  void forget(unsigned registers) { held_.assign(registers, {}); }

  struct Taken {
    unsigned number;  ///< of the register
    bool is_there;    ///< else the caller brings the line
  };
  /// Neighbouring calls get different registers for different lines. Needs: two registers at least.
  Taken take(std::int64_t line) {
    if (held_.size() < 2) throw InternalError("two lines need two registers");
    std::size_t oldest = 0;
    for (std::size_t k = 0; k < held_.size(); ++k) {
      if (held_[k].last_use != 0 && held_[k].line == line) return use(k, line, true);
      if (held_[k].last_use < held_[oldest].last_use) oldest = k;
    }
    return use(oldest, line, false);
  }

 private:
  struct Held {
    std::int64_t line = 0;
    std::uint64_t last_use = 0;  ///< 0: never
  };

  Taken use(std::size_t number, std::int64_t line, bool is_there) {
    held_[number] = {line, ++clock_};
    return {static_cast<unsigned>(number), is_there};
  }

  std::vector<Held> held_;
  std::uint64_t clock_ = 0;
};

}  // namespace lacuna::emit::x86
