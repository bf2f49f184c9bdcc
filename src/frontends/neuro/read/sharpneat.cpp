// SharpNEAT's .net: sections of lines with an empty line between them: counts, cyclic or acyclic, connections, functions, and maybe the function of
// each node.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include <lacuna/error.hpp>

#include "base/text.hpp"
#include "frontends/neuro/read/graph_draft.hpp"
#include "frontends/neuro/read/lines.hpp"
#include "frontends/neuro/read/readers.hpp"

namespace lacuna::frontends {
namespace {

constexpr std::int64_t most_nodes = 2147483647;  // SharpNEAT's numbers have 32 bits

class SharpneatReader {
 public:
  SharpneatReader(std::string_view text, std::string_view file) : file_(file), bytes_(text.size()), lines_(text, file), draft_(file) {}

  NeuronGraph read() {
    read_counts();
    read_cyclic();
    read_connections();
    read_functions();
    read_functions_of_nodes();
    if (!skip_empty()) return finish();
    lines_.fail(0, "comes after the last section of a network");
  }

 private:
  /// The next line that is no comment, split; false if it is empty or there is none, which ends a section.
  bool next_in_section() {
    if (has_line_) {
      has_line_ = false;
      return true;
    }
    while (lines_.next()) {
      if (lines_.line().starts_with('#')) continue;
      lines_.split();
      return lines_.fields() > 0;
    }
    return false;
  }

  /// Goes to the first line of a section; false if there is none.
  bool skip_empty() {
    while (lines_.next()) {
      if (lines_.line().starts_with('#')) continue;
      lines_.split();
      if (lines_.fields() > 0) return has_line_ = true;
    }
    return false;
  }

  void begin_section(std::string_view what) {
    if (!skip_empty()) throw InputError(file_, fmt::format("ends before {}; the file may be cut short", what));
  }

  void end_section() {
    if (next_in_section()) lines_.fail(0, "an empty line must end this section");
  }

  void read_counts() {
    begin_section("the numbers of inputs and outputs");
    next_in_section();
    if (lines_.field(0).starts_with("FANN"))
      throw Unsupported(fmt::format("{}: is a network of FANN, which has the same extension as SharpNEAT's; it is not read", file_));
    lines_.expect_fields(2, 2, "inputs outputs");
    inputs_ = lines_.whole(0, "the number of inputs", 0, most_nodes);
    outputs_ = lines_.whole(1, "the number of outputs", 0, most_nodes);
    // Whoever has so many nodes says more about them than their number.
    const std::int64_t believed = std::max<std::int64_t>(65536, static_cast<std::int64_t>(bytes_));
    if (inputs_ + outputs_ > believed) lines_.fail(0, fmt::format("{} inputs and {} outputs in a file of {} bytes are not believed", inputs_, outputs_, bytes_));
    for (std::int64_t id = 0; id < inputs_; ++id) draft_.add_input(id, lines_.line_number());
    for (std::int64_t id = inputs_; id < inputs_ + outputs_; ++id) draft_.add_output(id, lines_.line_number());
    end_section();
  }

  void read_cyclic() {
    begin_section("cyclic or acyclic");
    next_in_section();
    if (lines_.field(0) == "acyclic") {
      lines_.expect_fields(1, 1, "acyclic");
    } else if (lines_.field(0) == "cyclic") {
      lines_.expect_fields(2, 2, "cyclic steps");
      draft_.set_update(Update::stepwise);
      draft_.set_steps(static_cast<std::uint32_t>(lines_.whole(1, "the number of steps", 1, most_nodes)));
    } else {
      lines_.fail(0, fmt::format("{} where cyclic or acyclic is due", base::quote(lines_.field(0))));
    }
    end_section();
  }

  /// An empty section is two empty lines, so its first line may not be skipped to.
  void read_connections() {
    while (next_in_section()) {
      lines_.expect_fields(3, 3, "source target weight");
      const std::int64_t source = lines_.whole(0, "the source", 0, most_nodes);
      const std::int64_t target = lines_.whole(1, "the target", 0, most_nodes);
      if (target < inputs_) lines_.fail(1, fmt::format("the connection from {} to {} ends at an input; inputs are 0 to {}", source, target, inputs_ - 1));
      draft_.add_edge(source, target, lines_.number(2, "the weight"), lines_.line_number());
      for (const std::int64_t id : {source, target})
        if (id >= inputs_ + outputs_ && (hidden_.empty() || hidden_.back() != id)) hidden_.push_back(id);
    }
  }

  void read_functions() {
    begin_section("the list of activation functions");
    while (next_in_section()) {
      lines_.expect_fields(2, 2, "number function");
      const std::int64_t number = lines_.whole(0, "the number of the function");
      if (number != static_cast<std::int64_t>(functions_.size())) lines_.fail(0, fmt::format("function {} where {} is due; they count from 0", number, functions_.size()));
      const auto function = parse_function(lines_.field(1));
      if (!function) lines_.fail(1, fmt::format("the function {} is unknown; docs/neuroevolution.md lists the functions", base::quote(lines_.field(1))));
      functions_.push_back(*function);
    }
  }

  void read_functions_of_nodes() {
    if (!skip_empty()) return;
    while (next_in_section()) {
      lines_.expect_fields(2, 2, "node function");
      const std::int64_t node = lines_.whole(0, "the node", 0, most_nodes);
      const std::int64_t function = lines_.whole(1, "the function", 0, static_cast<std::int64_t>(functions_.size()) - 1);
      if (node < inputs_) lines_.fail(0, fmt::format("node {} is an input; inputs have no function", node));
      if (!function_of_.emplace(node, function).second) lines_.fail(0, fmt::format("the function of node {} is listed twice", node));
      if (node >= inputs_ + outputs_) hidden_.push_back(node);
    }
  }

  NeuronGraph finish() {
    std::sort(hidden_.begin(), hidden_.end());
    hidden_.erase(std::unique(hidden_.begin(), hidden_.end()), hidden_.end());
    const auto add = [&](std::int64_t id) {
      const auto found = function_of_.find(id);
      draft_.add_neuron(id, functions_[found == function_of_.end() ? 0 : static_cast<std::size_t>(found->second)], {}, 0);
    };
    for (std::int64_t id = inputs_; id < inputs_ + outputs_; ++id) add(id);
    for (const std::int64_t id : hidden_) add(id);
    return draft_.finish({});
  }

  std::string file_;
  std::size_t bytes_;
  Lines lines_;
  GraphDraft draft_;
  bool has_line_ = false;
  std::int64_t inputs_ = 0;
  std::int64_t outputs_ = 0;
  std::vector<std::int64_t> hidden_;
  std::vector<NeuronFunction> functions_;
  std::unordered_map<std::int64_t, std::int64_t> function_of_;
};

}  // namespace

NeuronGraph read_sharpneat(std::string_view text, std::string_view file) { return SharpneatReader(text, file).read(); }

}  // namespace lacuna::frontends
