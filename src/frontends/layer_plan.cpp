#include "frontends/layer_plan.hpp"

#include <fmt/format.h>

#include <lacuna/error.hpp>
#include <utility>
#include <vector>

#include "base/memory.hpp"
#include "base/parallel_in_order.hpp"
#include "base/progress_counter.hpp"
#include "base/text.hpp"
#include "store/network_store.hpp"

namespace lacuna::frontends {
namespace {

Value layer_value(std::uint32_t number, std::uint32_t width) {
  return {number == 0 ? "input" : fmt::format("l{}", number), Shape{{width}}};
}

Operator layer_operator(std::uint32_t k, Linear linear) { return {std::move(linear), {ValueId{k}}, ValueId{k + 1}}; }

/// Fails with a sentence before the system runs out of memory and ends the program without one.
class MemoryBudget {
 public:
  void take(std::uint64_t bytes) {
    if ((taken_ += bytes) > available_)
      throw DeviceError(
          fmt::format("the network needs more than the {} of memory that are free; let a store be written, "
                      "which is mapped instead",
                      base::human_bytes(available_)));
  }

 private:
  std::uint64_t available_ = base::available_memory_bytes();
  std::atomic<std::uint64_t> taken_{0};
};

Network read_into_memory(const LayerPlan& plan, const LoadOptions& options, std::atomic<std::uint64_t>& text_bytes) {
  base::ProgressCounter progress(options.progress, "reading layers", plan.layers);
  std::vector<Linear> layers(plan.layers);
  MemoryBudget budget;
  base::parallel_for(base::thread_count(options.threads), plan.layers, [&](std::size_t k, unsigned) {
    layers[k] = plan.read(static_cast<std::uint32_t>(k), text_bytes);
    budget.take(layers[k].weights.bytes() + layers[k].bias.bytes());
    progress.add(1);
  });
  Network network;
  network.values.push_back(layer_value(0, layers.at(0).weights.columns));
  for (std::uint32_t k = 0; k < plan.layers; ++k) {
    network.values.push_back(layer_value(k + 1, layers[k].weights.rows));
    network.operators.push_back(layer_operator(k, std::move(layers[k])));
  }
  network.output = ValueId{plan.layers};
  verify(network);
  return network;
}

void read_into_store(const LayerPlan& plan, const LoadOptions& options, const std::filesystem::path& file,
                     std::atomic<std::uint64_t>& text_bytes) {
  base::ProgressCounter progress(options.progress, "reading layers", plan.layers);
  store::NetworkWriter writer(file, plan.fingerprint);
  base::parallel_in_order(
      base::thread_count(options.threads), plan.layers,
      [&](std::size_t k) { return plan.read(static_cast<std::uint32_t>(k), text_bytes); },
      [&](std::size_t task, Linear layer) {
        const auto k = static_cast<std::uint32_t>(task);
        if (k == 0) writer.add_value(layer_value(0, layer.weights.columns));
        writer.add_value(layer_value(k + 1, layer.weights.rows));
        writer.add_operator(layer_operator(k, std::move(layer)));
        progress.add(1);
      });
  writer.finish(ValueId{0}, ValueId{plan.layers});
}

}  // namespace

Network load_layers(const LayerPlan& plan, const LoadOptions& options, LoadReport& report) {
  const std::filesystem::path file = options.store.empty() ? plan.store : options.store;
  const unsigned threads = base::thread_count(options.threads);
  std::atomic<std::uint64_t> text_bytes{0};
  if (options.use_store) {
    if (std::filesystem::exists(file)) {
      if (std::optional<Network> network = store::open_fresh_network(file, plan.fingerprint, threads, &report.key)) {
        report.from_store = true;
        report.store = file;
        return *std::move(network);
      }
    }
    try {
      read_into_store(plan, options, file, text_bytes);
      report.store = file;
      report.text_bytes = text_bytes;
      return store::open_network(file, threads, store::Checksums::skip, &report.key);
    } catch (const DeviceError& error) {
      // The network matters more than its store: read the text again, into memory.
      report.note = fmt::format("no store: {}", error.what());
    }
  }
  text_bytes = 0;
  Network network = read_into_memory(plan, options, text_bytes);
  report.text_bytes = text_bytes;
  return network;
}

}  // namespace lacuna::frontends
