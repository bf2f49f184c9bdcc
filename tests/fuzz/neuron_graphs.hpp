// What the fuzz targets of neuroevolution share: what was read obeys the rules, can be drawn, and reads back from the edge lines it is written to.
#pragma once

#include <lacuna/neuro.hpp>

#include "frontends/neuro/load_neuro.hpp"
#include "frontends/neuro/read/readers.hpp"
#include "frontends/neuro/write/writers.hpp"
#include "harness.hpp"

namespace lacuna::fuzz {

inline void read_graph(frontends::GraphReader reader, std::string_view text, std::string_view file) {
  may_refuse([&] {
    const NeuronGraph graph = reader(text, file);
    std::vector<frontends::Member> members;
    members.push_back({"", std::string(file), graph});
    frontends::network_of(std::move(members), file, {});
    draw_svg(graph);
    const NeuronGraph again = frontends::read_edge_lines(frontends::edge_lines_text(graph), file);
    if (again.weights.size() != graph.weights.size() || again.nodes() != graph.nodes()) __builtin_trap();
  });
}

}  // namespace lacuna::fuzz
