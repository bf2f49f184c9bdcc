// neat-python's JSON: nodes in the order in which they are computed, connections in the order in which they are summed.
#include <fmt/format.h>

#include <limits>
#include <optional>
#include <unordered_map>

#include <lacuna/error.hpp>

#include "base/text.hpp"
#include "frontends/neuro/read/graph_draft.hpp"
#include "frontends/neuro/read/json_text.hpp"
#include "frontends/neuro/read/readers.hpp"

namespace lacuna::frontends {
namespace {

class NeatPythonReader {
 public:
  NeatPythonReader(std::string_view text, std::string_view file) : json_(text, file), file_(file), draft_(file) {}

  NeuronGraph read() {
    json_.take_object([&](std::string_view key) { read_field(key); });
    json_.finish();
    for (const auto& [name, seen] : {std::pair{"format_version", saw_version_}, {"network_type", saw_type_}, {"topology", saw_topology_},
                                     {"nodes", saw_nodes_}, {"connections", saw_connections_}})
      if (!seen) fail(fmt::format("has no \"{}\"; a network of neat-python's export_network_json has one", name));
    return finish();
  }

 private:
  struct Listed {
    std::int64_t id = 0;
    std::string activation;
    std::string aggregation;
    Neuron neuron;
    std::string name;
    bool is_input = false;
    bool has_id = false;
  };

  [[noreturn]] void fail(const std::string& sentence) const { throw InputError(file_, sentence); }

  void read_field(std::string_view key) {
    if (key == "format_version") {
      saw_version_ = true;
      if (const std::string version = json_.take_string("the format version"); version != "1.0")
        throw Unsupported(fmt::format("{}: format version {} of neat-python's JSON is not read; 1.0 is", file_, base::quote(version)));
    } else if (key == "network_type") {
      saw_type_ = true;
      read_type();
    } else if (key == "topology") {
      saw_topology_ = true;
      read_topology();
    } else if (key == "nodes") {
      saw_nodes_ = true;
      json_.take_array([&] { read_node(); });
    } else if (key == "connections") {
      saw_connections_ = true;
      json_.take_array([&] { read_connection(); });
    } else if (key == "metadata") {
      read_metadata();
    } else {
      json_.skip_value();
    }
  }

  void read_type() {
    const std::string type = json_.take_string("the network type");
    if (type == "iznn")
      throw Unsupported(fmt::format("{}: spiking networks (iznn) are not served; feedforward, recurrent and ctrnn networks are", file_));
    if (type == "feedforward")
      update_ = Update::feed_forward;
    else if (type == "recurrent")
      update_ = Update::stepwise;
    else if (type == "ctrnn")
      update_ = Update::continuous;
    else
      fail(fmt::format("the network type {} is unknown; neat-python has feedforward, recurrent, ctrnn and iznn", base::quote(type)));
  }

  std::vector<std::int64_t> take_keys() {
    std::vector<std::int64_t> keys;
    json_.take_array([&] { keys.push_back(json_.take_whole("the key")); });
    return keys;
  }

  void read_topology() {
    std::optional<std::int64_t> num_inputs, num_outputs;
    json_.take_object([&](std::string_view key) {
      if (key == "num_inputs")
        num_inputs = json_.take_whole("num_inputs");
      else if (key == "num_outputs")
        num_outputs = json_.take_whole("num_outputs");
      else if (key == "input_keys")
        inputs_ = take_keys();
      else if (key == "output_keys")
        outputs_ = take_keys();
      else
        json_.skip_value();
    });
    if (num_inputs && *num_inputs != static_cast<std::int64_t>(inputs_.size()))
      fail(fmt::format("num_inputs is {}, but there are {} input_keys", *num_inputs, inputs_.size()));
    if (num_outputs && *num_outputs != static_cast<std::int64_t>(outputs_.size()))
      fail(fmt::format("num_outputs is {}, but there are {} output_keys", *num_outputs, outputs_.size()));
  }

  /// {"name": "tanh", "custom": false}
  std::string take_function() {
    std::string name;
    json_.take_object([&](std::string_view key) {
      if (key == "name")
        name = json_.take_string("the name of a function");
      else
        json_.skip_value();
    });
    return name;
  }

  void read_node() {
    Listed listed;
    json_.take_object([&](std::string_view key) { read_node_field(key, listed); });
    if (!listed.has_id) json_.fail("this node has no \"id\"");
    nodes_.push_back(std::move(listed));
  }

