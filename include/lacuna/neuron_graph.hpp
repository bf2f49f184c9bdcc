// NeuronGraph: a network of any structure, neuron by neuron, as neuroevolution and graph pruning leave it. Values and typed indices only:
// copies share their arrays.
//
//   node     0 .. inputs-1        an input
//            inputs .. nodes()-1  neuron k = node - inputs
//   edges of neuron k: sources[e], weights[e] for e in edge_begin[k] .. edge_begin[k+1], in the order in which they are summed
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <lacuna/array.hpp>
#include <lacuna/neuron_function.hpp>

namespace lacuna {

/// Whose name of a function is meant. Reading takes any name of the union: no two tools mean different things by one spelling.
enum class Dialect : std::uint8_t { neat_python, sharpneat, goneat, multineat };

struct NamedFunction {
  std::string_view name;  ///< "sigmoid", "LeakyReLU", "SigmoidSteepenedActivation"
  Dialect dialect;
  NeuronFunction function;
};

/// The one list of names: readers, writers and documentation read it. Within a dialect a name stands once.
std::span<const NamedFunction> named_functions();

/// By any name of the list, as it is spelled there.
std::optional<NeuronFunction> find_function(std::string_view name);

/// Its name in a dialect, if it has one there.
std::optional<std::string_view> name_in(Dialect dialect, const NeuronFunction& function);

/// A name of the list, or the formula with its parameters: find_function and parse_function understand both.
std::string to_string(const NeuronFunction& function);

/// Reads a name or what to_string gave. Nothing: it is neither.
std::optional<NeuronFunction> parse_function(std::string_view text);

std::string_view name_of(Aggregation aggregation);
std::optional<Aggregation> find_aggregation(std::string_view name);

/// y = function(bias + response * aggregation(weight * source, ...)); of no edges the product is 1, every other aggregation 0.
struct Neuron {
  std::uint32_t function = 0;  ///< in NeuronGraph::functions
  Aggregation aggregation = Aggregation::sum;
  double bias = 0;
  double response = 1;
  double time_constant = 1;    ///< of a continuous network, in seconds

  bool operator==(const Neuron&) const = default;
};

enum class Update : std::uint8_t {
  feed_forward,  ///< every neuron once, after its sources; there is no cycle
  stepwise,      ///< all neurons at once from the values of the step before; zeros at first
  continuous,    ///< stepwise, and y = d * y before + (1 - d) * function(...) with d = e^(-time_step / time_constant)
};

struct NeuronGraph {
  Update update = Update::feed_forward;
  std::uint32_t inputs = 0;
  Array<NeuronFunction> functions;  ///< those its neurons use
  Array<Neuron> neurons;
  Array<std::uint32_t> edge_begin;  ///< one more than there are neurons
  Array<std::uint32_t> sources;
  Array<double> weights;
  Array<std::uint32_t> outputs;     ///< nodes
  Array<std::string> names;         ///< of all nodes, as they were numbered at first; empty: they are called by their numbers
  std::uint32_t steps = 1;          ///< updates for one row of inputs, unless feed_forward
  double time_step = 0.01;          ///< of a continuous network, in seconds
  Array<std::uint32_t> levels;      ///< filled by levelise: the first neuron of each level, then the number of neurons
  Array<std::uint32_t> earlier;     ///< filled by levelise: the number each neuron had at first

  std::uint32_t nodes() const { return inputs + static_cast<std::uint32_t>(neurons.size()); }
  std::string name(std::uint32_t node) const {
    if (names.empty()) return std::to_string(node);
    return node < inputs || earlier.empty() ? names[node] : names[inputs + earlier[node - inputs]];
  }
};

/// Collects a graph node by node and edge by edge, in any order, and puts it in form.
class NeuronGraphBuilder {
 public:
  explicit NeuronGraphBuilder(Update update = Update::feed_forward) { graph_.update = update; }

  /// Inputs come before neurons: they are the first nodes. Returns the node.
  std::uint32_t add_input(std::string name);
  std::uint32_t add_neuron(std::string name, const NeuronFunction& function, Neuron neuron = {});
  void add_edge(std::uint32_t source, std::uint32_t target, double weight);
  void add_output(std::uint32_t node) { outputs_.push_back(node); }
  void set_steps(std::uint32_t steps) { graph_.steps = steps; }
  void set_time_step(double seconds) { graph_.time_step = seconds; }

  /// Edges of a neuron keep the order in which they were added.
  NeuronGraph finish();

 private:
  struct Edge {
    std::uint32_t source;
    std::uint32_t target;
    double weight;
  };
  NeuronGraph graph_;
  std::vector<NeuronFunction> functions_;
  std::vector<Neuron> neurons_;
  std::vector<std::string> names_;
  std::vector<std::uint32_t> outputs_;
  std::vector<Edge> edges_;
};

}  // namespace lacuna
