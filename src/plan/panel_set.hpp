// Several panels that share a table's way from memory: they take it one after the other, while it is in the cache.
#pragma once

#include <span>

#include "plan/packed_table.hpp"

namespace lacuna::plan {

struct PanelView {
  unsigned lanes;
  float* arena;
};

/// All rows of `table` for all lanes of the panels, which bring `next` (null: nothing) into the cache on the way, a part each.
void run_set(const PackedTable& table, const PackedTable* next, std::span<const PanelView> panels, const cpu::Kernels& kernels);

}  // namespace lacuna::plan