  void read_node_field(std::string_view key, Listed& listed) {
    if (key == "id") {
      listed.id = json_.take_whole("the id");
      listed.has_id = true;
    } else if (key == "type") {
      const std::string type = json_.take_string("the type");
      if (type != "input" && type != "hidden" && type != "output")
        json_.fail(fmt::format("a node has the type {}; neat-python has input, hidden and output", base::quote(type)));
      listed.is_input = type == "input";
    } else if (key == "activation") {
      listed.activation = take_function();
    } else if (key == "aggregation") {
      listed.aggregation = take_function();
    } else if (key == "bias") {
      listed.neuron.bias = json_.take_number("the bias");
    } else if (key == "response") {
      listed.neuron.response = json_.take_number("the response");
    } else if (key == "time_constant") {
      listed.neuron.time_constant = json_.take_number("the time constant");
    } else if (key == "name") {  // ours: neat-python's nodes have numbers only
      listed.name = json_.take_string("the name");
    } else {
      json_.skip_value();
    }
  }

  void read_connection() {
    std::int64_t from = 0, to = 0;
    double weight = 0;
    bool is_enabled = true;
    unsigned seen = 0;
    json_.take_object([&](std::string_view key) {
      if (key == "from") {
        from = json_.take_whole("the source");
        seen |= 1;
      } else if (key == "to") {
        to = json_.take_whole("the target");
        seen |= 2;
      } else if (key == "weight") {
        weight = json_.take_number("the weight");
        seen |= 4;
      } else if (key == "enabled") {
        is_enabled = json_.take_bool("the mark of an enabled connection");
      } else {
        json_.skip_value();
      }
    });
    if (seen != 7) json_.fail(fmt::format("this connection has no \"{}\"", (seen & 1) == 0 ? "from" : (seen & 2) == 0 ? "to" : "weight"));
    if (is_enabled) draft_.add_edge(from, to, weight, 0);
  }

  /// Ours is what stands under "lacuna"; the rest is the user's.
  void read_metadata() {
    json_.take_object([&](std::string_view key) {
      if (key != "lacuna") return json_.skip_value();
      json_.take_object([&](std::string_view setting) {
        if (setting == "steps") {
          const std::int64_t steps = json_.take_whole("the number of steps");
          if (steps < 1 || steps > std::numeric_limits<std::uint32_t>::max()) json_.fail(fmt::format("{} steps are out of range", steps));
          draft_.set_steps(static_cast<std::uint32_t>(steps));
        } else if (setting == "time_step") {
          draft_.set_time_step(json_.take_number("the time step"));
        } else {
          json_.skip_value();
        }
      });
    });
  }

  NeuronGraph finish() {
    draft_.set_update(update_);
    std::unordered_map<std::int64_t, std::string*> input_names;
    for (Listed& node : nodes_)
      if (node.is_input && !input_names.emplace(node.id, &node.name).second) fail(fmt::format("the node {} is listed twice", node.id));
    for (const std::int64_t key : inputs_) {
      const auto listed = input_names.find(key);
      draft_.add_input(key, 0, listed == input_names.end() ? std::string() : *listed->second);
      if (listed != input_names.end()) input_names.erase(listed);
    }
    for (const Listed& node : nodes_)
      if (node.is_input && input_names.contains(node.id)) fail(fmt::format("the input node {} is not among the input_keys", node.id));
    for (Listed& node : nodes_)
      if (!node.is_input) add_neuron(node);
    for (const std::int64_t key : outputs_) draft_.add_output(key, 0);
    return draft_.finish({.unlisted_nodes_are_zero = update_ != Update::feed_forward});
  }

  void add_neuron(Listed& node) {
    const auto function = parse_function(node.activation);
    if (!function)
      fail(fmt::format("node {} has the activation {}, which is unknown; docs/neuroevolution.md lists the functions", node.id, base::quote(node.activation)));
    const auto aggregation = find_aggregation(node.aggregation);
    if (!aggregation)
      fail(fmt::format("node {} has the aggregation {}, which is unknown; there are sum, product, max, min, maxabs, mean and median", node.id,
                       base::quote(node.aggregation)));
    node.neuron.aggregation = *aggregation;
    draft_.add_neuron(node.id, *function, node.neuron, 0, std::move(node.name));
  }

  JsonText json_;
  std::string file_;
  GraphDraft draft_;
  Update update_ = Update::feed_forward;
  std::vector<std::int64_t> inputs_;
  std::vector<std::int64_t> outputs_;
  std::vector<Listed> nodes_;
  bool saw_version_ = false, saw_type_ = false, saw_topology_ = false, saw_nodes_ = false, saw_connections_ = false;
};

}  // namespace

NeuronGraph read_neat_python(std::string_view text, std::string_view file) { return NeatPythonReader(text, file).read(); }

}  // namespace lacuna::frontends
