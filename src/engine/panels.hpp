// Panels: the inputs that travel together through the layers, and how they close ranks when some of them die.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned_buffer.hpp"
#include "devices/cpu/kernels.hpp"
#include "rows/sparse_rows.hpp"

namespace lacuna::engine {

/// One arena of planes and the inputs in its lanes: lane k holds input ids[k]; lanes beyond are padding.
struct Panel {
  base::AlignedFloats arena;
  unsigned lanes = 0;
  std::vector<std::uint32_t> ids;
  std::vector<std::uint8_t> alive;  ///< one flag a lane, as of the last mark_alive
};

/// Sets the panel's alive flags from the given planes and returns how many of its inputs are alive.
std::size_t mark_alive(Panel& panel, std::span<const rows::PlaneRange> planes, const cpu::Kernels& kernels);

/// Moves the inputs that are alive to the front, panel by panel and lane by lane, keeping their order; only `planes` are moved.
/// Afterwards every input present is alive, and the last panel is as narrow as the kernels allow. Empty panels have no ids.
void close_ranks(std::span<Panel> panels, std::span<const rows::PlaneRange> planes, unsigned widest, cpu::Isa isa);

}  // namespace lacuna::engine
