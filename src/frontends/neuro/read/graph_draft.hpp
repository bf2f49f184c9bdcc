// GraphDraft: the nodes and edges of a file as it lists them, by the file's own numbers. finish() looks up the numbers and makes a NeuronGraph, or
// says what does not fit together. Every reader of neuroevolution ends here, so that a mistake reads the same in each format.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <lacuna/neuron_graph.hpp>

namespace lacuna::frontends {

/// What a file may leave out.
struct DraftRules {
  bool unlisted_nodes_are_zero = false;  ///< sources and outputs that nobody lists stay 0 for ever; otherwise they are mistakes
  bool edges_may_repeat = false;         ///< two edges from one node to another are two terms of the sum; otherwise a mistake
  bool cycles_make_steps = false;        ///< the file does not say how it is updated: stepwise if there is a cycle
  std::string_view hint = "";            ///< what to do about a node that is not listed, with a leading "; "
};

class GraphDraft {
 public:
  explicit GraphDraft(std::string_view file, Update update = Update::feed_forward) : file_(file), update_(update) {}

  // `line` 0: the format has no lines. `name` empty: the number.
  void add_input(std::int64_t id, std::uint64_t line, std::string name = {});
  void add_neuron(std::int64_t id, const NeuronFunction& function, const Neuron& neuron, std::uint64_t line, std::string name = {});
  void add_output(std::int64_t id, std::uint64_t line) { outputs_.push_back({id, line}); }
  void add_edge(std::int64_t source, std::int64_t target, double weight, std::uint64_t line) {
    edges_.push_back({source, target, weight, static_cast<std::uint32_t>(line)});
  }
  void set_update(Update update) { update_ = update; }
  void set_steps(std::uint32_t steps) { steps_ = steps; }
  void set_time_step(double seconds) { time_step_ = seconds; }

  std::size_t edges() const { return edges_.size(); }

  NeuronGraph finish(const DraftRules& rules);

 private:
  struct Node {
    std::int64_t id;
    NeuronFunction function;
    Neuron neuron;
    std::uint64_t line;
    std::string name;
  };
  struct Edge {
    std::int64_t source;
    std::int64_t target;
    double weight;
    std::uint32_t line;
  };
  struct Output {
    std::int64_t id;
    std::uint64_t line;
  };
  class Numbers;  ///< from the file's number of a node to ours

  std::string name_of(std::int64_t id) const;
  Numbers number_nodes(const DraftRules& rules);
  void refuse_repeated_edges(const NeuronGraph& graph) const;
  [[noreturn]] void fail(std::uint64_t line, const std::string& sentence) const;

  std::string file_;
  Update update_;
  std::uint32_t steps_ = 1;
  double time_step_ = 0.01;
  std::vector<Node> inputs_;
  std::vector<Node> neurons_;
  std::vector<Output> outputs_;
  std::vector<Edge> edges_;
};

}  // namespace lacuna::frontends
