// The one list of optimisations: passes over the Network, one over its rows, and exact checks made while it runs. The pipeline, `--optimise`,
// `--print-after`, the help text and the tests all read it.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <lacuna/network.hpp>
#include <lacuna/optimise.hpp>
#include <lacuna/progress.hpp>

namespace lacuna::passes {

struct PassSettings {
  unsigned threads = 1;
  Progress progress = {};
};

struct ListedPass {
  std::string_view name;
  std::string_view what;
  Network (*run)(Network network, const PassSettings& settings);  ///< null: not done to the network, but later
  Serves serves;                                                  ///< networks of another kind do not see it
  bool keeps_bits = true;                                         ///< of the answer: part of --optimise bitwise
  bool in_all = true;                                             ///< false: another one of the list finds all it would find
};

/// In the order they run.
std::span<const ListedPass> pass_list();

using AfterPass = std::function<void(std::string_view pass, const Network& network, double seconds, bool changed)>;

/// Runs the selected passes in list order. Needs: verify passed. Verifies at the end, or after each pass when someone watches: reading billions of
/// edges takes as long as the passes do.
Network run_passes(Network network, const std::vector<std::string>& selected, const PassSettings& settings, const AfterPass& after_pass);

/// Those of the selected that serve this kind of network.
std::vector<std::string> serving(const std::vector<std::string>& selected, const Network& network);

bool is_selected(const std::vector<std::string>& selected, std::string_view name);

/// Drops operators whose value neither the output nor any kept operator reads.
/// Needs: verify passed. Gives: the same answer; names unchanged. Cost: O(operators).
Network remove_unread_operators(Network network, const PassSettings& settings = {});

/// Batch normalisation, and constants added to or multiplied with whole channels of a convolution that nobody else reads, move into its weights and
/// biases, computed in double and rounded once. A normalisation that follows no convolution becomes one with one weight a channel.
/// Needs: verify passed. Gives: the same answer in exact arithmetic. Cost: O(weights).
Network fold_scales(Network network, const PassSettings& settings = {});

/// The sum of a convolution that nobody else reads and another value of the same shape becomes the convolution's own skip connection.
/// Needs: verify passed. Gives: the same answer in exact arithmetic; the sum is rounded in another order. Cost: O(operators).
Network fuse_skips(Network network, const PassSettings& settings = {});

/// Relu, Clip, LeakyRelu, Sigmoid, Tanh, HardSigmoid, HardSwish, and x * Sigmoid(x) after a convolution that nobody else reads become its own activation.
/// Needs: verify passed. Gives: the same answer. Cost: O(operators).
Network fuse_activations(Network network, const PassSettings& settings = {});

/// A convolution or fully connected layer whose input is dequantised, whose output is quantised and read by nobody else, and whose weights are whole numbers within
/// -127 and 127 times a step for each output channel becomes a QLinearConv. So does MaxPool, or what moves elements, between the same scales: it moves bytes.
/// Needs: verify passed. Gives: the same answer within one step of the output; biases are rounded to steps. Cost: O(weights), 127 times that where they are no such numbers.
Network fuse_quantisation(Network network, const PassSettings& settings = {});

/// Drops channels between convolutions (straight or through pooling and Relu): those whose filter is all zero and whose activation of the bias is zero, or
/// another constant that readers without padding take into their biases; and those whose readers' weights are all zero. Every value keeps a channel.
/// Needs: verify passed. Gives: the same answer in exact arithmetic for finite activations. Cost: O(weights) for each round; rounds end when nothing changes.
Network remove_dead_channels(Network network, const PassSettings& settings = {});

/// Channels between convolutions whose filters and biases are the same, bit by bit, become one; their readers add their weights up.
/// Needs: verify passed. Gives: the same answer in exact arithmetic. Cost: O(weights).
Network merge_equal_filters(Network network, const PassSettings& settings = {});

/// Sorts the neurons of neuron graphs into levels, so that every edge of a feed-forward one goes from a lower level to a higher one; others have one level.
/// Within a level, neurons of one aggregation, function and number of edges stand together. Neurons that reach no output are dropped.
/// Needs: verify passed. Gives: every bit of the answer: edges of a neuron keep their order. Cost: O(nodes + edges), and sorting within levels.
/// Throws InputError naming one cycle if a feed-forward graph has one.
Network levelise(Network network, const PassSettings& settings = {});

/// The same for one graph; with `keep_all` nothing is dropped. `name` stands for it in messages.
NeuronGraph levelise(const NeuronGraph& graph, bool keep_all, std::string_view name);

/// `graph` in the order that `like`, an earlier result of levelise, was brought into: O(nodes + edges), nothing is sorted. Throws InputError if it has other
/// edges, functions or aggregations than `like`.
NeuronGraph levelise_like(const NeuronGraph& graph, const NeuronGraph& like, std::string_view name);

/// A neuron without sources has the same value whatever the input: its readers take weight * value into their biases, in double and rounded
/// once, and stop reading it; rows that have no sources left then are constant too. The neuron itself stays: remove_dead_neurons drops it.
/// Needs: verify passed. Gives: the same sums in exact arithmetic; in floats within the bound of the row as given, which has a rounding for
/// each term folded. A row whose bias would not be finite stays as it is. Cost: O(rows), and O(edges) in layers that read constants.
Network fold_constant_neurons(Network network, const PassSettings& settings = {});

/// Drops neurons that no row reads, from the output to the input. A stored weight reads its source even if it is zero: zero times infinity is not
/// zero. The network's input and output and values that are added row by row keep all their neurons; every value keeps at least one.
/// Needs: verify passed. Gives: every bit of the answer (but the sign of a zero where a layer with one weight for all is left with a single
/// one and its bias is -0). Cost: O(edges) at most; a layer is read until all its sources were seen, and copied only if it loses something.
Network remove_dead_neurons(Network network, const PassSettings& settings = {});

/// Neurons of a layer with the same sources, weights, bias and activation (bit by bit) become one; their readers add their weights up, layer
/// after layer. The network's input and output and values that are added row by row keep all their neurons.
/// Needs: verify passed. Gives: the same sums in exact arithmetic. In floats: a merged weight is rounded once, and a row that had n nonzeros
/// and has m of them left, m < n, takes m more roundings; so its error is at most gamma_(m+1) <= gamma_n times the sum of the magnitudes
/// |weight| |source|, the bound of the unmerged row, where gamma_n = n u / (1 - n u) and u = 2^-24. Sums of equal powers of two, as in the
/// challenge, are exact. Cost: O(edges) on all threads; a layer in which nothing merges is read once and not copied.
Network merge_equal_neurons(Network network, const PassSettings& settings = {});

}  // namespace lacuna::passes
