// What a session keeps from run to run: memory whose pages are there already.
#pragma once

#include <optional>
#include <vector>

#include "base/aligned_buffer.hpp"
#include "engine/bit_planes.hpp"
#include "engine/panels.hpp"
#include "plan/panel_set.hpp"

namespace lacuna::engine {

/// Of one core.
struct Workspace {
  base::AlignedFloats planes;  ///< of all panels
  std::vector<Panel> panels;
  std::vector<plan::PanelView> views;  ///< of the set at hand
  std::optional<BitPlanes> bits;
  std::vector<std::uint8_t> counts;
};

using Workspaces = std::vector<Workspace>;

}  // namespace lacuna::engine
