// Runs a plan on a batch, in waves of shares: a share takes some inputs through the layers on one core; shares that have become thin are
// pooled at the layer they reached, and the pool is cut into full shares again.
#pragma once

#include <lacuna/compile.hpp>

#include "engine/batch.hpp"
#include "engine/workspace.hpp"
#include "plan/counted_layer.hpp"
#include "plan/plan.hpp"
#include "rows/sparse_rows.hpp"

namespace lacuna::engine {

struct ExecutorOptions {
  unsigned threads = 1;
  bool dead_inputs = false;
  bool equal_inputs = false;
  bool depth_first = false;
};

/// Needs: the batch has the width of rows.input. `counted` is used where the batch allows it; null: never. The memory of `spare` is used again.
Outputs execute(const rows::SparseRows& rows, const plan::Plan& plan, const plan::CountedLayer* counted, const ExecutorOptions& options,
                const Batch& batch, Workspaces& workspaces, Outputs spare, RunReport& report);

}  // namespace lacuna::engine
