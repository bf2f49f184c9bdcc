// Panels: the inputs that travel together through the layers, and how they close ranks when some of them leave.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "devices/cpu/kernels.hpp"
#include "rows/sparse_rows.hpp"

namespace lacuna::engine {

/// One arena of planes and the inputs in its lanes: lane k holds input ids[k]; lanes beyond are padding.
struct Panel {
  float* arena = nullptr;  ///< lent by whoever seats the panel
  unsigned lanes = 0;
  std::vector<std::uint32_t> ids;
  std::vector<std::uint8_t> stays;  ///< one flag a lane, as of the last look

  float* plane(std::size_t index) { return arena + index * lanes; }
  const float* plane(std::size_t index) const { return arena + index * lanes; }
};

/// All inputs stay.
void mark_all(std::span<Panel> panels);

/// Only inputs with a value other than zero in `planes` stay.
void mark_alive(std::span<Panel> panels, std::span<const rows::PlaneRange> planes, const cpu::Kernels& kernels);

/// An input in `lane` of `panel` that has the same values as another, which can go on for both.
struct Follower {
  std::uint32_t id;
  std::uint32_t leader;
  std::uint32_t panel;
  unsigned lane;
};

/// Of inputs that stay and have the same bits in all `planes`, all but the first. Found by hash, confirmed by value.
std::vector<Follower> find_followers(std::span<const Panel> panels, std::span<const rows::PlaneRange> planes, const cpu::Kernels& kernels);

std::size_t count_inputs(std::span<const Panel> panels);
std::size_t count_staying(std::span<const Panel> panels);

/// Moves the inputs that stay to the front, panel by panel and lane by lane, keeping their order; only `planes` are moved.
/// Afterwards the last panel is as narrow as the kernels allow. Empty panels have no ids.
void close_ranks(std::span<Panel> panels, std::span<const rows::PlaneRange> planes, unsigned widest, const cpu::Kernels& kernels);

/// Writes the inputs of a panel that stay, side by side, plane after plane: values[plane * stride] and on.
void pack_planes(const Panel& panel, std::span<const rows::PlaneRange> planes, const cpu::Kernels& kernels, float* values, std::size_t stride);

}  // namespace lacuna::engine
