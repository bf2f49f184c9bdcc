// The worlds of all operators: plain, planes, dense or dense in bf16. Coordinate descent from a few starts; each start is a world that operators prefer.
#include <limits>

#include "engine/tensors/choose.hpp"

namespace lacuna::engine::tensors {
namespace {

constexpr std::array<World, world_count> all_worlds{World::plain, World::planes, World::dense, World::dense_bf16};

std::size_t index(World world) { return static_cast<std::size_t>(world); }

/// Reading a value once and writing it once, with a little for the call. Copies run near 8 GB/s on two cores (AMD EPYC, Zen 3, 2026-11).
double copy_seconds(const Value& value, World from, World to) {
  const auto bytes = [&](World world) { return static_cast<double>(value.shape.size() * (world == World::dense_bf16 ? 2 : size_of(value.type))); };
  return 2e-6 + (bytes(from) + bytes(to)) / 8e9;
}

class Search {
 public:
  Search(const Network& network, const std::vector<Costs>& cost) : network_(network), cost_(cost), wanted_(network.values.size()) {}

  double total(const std::vector<World>& worlds) {
    std::vector<World> stands(network_.values.size(), World::plain);
    for (auto& wanted : wanted_) wanted = {};
    double seconds = 0;
    for (std::size_t k = 0; k < worlds.size(); ++k) {
      seconds += cost_[k][index(worlds[k])];
      stands[static_cast<std::size_t>(network_.operators[k].output)] = worlds[k];
      for (ValueId id : network_.operators[k].inputs)
        if (id != no_value && !network_.value(id).is_constant) wanted_[static_cast<std::size_t>(id)][index(worlds[k])] = true;
    }
    for (ValueId id : network_.all_outputs())
      if (!network_.value(id).is_constant) wanted_[static_cast<std::size_t>(id)][index(World::plain)] = true;
    for (std::size_t value = 0; value < wanted_.size(); ++value)
      for (World world : all_worlds)
        if (wanted_[value][index(world)] && world != stands[value]) seconds += copy_seconds(network_.values[value], stands[value], world);
    return seconds;
  }

  void improve(std::vector<World>& worlds, double& best) {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t k = 0; k < worlds.size(); ++k)
        for (World world : all_worlds) {
          const World before = worlds[k];
          if (world == before || cost_[k][index(world)] == std::numeric_limits<double>::infinity()) continue;
          worlds[k] = world;
          const double seconds = total(worlds);
          if (seconds < best - 1e-12) {
            best = seconds;
            changed = true;
          } else {
            worlds[k] = before;
          }
        }
    }
  }

 private:
  const Network& network_;
  const std::vector<Costs>& cost_;
  std::vector<std::array<bool, world_count>> wanted_;
};

/// Every operator in the world it prefers: `liked` if it can, else the cheapest.
std::vector<World> start_with(const std::vector<Costs>& cost, World liked) {
  std::vector<World> worlds;
  for (const auto& of_op : cost) {
    World best = World::plain;
    for (World world : all_worlds)
      if (of_op[index(world)] < of_op[index(best)]) best = world;
    const bool can = of_op[index(liked)] != std::numeric_limits<double>::infinity();
    worlds.push_back(can && liked != World::plain ? liked : best);
  }
  return worlds;
}

}  // namespace

std::vector<World> choose_worlds(const Network& network, const std::vector<Costs>& cost) {
  Search search(network, cost);
  std::vector<World> chosen;
  double least = std::numeric_limits<double>::infinity();
  for (World liked : all_worlds) {
    std::vector<World> worlds = start_with(cost, liked);
    double seconds = search.total(worlds);
    search.improve(worlds, seconds);
    if (chosen.empty() || seconds < least) {
      least = seconds;
      chosen = std::move(worlds);
    }
  }
  return chosen;
}

}  // namespace lacuna::engine::tensors
