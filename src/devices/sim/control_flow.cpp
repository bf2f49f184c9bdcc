// Basic blocks, and where lanes that part at a branch meet again: its immediate post-dominator, by Cooper, Harvey and Kennedy's "A Simple, Fast Dominance
// Algorithm" on the reversed graph. A guarded ret is no end of a block: lanes that return are gone, the others go on together.
#include <algorithm>

#include "devices/sim/draft.hpp"

namespace lacuna::sim {

namespace {

bool ends_block(const Instruction& in) { return in.flow == Flow::branch || (in.flow == Flow::exit && in.guard == 1); }

/// The order in which the end, and every block after all it leads to (but for loops), comes: by walking from the end backwards.
std::vector<std::uint32_t> reverse_order(const std::vector<std::vector<std::uint32_t>>& before, std::uint32_t end) {
  std::vector<std::uint32_t> order;
  std::vector<bool> is_seen(before.size());
  std::vector<std::pair<std::uint32_t, std::size_t>> open = {{end, 0}};
  is_seen[end] = true;
  while (!open.empty()) {
    auto& [block, next] = open.back();
    if (next < before[block].size()) {
      const std::uint32_t other = before[block][next++];
      if (!is_seen[other]) is_seen[other] = true, open.emplace_back(other, 0);
    } else {
      order.push_back(block);
      open.pop_back();
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace

std::vector<BasicBlock> basic_blocks(const std::vector<DraftInstruction>& instructions) {
  const auto count = static_cast<std::uint32_t>(instructions.size());
  std::vector<bool> is_leader(count + 1);
  is_leader[0] = true;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Instruction& in = instructions[i].instruction;
    if (!ends_block(in)) continue;
    is_leader[i + 1] = true;
    if (in.flow == Flow::branch) is_leader[in.target] = true;
  }
  std::vector<BasicBlock> blocks;
  std::vector<std::uint32_t> block_of(count + 1);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (is_leader[i]) blocks.push_back({i, i, {}});
    block_of[i] = static_cast<std::uint32_t>(blocks.size() - 1);
    blocks.back().end = i + 1;
  }
  const auto end = static_cast<std::uint32_t>(blocks.size());
  for (BasicBlock& block : blocks) {
    const Instruction& last = instructions[block.end - 1].instruction;
    const std::uint32_t after = block.end < count ? block_of[block.end] : end;
    if (last.flow == Flow::exit && last.guard == 1) {
      block.next = {end};
    } else if (last.flow == Flow::branch) {
      block.next = {block_of[last.target]};
      if (last.guard != 1 && after != block.next[0]) block.next.push_back(after);
    } else {
      block.next = {after};
    }
  }
  return blocks;
}

void find_meeting_points(std::vector<DraftInstruction>& instructions, const std::vector<BasicBlock>& blocks) {
  const auto end = static_cast<std::uint32_t>(blocks.size());
  std::vector<std::vector<std::uint32_t>> before(blocks.size() + 1);
  for (std::uint32_t b = 0; b < end; ++b)
    for (const std::uint32_t next : blocks[b].next) before[next].push_back(b);
  const std::vector<std::uint32_t> order = reverse_order(before, end);
  std::vector<std::uint32_t> rank(blocks.size() + 1, nowhere), dominator(blocks.size() + 1, nowhere);
  for (std::uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  dominator[end] = end;
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    for (const std::uint32_t block : order) {
      if (block == end) continue;
      std::uint32_t common = nowhere;
      for (std::uint32_t next : blocks[block].next) {
        if (dominator[next] == nowhere) continue;
        if (common == nowhere) {
          common = next;
          continue;
        }
        while (common != next) {
          while (rank[common] > rank[next]) common = dominator[common];
          while (rank[next] > rank[common]) next = dominator[next];
        }
      }
      if (common != dominator[block]) dominator[block] = common, is_changed = true;
    }
  }
  for (std::uint32_t b = 0; b < end; ++b) {
    Instruction& last = instructions[blocks[b].end - 1].instruction;
    if (last.flow == Flow::branch && dominator[b] != nowhere && dominator[b] != end) last.reconverge = blocks[dominator[b]].begin;
  }
}

}  // namespace lacuna::sim
