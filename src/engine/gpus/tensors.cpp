// Networks of tensors on GPUs: what is compiled, and what is told of it.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "engine/gpus/conv_times.hpp"
#include "engine/gpus/tensor_session.hpp"
#include "engine/tensors/explain.hpp"
#include "plan/gpus/kernel_text.hpp"

namespace lacuna::engine::gpus {
namespace {

class TensorsOnGpu final : public GpuProgram {
 public:
  TensorsOnGpu(std::shared_ptr<const LoadedTensors> loaded, std::size_t devices) : loaded_(std::move(loaded)), devices_(devices) {}

  std::unique_ptr<GpuSession> open() const override { return std::make_unique<TensorSession>(loaded_); }

  std::string print_plan() const override {
    std::string text;
    for (std::size_t k = 0; k < loaded_->network.operators.size(); ++k)
      fmt::format_to(std::back_inserter(text), "{}: {}\n", loaded_->network.value(loaded_->network.operators[k].output).name, loaded_->plan.kernels[k]);
    return text;
  }

  std::string explain() const override {
    std::string text;
    const auto out = std::back_inserter(text);
    fmt::format_to(out, "device       {}\n", loaded_->device->limits().name);
    if (devices_ > 1) fmt::format_to(out, "             a network of tensors runs on the first of {} devices: its batch is fixed\n", devices_);
    std::size_t bytes = 0, on_host = 0;
    for (std::size_t of_buffer : loaded_->plan.buffer_bytes) bytes += of_buffer;
    fmt::format_to(out, "{:<24} {:<20} {:<16} {:>6}  {}\n", "layer", "kind", "output", "zeros", "kernel");
    for (const LayerReport& layer : layers()) {
      fmt::format_to(out, "{:<24} {:<20} {:<16} {:>6}  {}\n", layer.name.substr(0, 24), layer.kind, layer.shape, layer.dense_edges > 0 ? fmt::format("{:.1f}%", 100 * layer.sparsity) : "",
                     layer.kernel);
      on_host += layer.kernel.starts_with("on the host") ? 1 : 0;
    }
    fmt::format_to(out, "{} kernels, {:.1f} MB of activations, {} of {} operators on the host\n", loaded_->plan.programs.size(), static_cast<double>(bytes) * 1e-6, on_host,
                   loaded_->network.operators.size());
    return text;
  }

  std::string kernel_text(gpu::Language language) const override { return plan::gpus::kernel_text(loaded_->plan.programs, language); }

  std::vector<LayerReport> layers() const override {
    std::vector<LayerReport> reports;
    for (std::size_t k = 0; k < loaded_->network.operators.size(); ++k) {
      reports.push_back(tensors::describe(loaded_->network, loaded_->network.operators[k]));
      reports.back().kernel = loaded_->plan.kernels[k];
    }
    return reports;
  }

 private:
  std::shared_ptr<const LoadedTensors> loaded_;
  std::size_t devices_;
};

}  // namespace

std::unique_ptr<GpuProgram> compile_tensors(const Network& network, Devices devices, const GpuOptions& options) {
  const gpu::DevicePointer& device = devices.front();
  const bool is_simulated = device->limits().is_simulated;
  TensorTarget target{device->language(), std::max(device->limits().multiprocessors, 1u), {}, {}, is_simulated ? "libraries are not timed on a simulated GPU" : "nothing was timed (--tune off)"};
  const DenseLibraries libraries = open_dense_libraries(network, device, options.kernel, target);
  std::vector<std::optional<ConvTimes>> times;
  if (options.kernel == plan::KernelWish::automatic && options.tune && !is_simulated) {
    const std::vector<ConvChoice> own = choose_convs(network, {target.language, target.multiprocessors, {}, {}, {}}, options.kernel);
    times = time_convs(network, own, device, libraries);
  }
  std::vector<ConvChoice> choices = choose_convs(network, target, options.kernel, times);
  return std::make_unique<TensorsOnGpu>(load_tensors(network, std::move(choices), device, libraries), devices.size());
}

}  // namespace lacuna::engine::gpus
