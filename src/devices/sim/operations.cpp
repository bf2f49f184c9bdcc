#include "devices/sim/operations.hpp"

namespace lacuna::sim {

// lanes_arithmetic.cpp, lanes_convert.cpp, lanes_memory.cpp
void add_arithmetic(LaneTable& table);
void add_conversions(LaneTable& table);
void add_memory(LaneTable& table);

const LaneTable& lane_table() {
  static const LaneTable table = [] {
    LaneTable made;
    add_arithmetic(made);
    add_conversions(made);
    add_memory(made);
    return made;
  }();
  return table;
}

}  // namespace lacuna::sim
