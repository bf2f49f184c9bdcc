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

Session::Session(std::shared_ptr<const engine::Compiled> compiled)
    : compiled_(std::move(compiled)), workspaces_(std::make_unique<engine::Workspaces>()) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

namespace {

Outputs run_batch(const engine::Compiled& program, const engine::Batch& batch, engine::Workspaces& workspaces, RunReport& report) {
  if (batch.size() > 0 && batch.width() != program.rows.input.count)
    throw InputError(fmt::format("the inputs have {} values each, but the network's input has {} neurons", batch.width(), program.rows.input.count));
  const auto is_on = [&](std::string_view name) { return passes::is_selected(program.optimisations, name); };
  const engine::ExecutorOptions options{program.threads, is_on("dead_inputs"), is_on("equal_inputs"), is_on("depth_first")};
  const plan::CountedLayer* const counted = program.counted ? &*program.counted : nullptr;
  return engine::execute(program.rows, program.plan, counted, options, batch, workspaces, report);
}

}  // namespace

Outputs Session::run(const SparseMatrix& inputs) { return run_batch(*compiled_, engine::Batch(inputs), *workspaces_, report_); }
Outputs Session::run(const BitMatrix& inputs) { return run_batch(*compiled_, engine::Batch(inputs), *workspaces_, report_); }
Outputs Session::run(const Tensor& inputs) { return run_batch(*compiled_, engine::Batch(inputs), *workspaces_, report_); }

Tensor Outputs::to_tensor() const {
  Tensor tensor{{inputs, width}, std::vector<float>(inputs * width, 0.0f)};
  for (std::size_t k = 0; k < survivors.size(); ++k)
    std::copy_n(of(k).begin(), width, tensor.values.begin() + static_cast<std::ptrdiff_t>(survivors[k] * width));
  return tensor;
}

}  // namespace lacuna
