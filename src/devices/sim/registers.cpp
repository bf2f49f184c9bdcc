// Lifetimes of virtual registers: how many are alive at once, and which can share a place. A thread's registers are its own, so the lifetimes of one thread
// decide, however the lanes of a warp part.
#include <algorithm>
#include <limits>
#include <map>
#include <queue>

#include "devices/sim/draft.hpp"

namespace lacuna::sim {

namespace {

constexpr std::size_t word_place_bytes = lanes * 4, wide_place_bytes = lanes * 8;

class LiveSets {
 public:
  LiveSets(std::size_t blocks, std::size_t registers) : words_((registers + 63) / 64), bits_(blocks * words_) {}
  std::uint64_t* of(std::size_t block) { return bits_.data() + block * words_; }
  std::size_t words() const { return words_; }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

bool holds(const std::uint64_t* set, std::uint32_t number) { return ((set[number / 64] >> (number % 64)) & 1) != 0; }
void insert(std::uint64_t* set, std::uint32_t number) { set[number / 64] |= std::uint64_t{1} << (number % 64); }
void erase(std::uint64_t* set, std::uint32_t number) { set[number / 64] &= ~(std::uint64_t{1} << (number % 64)); }

/// Steps a set of live registers backwards over an instruction. A guarded write leaves lanes as they were, so the register lives before it too.
void step_back(const DraftInstruction& draft, std::uint64_t* live) {
  if (draft.instruction.guard == 1)
    for (const Use& use : draft.uses)
      if (use.is_write) erase(live, use.number);
  for (const Use& use : draft.uses)
    if (!use.is_write) insert(live, use.number);
}

LiveSets live_before(const DraftKernel& draft, const std::vector<BasicBlock>& blocks) {
  LiveSets before(blocks.size(), draft.classes.size());
  std::vector<std::uint64_t> live(before.words());
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    for (std::size_t b = blocks.size(); b-- > 0;) {
      std::fill(live.begin(), live.end(), 0);
      for (const std::uint32_t next : blocks[b].next)
        if (next < blocks.size())
          for (std::size_t w = 0; w < live.size(); ++w) live[w] |= before.of(next)[w];
      for (std::uint32_t i = blocks[b].end; i-- > blocks[b].begin;) step_back(draft.instructions[i], live.data());
      if (!std::equal(live.begin(), live.end(), before.of(b))) std::copy(live.begin(), live.end(), before.of(b)), is_changed = true;
    }
  }
  return before;
}

struct Lifetime {
  std::uint32_t begin = std::numeric_limits<std::uint32_t>::max(), end = 0;
  void reach(std::uint32_t at) { begin = std::min(begin, at), end = std::max(end, at); }
  bool is_used() const { return begin <= end; }
};

struct Lifetimes {
  std::vector<Lifetime> of;
  unsigned most_alive = 0;  ///< 32-bit registers
};

/// What counts as a register of 32 bits on a GPU: not parameters (instructions read them from the constant bank) and special registers, which are never written again.
std::vector<unsigned> weights(const DraftKernel& draft) {
  std::vector<unsigned> result(draft.classes.size()), writes(draft.classes.size());
  std::vector<bool> is_parameter(draft.classes.size());
  for (const DraftInstruction& instruction : draft.instructions)
    for (const Use& use : instruction.uses) {
      if (!use.is_write) continue;
      ++writes[use.number];
      is_parameter[use.number] = instruction.instruction.space == Space::parameter && instruction.instruction.kind == Kind::load_constant;
    }
  for (std::uint32_t r = 0; r < result.size(); ++r) {
    const bool is_free = writes[r] == 0 || (writes[r] == 1 && is_parameter[r]);
    result[r] = is_free ? 0 : draft.classes[r] == RegisterClass::wide ? 2 : 1;
  }
  return result;
}

/// Positions: an instruction's number times two is before it, plus one after.
Lifetimes lifetimes(const DraftKernel& draft, const std::vector<BasicBlock>& blocks) {
  LiveSets before = live_before(draft, blocks);
  Lifetimes result{std::vector<Lifetime>(draft.classes.size()), 0};
  std::vector<std::uint64_t> live(before.words());
  const std::vector<unsigned> weight = weights(draft);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    std::fill(live.begin(), live.end(), 0);
    for (const std::uint32_t next : blocks[b].next)
      if (next < blocks.size())
        for (std::size_t w = 0; w < live.size(); ++w) live[w] |= before.of(next)[w];
    unsigned alive = 0;
    for (std::uint32_t r = 0; r < draft.classes.size(); ++r) {
      if (holds(live.data(), r)) result.of[r].reach(blocks[b].end * 2 - 1), alive += weight[r];
      if (holds(before.of(b), r)) result.of[r].reach(blocks[b].begin * 2);
    }
    result.most_alive = std::max(result.most_alive, alive);
    for (std::uint32_t i = blocks[b].end; i-- > blocks[b].begin;) {
      for (const Use& use : draft.instructions[i].uses) {
        const bool was_alive = holds(live.data(), use.number);
        if (use.is_write) result.of[use.number].reach(i * 2 + 1);
        else result.of[use.number].reach(i * 2);
        if (use.is_write && was_alive && draft.instructions[i].instruction.guard == 1) erase(live.data(), use.number), alive -= weight[use.number];
      }
      for (const Use& use : draft.instructions[i].uses)
        if (!use.is_write && !holds(live.data(), use.number)) insert(live.data(), use.number), alive += weight[use.number];
      result.most_alive = std::max(result.most_alive, alive);
    }
  }
  return result;
}

/// Hands out places in the order in which lifetimes begin; a place is free again when its lifetime is over. Returns the number of places.
std::uint32_t share_places(const std::vector<std::uint32_t>& registers, const std::vector<Lifetime>& lifetimes, std::vector<std::uint32_t>& places) {
  std::vector<std::uint32_t> order;
  for (const std::uint32_t r : registers)
    if (lifetimes[r].is_used()) order.push_back(r);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return lifetimes[a].begin < lifetimes[b].begin; });
  using Ending = std::pair<std::uint32_t, std::uint32_t>;  // end of the lifetime, place
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> running;
  std::vector<std::uint32_t> free;
  std::uint32_t count = 0;
  for (const std::uint32_t r : order) {
    while (!running.empty() && running.top().first < lifetimes[r].begin) free.push_back(running.top().second), running.pop();
    if (free.empty()) free.push_back(count++);
    places[r] = free.back();
    free.pop_back();
    running.emplace(lifetimes[r].end, places[r]);
  }
  return count;
}

}  // namespace

