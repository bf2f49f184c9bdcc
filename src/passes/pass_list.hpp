// The one list of optimisations: passes over the Network, and exact checks made while it runs. The pipeline, `--optimise`,
// `--print-after`, the help text and the tests all read it.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <lacuna/network.hpp>

namespace lacuna::passes {

struct ListedPass {
  std::string_view name;
  std::string_view what;
  Network (*run)(Network network);  ///< null: done while the program runs, not to the network
};

/// In the order they run.
std::span<const ListedPass> pass_list();

using AfterPass = std::function<void(std::string_view pass, const Network& network, double seconds, bool changed)>;

/// Runs the selected passes in list order. Needs: verify passed. Verifies after each pass.
Network run_passes(Network network, const std::vector<std::string>& selected, const AfterPass& after_pass);

bool is_selected(const std::vector<std::string>& selected, std::string_view name);

/// Drops operators whose value neither the output nor any kept operator reads.
/// Needs: verify passed. Gives: the same answer; names unchanged. Cost: O(operators).
Network remove_unread_operators(Network network);

/// Neurons of a layer with the same sources, weights and bias become one; their readers add their weights up, layer after layer. The network's
/// input and output and values that are added row by row keep all their neurons.
/// Needs: verify passed. Gives: the same sums in exact arithmetic; floats are added in another order and a merged weight is rounded once, both
/// within the bound of the unmerged row (a rounding for each nonzero). Every other optimisation keeps each bit: leave this one out by
/// name where that matters. Cost: O(edges).
Network merge_equal_neurons(Network network);

}  // namespace lacuna::passes
