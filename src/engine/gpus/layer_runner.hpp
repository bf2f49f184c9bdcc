// Takes inputs through a layered network on one GPU.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "devices/gpu/device.hpp"
#include "engine/batch.hpp"
#include "engine/gpus/loaded_layers.hpp"

namespace lacuna::engine::gpus {

/// What came out of some inputs.
struct LayerPart {
  std::vector<std::uint32_t> survivors;  ///< numbers in the batch, ascending
  std::vector<std::uint32_t> rows;       ///< for each survivor its row of `values`
  std::vector<float> values;
  double seconds = 0;                    ///< of the device, from the first layer to the last; inputs are there, as bits or as planes
  std::uint64_t active_edges = 0;
  std::uint64_t streamed_bytes = 0;      ///< of tables that travelled meanwhile
  std::size_t chunks = 0;                ///< as many inputs at a time as its memory holds
};

class LayerRunner {
 public:
  /// Both must outlive it.
  LayerRunner(const plan::gpus::LayerPlan& plan, const LoadedLayers& loaded) : plan_(plan), loaded_(loaded) {}

  /// Inputs [first, first + count) of the batch.
  LayerPart run(const Batch& batch, std::size_t first, std::size_t count);
  const plan::gpus::Residency& residency() const { return loaded_.residency; }

 private:
  struct Memory;
  void reserve(std::size_t count);
  void lay_inputs(const Batch& batch, std::size_t first, std::size_t count);
  void check_inputs(std::span<const float> planes, std::size_t first) const;
  void copy_bits(const BitMatrix& bits, std::size_t first, std::size_t count);
  void expand_bits(const BitMatrix& bits);
  void record_steps();
  void run_steps();
  std::uint32_t blocks_of_tile(const plan::gpus::GroupLaunch& group) const;
  void launch_baked(const plan::gpus::GroupLaunch& group);
  void launch_group(const plan::gpus::GroupLaunch& group, const gpu::BufferPointer& table, std::uint32_t rows_at);
  void launch_look(const plan::gpus::Look& look, std::uint32_t number);
  std::uint64_t count_active_edges(std::size_t count);
  void collect(std::size_t first, std::size_t count, LayerPart& part);
  void launch(std::uint32_t kernel, std::uint32_t blocks_x, std::uint32_t blocks_y, std::vector<gpu::Argument> arguments);

  const plan::gpus::LayerPlan& plan_;
  const LoadedLayers& loaded_;
  std::shared_ptr<Memory> memory_;
};

}  // namespace lacuna::engine::gpus
