#include "passes/pass_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include <lacuna/error.hpp>
#include <lacuna/optimise.hpp>

namespace lacuna {
namespace passes {
namespace {

constexpr std::array<ListedPass, 6> list{{
    {"remove_unread_operators", "drop operators whose value nobody reads", remove_unread_operators},
    {"merge_equal_neurons", "neurons of a layer that always have the same value become one", merge_equal_neurons},
    {"depth_first", "inputs in a panel go through many layers while they are in the cache", nullptr},
    {"sparse_first_layer", "inputs that are on or off go through the first layer as bits, where its weights are equal", nullptr},
    {"dead_inputs", "inputs whose activations are all zero leave the batch, where zero stays zero", nullptr},
    {"equal_inputs", "inputs whose activations have become the same are computed once", nullptr},
}};

}  // namespace

std::span<const ListedPass> pass_list() { return list; }

bool is_selected(const std::vector<std::string>& selected, std::string_view name) {
  return std::find(selected.begin(), selected.end(), name) != selected.end();
}

Network run_passes(Network network, const std::vector<std::string>& selected, const AfterPass& after_pass) {
  for (const ListedPass& pass : list) {
    if (pass.run == nullptr || !is_selected(selected, pass.name)) continue;
    const auto start = std::chrono::steady_clock::now();
    const std::uint64_t before = after_pass ? hash(network) : 0;
    network = pass.run(std::move(network));
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    if (after_pass) after_pass(pass.name, network, seconds.count(), hash(network) != before);
    try {
      verify(network);
    } catch (const InputError& error) {
      throw InternalError(fmt::format("{} broke the network: {}", pass.name, error.what()));
    }
  }
  return network;
}

}  // namespace passes

std::vector<Optimisation> optimisations() {
  std::vector<Optimisation> all;
  for (const passes::ListedPass& pass : passes::list) all.push_back({pass.name, pass.what, pass.run != nullptr});
  return all;
}

std::vector<std::string> select_optimisations(std::string_view text) {
  std::vector<std::string> selected;
  const auto all = optimisations();
  if (text == "none") return selected;
  if (text == "all") {
    for (const Optimisation& optimisation : all) selected.emplace_back(optimisation.name);
    return selected;
  }
  std::vector<std::string_view> wanted;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    wanted.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  for (std::string_view name : wanted) {
    if (std::any_of(all.begin(), all.end(), [&](const Optimisation& o) { return o.name == name; })) continue;
    std::vector<std::string_view> names;
    for (const Optimisation& optimisation : all) names.push_back(optimisation.name);
    throw InputError(fmt::format("no optimisation is called \"{}\"; give all, none, or some of {}", name, fmt::join(names, ",")));
  }
  for (const Optimisation& optimisation : all)
    if (std::find(wanted.begin(), wanted.end(), optimisation.name) != wanted.end()) selected.emplace_back(optimisation.name);
  return selected;
}

}  // namespace lacuna
