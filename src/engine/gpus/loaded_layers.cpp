#include "engine/gpus/loaded_layers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <lacuna/error.hpp>

#include "base/text.hpp"
#include "devices/gpu/usable_memory.hpp"
#include "plan/gpus/kernel_text.hpp"

namespace lacuna::engine::gpus {

using plan::gpus::GroupLaunch;
using plan::gpus::LayerPlan;
using plan::gpus::Residency;

namespace {

// Weights take at most three quarters of the memory, inputs at most half: few inputs at a time pass by all weights more often.
constexpr std::size_t quarters_for_weights = 3;
constexpr std::size_t share_of_inputs = 2;
constexpr std::size_t lane_words = 11;          // that looks keep for a lane, and for a tile: LayerRunner::reserve
constexpr std::size_t tile_words = 2;
constexpr std::size_t most_looks = 65535 / tiles_of_look;  // a grid's second extent

Residency residency_of(const LayerPlan& plan, const gpu::Limits& limits) {
  std::vector<std::size_t> table_bytes;
  for (const GroupLaunch& group : plan.groups) table_bytes.push_back(group.table_bytes);
  const std::size_t usable = gpu::usable_bytes(limits);
  const std::size_t for_one_look = tiles_of_look * bytes_of_tile(plan) + plan.table_of_looks().size_bytes();
  std::size_t room = std::min(usable / 4 * quarters_for_weights, usable > for_one_look ? usable - for_one_look : 0);
  if (limits.largest_buffer_bytes != 0) room = std::min(room, limits.largest_buffer_bytes);
  Residency residency = plan::gpus::choose_residency(table_bytes, room);
  const std::size_t least = residency.device_bytes() + for_one_look;
  if (least > usable)
    throw DeviceError(fmt::format("{}: {} of memory may be used, and {} are needed at least: {} for {}, {} for {} inputs; take a GPU with more memory, or end what "
                                  "else uses it",
                                  limits.name, base::human_bytes(usable), base::human_bytes(least), base::human_bytes(residency.device_bytes()),
                                  residency.turns == 1 ? "the table of one layer" : "the tables of two layers", base::human_bytes(for_one_look), kernel::look_lanes));
  return residency;
}

}  // namespace

LoadedLayers load_layers(const LayerPlan& plan, std::shared_ptr<gpu::Device> device) {
  LoadedLayers loaded{device, {}, residency_of(plan, device->limits()), {}, {}};
  loaded.kernels = plan::gpus::load_kernels(plan.kernels, *device);
  const std::span<const std::uint32_t> looks = plan.table_of_looks();
  loaded.table = device->allocate(std::max<std::size_t>(loaded.residency.resident_bytes + looks.size_bytes(), 16));
  std::size_t at = 0;
  const auto place = [&](std::span<const std::uint32_t> words) {
    device->write(loaded.table, at, std::as_bytes(words));
    const std::size_t begin = at;
    at += words.size_bytes();
    return static_cast<std::uint32_t>(begin / 16);
  };
  for (std::size_t k = 0; k < plan.groups.size(); ++k) loaded.rows_at.push_back(loaded.residency.stays[k] ? place(plan.table_of(plan.groups[k])) : 0);
  loaded.looks_at = place(looks);
  return loaded;
}

std::size_t arena_bytes_of_tile(const LayerPlan& plan) { return std::size_t{plan.tiles.planes} * plan.tiles.plane_bytes() * 2; }  // in both halves

std::size_t bytes_of_tile(const LayerPlan& plan) {
  const std::size_t input_as_bits = (std::size_t{plan.input.count} + 63) / 64 * 8;
  return arena_bytes_of_tile(plan) + kernel::tile_lanes * (lane_words * 4 + input_as_bits) + tile_words * 4;
}

std::size_t most_tiles_of(const LayerPlan& plan, const LoadedLayers& loaded) {
  const gpu::Limits& limits = loaded.device->limits();
  const std::size_t usable = gpu::usable_bytes(limits);
  const std::size_t weights = loaded.residency.device_bytes() + plan.table_of_looks().size_bytes();
  std::size_t most = std::min(usable / share_of_inputs, usable - std::min(weights, usable)) / bytes_of_tile(plan);
  if (limits.largest_buffer_bytes != 0) most = std::min(most, limits.largest_buffer_bytes / arena_bytes_of_tile(plan));
  return std::clamp<std::size_t>(most / tiles_of_look, 1, most_looks) * tiles_of_look;
}

}  // namespace lacuna::engine::gpus
