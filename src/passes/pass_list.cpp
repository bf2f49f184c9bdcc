#include "passes/pass_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include <lacuna/error.hpp>
#include <lacuna/optimise.hpp>

#include "network/same_network.hpp"

namespace lacuna {
namespace passes {
namespace {

constexpr auto list = std::to_array<ListedPass>({
    {"remove_unread_operators", "drop operators whose value nobody reads", remove_unread_operators, Serves::all_networks},
    {"levelise", "neurons of a graph in groups that can be computed at once, those that reach no output dropped", levelise, Serves::neuron_graphs},
    {"fold_scales", "batch normalisation and constants by channel move into the convolution before them", fold_scales, Serves::networks_of_tensors, false},
    {"fuse_skips", "a convolution adds the value that is added to it", fuse_skips, Serves::networks_of_tensors, false},
    {"fuse_activations", "a convolution applies the activation that follows it", fuse_activations, Serves::networks_of_tensors},
    {"fuse_quantisation", "a convolution between dequantised and quantised values multiplies the bytes (CPUs with VNNI)", fuse_quantisation, Serves::networks_of_tensors, false},
    {"remove_dead_channels", "drop channels of convolutions that are always zero or that nobody reads", remove_dead_channels, Serves::networks_of_tensors, false},
    {"merge_equal_filters", "channels of a convolution with equal filters become one; their readers add their weights", merge_equal_filters, Serves::networks_of_tensors, false},
    {"fold_constant_neurons", "neurons that always have the same value move into their readers' biases", fold_constant_neurons, Serves::layered_networks, false},
    {"remove_dead_neurons", "drop neurons nobody reads", remove_dead_neurons, Serves::layered_networks},
    {"merge_equal_neurons", "equal neurons of a layer become one; their readers add their weights", merge_equal_neurons, Serves::layered_networks, false},
    {"merge_equal_rows", "the same without adding weights, bit for bit; left out of all, where merge_equal_neurons does it", nullptr, Serves::layered_networks, true, false},
    {"depth_first", "inputs in a panel go through many layers while they are in the cache", nullptr, Serves::layered_networks},
    {"sparse_first_layer", "inputs that are on or off go through the first layer as bits, where its weights are equal", nullptr, Serves::layered_networks},
    {"dead_inputs", "inputs whose activations are all zero leave the batch, where zero stays zero", nullptr, Serves::layered_networks},
    {"equal_inputs", "inputs whose activations have become the same are computed once", nullptr, Serves::layered_networks},
});

}  // namespace

std::span<const ListedPass> pass_list() { return list; }

bool is_selected(const std::vector<std::string>& selected, std::string_view name) {
  return std::find(selected.begin(), selected.end(), name) != selected.end();
}

std::vector<std::string> serving(const std::vector<std::string>& selected, const Network& network) {
  const Serves kind = network.has_neuron_graphs() ? Serves::neuron_graphs : network.has_batch_in_shapes ? Serves::networks_of_tensors : Serves::layered_networks;
  std::vector<std::string> left;
  for (const ListedPass& pass : list)
    if (is_selected(selected, pass.name) && (pass.serves == Serves::all_networks || pass.serves == kind)) left.emplace_back(pass.name);
  return left;
}

namespace {

void verify_after(const Network& network, std::string_view pass) {
  try {
    verify(network);
  } catch (const InputError& error) {
    throw InternalError(fmt::format("{} broke the network: {}", pass, error.what()));
  }
}

}  // namespace

Network run_passes(Network network, const std::vector<std::string>& selected, const PassSettings& settings, const AfterPass& after_pass) {
  std::vector<std::string_view> ran;
  for (const ListedPass& pass : list) {
    if (pass.run == nullptr || !is_selected(selected, pass.name)) continue;
    const Network before = after_pass ? network : Network{};
    const auto start = std::chrono::steady_clock::now();
    network = pass.run(std::move(network), settings);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    ran.push_back(pass.name);
    if (!after_pass) continue;
    verify_after(network, pass.name);
    after_pass(pass.name, network, seconds.count(), !network::is_same(network, before));
  }
  if (!after_pass && !ran.empty()) verify_after(network, fmt::format("one of {}", fmt::join(ran, ", ")));
  return network;
}

}  // namespace passes

std::vector<Optimisation> optimisations() {
  std::vector<Optimisation> all;
  for (const passes::ListedPass& pass : passes::list) all.push_back({pass.name, pass.what, pass.run != nullptr, pass.keeps_bits, pass.serves});
  return all;
}

std::vector<std::string> select_optimisations(std::string_view text) {
  std::vector<std::string> selected;
  if (text == "none") return selected;
  if (text == "all" || text == "bitwise") {
    for (const passes::ListedPass& pass : passes::list)
      if (text == "all" ? pass.in_all : pass.keeps_bits) selected.emplace_back(pass.name);
    return selected;
  }
  const auto all = optimisations();
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
    throw InputError(fmt::format("no optimisation is called \"{}\"; give all, bitwise, none, or some of {}", name, fmt::join(names, ",")));
  }
  for (const Optimisation& optimisation : all)
    if (std::find(wanted.begin(), wanted.end(), optimisation.name) != wanted.end()) selected.emplace_back(optimisation.name);
  return selected;
}

}  // namespace lacuna
