// Session: runs batches through a compiled program.
#include <fmt/format.h>

#include <algorithm>

#include <lacuna/compile.hpp>
#include <lacuna/error.hpp>

#include "engine/batch.hpp"
#include "engine/compiled.hpp"
#include "engine/executor.hpp"
#include "passes/pass_list.hpp"

namespace lacuna {

Session::Session(std::shared_ptr<const engine::Compiled> compiled) : compiled_(std::move(compiled)) {}

namespace {

Outputs run_batch(const engine::Compiled& program, const engine::Batch& batch, RunReport& report) {
  if (batch.size() > 0 && batch.width() != program.rows.input.count)
    throw InputError(fmt::format("the inputs have {} values each, but the network's input has {} neurons", batch.width(), program.rows.input.count));
  const engine::ExecutorOptions options{program.threads, passes::is_selected(program.optimisations, "dead_inputs")};
  return engine::execute(program.rows, program.plan, options, batch, report);
}

}  // namespace

Outputs Session::run(const SparseMatrix& inputs) { return run_batch(*compiled_, engine::Batch(inputs), report_); }
Outputs Session::run(const Tensor& inputs) { return run_batch(*compiled_, engine::Batch(inputs), report_); }

Tensor Outputs::to_tensor() const {
  Tensor tensor{{inputs, width}, std::vector<float>(inputs * width, 0.0f)};
  for (std::size_t k = 0; k < survivors.size(); ++k)
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(k * width), width,
                tensor.values.begin() + static_cast<std::ptrdiff_t>(survivors[k] * width));
  return tensor;
}

}  // namespace lacuna
