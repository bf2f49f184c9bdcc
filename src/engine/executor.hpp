// Runs a plan on a batch: shares of the inputs go through all layers, each on one core, with no waiting between cores.
#pragma once

#include <lacuna/compile.hpp>

#include "engine/batch.hpp"
#include "plan/plan.hpp"
#include "rows/sparse_rows.hpp"

namespace lacuna::engine {

struct ExecutorOptions {
  unsigned threads = 1;
  bool remove_dead_inputs = false;
};

/// Needs: the batch has the width of rows.input.
Outputs execute(const rows::SparseRows& rows, const plan::Plan& plan, const ExecutorOptions& options, const Batch& batch, RunReport& report);

}  // namespace lacuna::engine
