// NamedGraph: nodes by name with the attributes that GraphML and edge lists share, before they become a NeuronGraph. Where a file does not say which nodes
// are inputs and outputs, those are where no edge ends and where none starts.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontends/neuro/read/graph_draft.hpp"

namespace lacuna::frontends {

/// feed_forward, stepwise or continuous.
std::optional<Update> find_update(std::string_view word);

/// What can be said about a neuron.
struct NeuronAttributes {
  NeuronFunction function;
  Neuron neuron;

  /// Nothing, or the sentence that says what is wrong. `key`: activation, aggregation, bias, response, time_constant; another one is `unknown`.
  std::optional<std::string> set(std::string_view key, std::string_view value);
  static bool knows(std::string_view key);
};

class NamedGraph {
 public:
  explicit NamedGraph(std::string_view file) : draft_(file), file_(file) {}

  /// Its number; a new one for a name not seen before. Lives as long as this.
  std::int64_t number_of(std::string_view name);
  std::optional<std::int64_t> find(std::string_view name) const;
  const std::string& name_of(std::int64_t number) const { return nodes_[static_cast<std::size_t>(number)].name; }

  /// Says something about a node; false if something was said before.
  bool declare(std::int64_t number, const NeuronAttributes& attributes, std::uint64_t line);
  void rename(std::int64_t number, std::string name) { nodes_[static_cast<std::size_t>(number)].name = std::move(name); }
  void add_edge(std::int64_t source, std::int64_t target, double weight, std::uint64_t line);
  void add_input(std::int64_t number, std::uint64_t line) { inputs_.push_back({number, line}); }
  void add_output(std::int64_t number, std::uint64_t line) { outputs_.push_back({number, line}); }
  bool has_inputs() const { return !inputs_.empty(); }
  bool has_outputs() const { return !outputs_.empty(); }

  GraphDraft& draft() { return draft_; }

  /// `usual` is what neurons are that nothing was said about.
  NeuronGraph finish(const NeuronAttributes& usual, std::string_view hint);

 private:
  struct Node {
    std::string name;
    std::optional<NeuronAttributes> attributes;
    std::uint64_t line = 0;
    bool is_source = false;
    bool is_target = false;
  };
  struct Mention {
    std::int64_t number;
    std::uint64_t line;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  GraphDraft draft_;
  std::string file_;
  std::unordered_map<std::string, std::int64_t, Hash, std::equal_to<>> numbers_;
  std::vector<Node> nodes_;
  std::vector<Mention> inputs_;
  std::vector<Mention> outputs_;
};

}  // namespace lacuna::frontends
