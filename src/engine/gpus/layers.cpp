// Layered networks on GPUs: every device holds the whole network and takes a part of the inputs. What happens on a device between the first layer and the last
// is one recording, looks included; the host only lays inputs down and collects what is left.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>

#include <lacuna/error.hpp>

#include "base/parallel.hpp"
#include "engine/gpus/gpu_program.hpp"
#include "engine/gpus/layer_runner.hpp"
#include "passes/pass_list.hpp"
#include "plan/gpus/kernel_text.hpp"

namespace lacuna::engine::gpus {
namespace {

using plan::gpus::LayerPlan;

class LayerSession final : public GpuSession {
 public:
  LayerSession(std::shared_ptr<const LayerPlan> plan, const std::vector<LoadedLayers>& loaded) : plan_(std::move(plan)) {
    for (const LoadedLayers& device : loaded) runners_.push_back(std::make_unique<LayerRunner>(*plan_, device));
  }

  Outputs run(const Batch& batch, RunReport& report) override {
    if (batch.size() > 0 && batch.width() != plan_->input.count)
      throw InputError(fmt::format("the inputs have {} values each, but the network's input has {} neurons", batch.width(), plan_->input.count));
    report = {};
    Outputs outputs{batch.size(), plan_->output.count, {}, {}, {}};
    std::vector<LayerPart> parts(runners_.size());
    const std::size_t share = (batch.size() + runners_.size() - 1) / runners_.size();
    base::parallel_for(static_cast<unsigned>(runners_.size()), runners_.size(), [&](std::size_t k, unsigned) {
      const std::size_t first = std::min(k * share, batch.size());
      parts[k] = runners_[k]->run(batch, first, std::min(share, batch.size() - first));
    });
    for (const LayerPart& part : parts) join(part, outputs, report);
    for (const auto& runner : runners_) {
      report.weight_bytes += runner->residency().all_bytes;
      report.resident_weight_bytes += runner->residency().resident_bytes;
    }
    report.different_outputs = outputs.width == 0 ? 0 : outputs.values.size() / outputs.width;
    return outputs;
  }

 private:
  /// Devices work side by side: the run takes as long as the slowest.
  static void join(const LayerPart& part, Outputs& outputs, RunReport& report) {
    const auto rows_before = static_cast<std::uint32_t>(outputs.width == 0 ? 0 : outputs.values.size() / outputs.width);
    outputs.survivors.insert(outputs.survivors.end(), part.survivors.begin(), part.survivors.end());
    for (std::uint32_t row : part.rows) outputs.rows.push_back(rows_before + row);
    outputs.values.insert(outputs.values.end(), part.values.begin(), part.values.end());
    report.seconds = std::max(report.seconds, part.seconds);
    report.active_edges += part.active_edges;
    report.streamed_bytes += part.streamed_bytes;
    report.waves += part.chunks;
  }

  std::shared_ptr<const LayerPlan> plan_;
  std::vector<std::unique_ptr<LayerRunner>> runners_;
};

class LayerProgram final : public GpuProgram {
 public:
  LayerProgram(LayerPlan plan, Devices devices) : plan_(std::make_shared<const LayerPlan>(std::move(plan))), devices_(std::move(devices)) {
    for (const auto& device : devices_) loaded_.push_back(load_layers(*plan_, device));
  }

  std::unique_ptr<GpuSession> open() const override { return std::make_unique<LayerSession>(plan_, loaded_); }
  std::string print_plan() const override { return plan::gpus::print(*plan_); }
  std::string explain() const override {
    std::string text;
    for (const LoadedLayers& loaded : loaded_) text += fmt::format("device       {}\n{}\n", loaded.device->limits().name, plan::gpus::print(loaded.residency));
    return text + plan::gpus::print(*plan_);
  }
  std::string kernel_text(gpu::Language language) const override { return plan::gpus::kernel_text(plan_->kernels, language); }

 private:
  std::shared_ptr<const LayerPlan> plan_;
  Devices devices_;
  std::vector<LoadedLayers> loaded_;
};

kernel::Element stored_as(Precision precision) {
  return precision == Precision::f16 ? kernel::Element::f16 : precision == Precision::bf16 ? kernel::Element::bf16 : kernel::Element::f32;
}

}  // namespace

std::unique_ptr<GpuProgram> compile_layers(const Network& network, Devices devices, const GpuOptions& options) {
  if (options.kernel == plan::KernelWish::dense) throw Unsupported("layered networks have no dense kernel; leave --kernel out");
  const auto is_on = [&](std::string_view name) { return passes::is_selected(options.optimisations, name); };
  rows::SparseRows rows = rows::lower(network);
  if (is_on("merge_equal_rows")) rows = rows::merge_equal_rows(std::move(rows), base::thread_count(0), {});
  std::uint32_t threads = 1024;
  for (const auto& device : devices)
    if (device->limits().block_threads != 0) threads = std::min(threads, device->limits().block_threads / 32 * 32);
  const plan::gpus::LayerPlanOptions plan_options{is_on("dead_inputs"), is_on("equal_inputs"), options.kernel == plan::KernelWish::baked, threads, stored_as(options.precision)};
  return std::make_unique<LayerProgram>(plan::gpus::make_layer_plan(rows, plan_options), std::move(devices));
}

}  // namespace lacuna::engine::gpus