std::uint32_t& field_of(Instruction& in, Field field) {
  switch (field) {
    case Field::d: return in.d;
    case Field::e: return in.e;
    case Field::a: return in.a;
    case Field::b: return in.b;
    case Field::c: return in.c;
    default: return in.elements[static_cast<std::size_t>(field) - static_cast<std::size_t>(Field::element0)];
  }
}

void place_registers(DraftKernel& draft, const std::vector<BasicBlock>& blocks, Kernel& kernel) {
  Lifetimes lives = lifetimes(draft, blocks);
  for (const auto& [special, number] : draft.specials) lives.of[number] = {0, std::numeric_limits<std::uint32_t>::max()};  // written once, before the kernel begins
  std::vector<std::uint32_t> words, wides, places(draft.classes.size());
  for (std::uint32_t r = 0; r < draft.classes.size(); ++r) (draft.classes[r] == RegisterClass::wide ? wides : words).push_back(r);
  const std::uint32_t word_places = share_places(words, lives.of, places), wide_places = share_places(wides, lives.of, places);
  const std::size_t wide_begin = (word_places * word_place_bytes + wide_place_bytes - 1) / wide_place_bytes * wide_place_bytes;
  const auto offset = [&](std::uint32_t r) {
    return static_cast<std::uint32_t>(draft.classes[r] == RegisterClass::wide ? wide_begin + places[r] * wide_place_bytes : places[r] * word_place_bytes);
  };
  for (DraftInstruction& instruction : draft.instructions)
    for (const Use& use : instruction.uses) field_of(instruction.instruction, use.field) = offset(use.number);
  for (const auto& [special, number] : draft.specials) kernel.program->specials.push_back({special, offset(number)});
  kernel.program->register_bytes = wide_begin + wide_places * wide_place_bytes;
  kernel.live_registers = lives.most_alive;
}

}  // namespace lacuna::sim
