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

/// Runs the selected passes in list order. Needs: verify passed. Gives: a network that passes it.
Network run_passes(Network network, const std::vector<std::string>& selected, const AfterPass& after_pass);

bool is_selected(const std::vector<std::string>& selected, std::string_view name);

/// Drops operators whose value neither the output nor any kept operator reads.
/// Needs: verify passed. Gives: the same answer; names unchanged. Cost: O(operators).
Network remove_unread_operators(Network network);

}  // namespace lacuna::passes
