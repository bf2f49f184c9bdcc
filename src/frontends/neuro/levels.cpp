#include "frontends/neuro/levels.hpp"

#include <algorithm>

namespace lacuna::frontends {
namespace {

enum class Mark : std::uint8_t { unseen, open, done };

/// Depth first over sources, without recursion: a chain of a million neurons is a network too.
class Search {
 public:
  explicit Search(const NeuronGraph& graph) : graph_(graph), marks_(graph.neurons.size(), Mark::unseen), levels_(graph.neurons.size(), 1) {}

  void visit_all() {
    for (const std::uint32_t output : graph_.outputs)
      if (output >= graph_.inputs) visit(output - graph_.inputs);
    for (std::uint32_t k = 0; k < graph_.neurons.size(); ++k) visit(k);
  }
  bool found_cycle() const { return found_cycle_; }
  std::vector<std::uint32_t> take_levels() { return std::move(levels_); }

 private:
  struct Step {
    std::uint32_t neuron;
    std::uint32_t next_edge;
  };

  void visit(std::uint32_t start) {
    if (marks_[start] != Mark::unseen) return;
    open(start);
    while (!stack_.empty()) {
      Step& step = stack_.back();
      if (step.next_edge == graph_.edge_begin[step.neuron + 1]) {
        close();
        continue;
      }
      const std::uint32_t source = graph_.sources[step.next_edge++];
      if (source < graph_.inputs) continue;
      const std::uint32_t neuron = source - graph_.inputs;
      if (marks_[neuron] == Mark::open)
        found_cycle_ = true;
      else if (marks_[neuron] == Mark::done)
        levels_[step.neuron] = std::max(levels_[step.neuron], levels_[neuron] + 1);
      else
        open(neuron);
    }
  }

  void open(std::uint32_t neuron) {
    marks_[neuron] = Mark::open;
    stack_.push_back({neuron, graph_.edge_begin[neuron]});
  }

  void close() {
    const std::uint32_t neuron = stack_.back().neuron;
    marks_[neuron] = Mark::done;
    stack_.pop_back();
    if (!stack_.empty()) levels_[stack_.back().neuron] = std::max(levels_[stack_.back().neuron], levels_[neuron] + 1);
  }

  const NeuronGraph& graph_;
  std::vector<Mark> marks_;
  std::vector<std::uint32_t> levels_;
  std::vector<Step> stack_;
  bool found_cycle_ = false;
};

}  // namespace

bool is_acyclic(const NeuronGraph& graph) {
  Search search(graph);
  search.visit_all();
  return !search.found_cycle();
}

std::vector<std::uint32_t> levels_of(const NeuronGraph& graph) {
  Search search(graph);
  search.visit_all();
  return search.take_levels();
}

}  // namespace lacuna::frontends
