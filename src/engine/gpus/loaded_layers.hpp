// A layered network on one GPU, as all sessions share it: kernels compiled, and of its tables as many copied there as the memory holds.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "devices/gpu/device.hpp"
#include "kernel/templates/gpu_looks.hpp"
#include "plan/gpus/layer_plan.hpp"
#include "plan/gpus/residency.hpp"

namespace lacuna::engine::gpus {

struct LoadedLayers {
  std::shared_ptr<gpu::Device> device;
  std::vector<gpu::KernelPointer> kernels;
  plan::gpus::Residency residency;
  gpu::BufferPointer table;            ///< of the groups that stay, and of the looks
  std::vector<std::uint32_t> rows_at;  ///< of each group that stays, in `table`, in 16 bytes
  std::uint32_t looks_at = 0;          ///< the same
};

/// Throws DeviceError where not even the tables of two groups and the inputs of a look find room.
LoadedLayers load_layers(const plan::gpus::LayerPlan& plan, std::shared_ptr<gpu::Device> device);

/// What a tile takes in the arena, and with all that looks need to know of it.
std::size_t arena_bytes_of_tile(const plan::gpus::LayerPlan& plan);
std::size_t bytes_of_tile(const plan::gpus::LayerPlan& plan);

/// How many tiles a look takes at a time: memory is had for so many, or a multiple.
inline constexpr std::uint32_t tiles_of_look = kernel::look_lanes / kernel::tile_lanes;

/// Tiles for which a session has room on the device: whole looks, at least one.
std::size_t most_tiles_of(const plan::gpus::LayerPlan& plan, const LoadedLayers& loaded);

}  // namespace lacuna::engine::gpus
