// AscendingSet: a set of small numbers that is emptied in ascending order. Bits, and above every 64 words of them a word that says which are not zero,
// and so on up to a single word: adding costs a step or two, emptying a few steps for each number, whatever the range. Faster than sorting
// a short list (the 32 sources of a row: 3 times).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lacuna::base {

class AscendingSet {
 public:
  /// For numbers below `limit`. The set must be empty.
  void resize(std::size_t limit) {
    levels_.clear();
    std::size_t words = limit;
    do {
      words = (words + 63) / 64;
      levels_.emplace_back(words, 0);
    } while (words > 1);
  }

  /// Whether it was not there before.
  bool add(std::uint32_t number) {
    const bool is_new = (levels_[0][number / 64] >> number % 64 & 1) == 0;
    std::size_t place = number;
    for (std::vector<std::uint64_t>& level : levels_) {  // to the top, without asking whether those above know: nobody can predict that
      level[place / 64] |= std::uint64_t{1} << place % 64;
      place /= 64;
    }
    return is_new;
  }

  /// Calls visit(number) in ascending order; the set is empty afterwards.
  template <typename Visit>
  void empty(const Visit& visit) {
    empty_word(levels_.size() - 1, 0, visit);
  }

 private:
  template <typename Visit>
  void empty_word(std::size_t level, std::size_t word, const Visit& visit) {
    std::uint64_t bits = levels_[level][word];
    levels_[level][word] = 0;
    for (; bits != 0; bits &= bits - 1) {
      const std::size_t place = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      if (level == 0)
        visit(static_cast<std::uint32_t>(place));
      else
        empty_word(level - 1, place, visit);
    }
  }

  std::vector<std::vector<std::uint64_t>> levels_;  ///< bits first, the single word last
};

}  // namespace lacuna::base
