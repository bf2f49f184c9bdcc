// What compile() leaves behind: all that a session needs, read-only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <lacuna/compile.hpp>
#include <lacuna/network.hpp>

#include "plan/counted_layer.hpp"
#include "plan/plan.hpp"
#include "rows/sparse_rows.hpp"

namespace lacuna::engine {

struct Compiled {
  Network network;  ///< after the passes
  rows::SparseRows rows;
  plan::Plan plan;
  std::optional<plan::CountedLayer> counted;  ///< the first layer for inputs that are on or off
  unsigned threads;
  std::vector<std::string> optimisations;
  std::uint64_t edges;  ///< of the network as given
  SimplifyReport simplified;
};

}  // namespace lacuna::engine
