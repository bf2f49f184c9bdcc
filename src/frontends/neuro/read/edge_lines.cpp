// Lacuna's own lines `source target weight`, and directives that start with @:
//   @inputs a b    @outputs y    @update stepwise    @steps 3    @time_step 0.01
//   @node h activation=tanh bias=0.5     about one neuron      @neurons activation=relu     about all that have no line of their own
#include <fmt/format.h>

#include <lacuna/error.hpp>

#include "base/text.hpp"
#include "frontends/neuro/read/lines.hpp"
#include "frontends/neuro/read/named_graph.hpp"
#include "frontends/neuro/read/readers.hpp"

namespace lacuna::frontends {
namespace {

class EdgeLinesReader {
 public:
  EdgeLinesReader(std::string_view text, std::string_view file) : lines_(text, file), graph_(file) {}

  NeuronGraph read() {
    while (lines_.next()) {
      lines_.split();
      fields_ = 0;
      while (fields_ < lines_.fields() && (lines_.is_quoted(fields_) || !lines_.field(fields_).starts_with('#'))) ++fields_;
      if (fields_ == 0) continue;
      if (!lines_.is_quoted(0) && lines_.field(0).starts_with('@'))
        read_directive();
      else
        read_edge();
    }
    return graph_.finish(usual_, "; list it in @inputs, or as a neuron with @node");
  }

 private:
  void expect_fields(std::size_t count, std::string_view form) const {
    if (fields_ < count) lines_.fail(fields_, fmt::format("the line ends after {} of {} fields; it should read: {}", fields_, count, form));
    if (fields_ > count) lines_.fail(count, fmt::format("{} comes after the {} fields of the line: {}", base::quote(lines_.field(count)), count, form));
  }

  void read_edge() {
    expect_fields(3, "source target weight");
    const double weight = lines_.number(2, "the weight");
    const std::int64_t source = graph_.number_of(lines_.field(0));
    graph_.add_edge(source, graph_.number_of(lines_.field(1)), weight, lines_.line_number());
  }

  void read_directive() {
    const std::string_view directive = lines_.field(0);
    if (directive == "@inputs") {
      for (std::size_t k = 1; k < fields_; ++k) graph_.add_input(graph_.number_of(lines_.field(k)), lines_.line_number());
    } else if (directive == "@outputs") {
      for (std::size_t k = 1; k < fields_; ++k) graph_.add_output(graph_.number_of(lines_.field(k)), lines_.line_number());
    } else if (directive == "@node") {
      if (fields_ < 2) lines_.fail(fields_, "the line ends before the name of the node");
      const std::int64_t number = graph_.number_of(lines_.field(1));
      NeuronAttributes attributes = usual_;
      read_attributes(2, attributes);
      if (!graph_.declare(number, attributes, lines_.line_number())) lines_.fail(1, fmt::format("the node {} is listed twice", lines_.field(1)));
    } else if (directive == "@neurons") {
      read_attributes(1, usual_);
    } else if (directive == "@update") {
      read_update();
    } else if (directive == "@steps") {
      expect_fields(2, "@steps number");
      graph_.draft().set_steps(static_cast<std::uint32_t>(lines_.whole(1, "the number of steps", 1, 4294967295)));
    } else if (directive == "@time_step") {
      expect_fields(2, "@time_step seconds");
      graph_.draft().set_time_step(lines_.number(1, "the time step"));
    } else {
      lines_.fail(0, fmt::format("{} is unknown; there are @inputs, @outputs, @node, @neurons, @update, @steps and @time_step", base::quote(directive)));
    }
  }

  void read_update() {
    expect_fields(2, "@update feed_forward|stepwise|continuous");
    const std::string_view word = lines_.field(1);
    const auto update = find_update(word);
    if (!update) lines_.fail(1, fmt::format("{} where feed_forward, stepwise or continuous is due", base::quote(word)));
    graph_.draft().set_update(*update);
  }

  void read_attributes(std::size_t first, NeuronAttributes& attributes) {
    for (std::size_t k = first; k < fields_; ++k) {
      const std::string_view text = lines_.field(k);
      const std::size_t mark = text.find('=');
      if (mark == std::string_view::npos) lines_.fail(k, fmt::format("{} is not of the form attribute=value", base::quote(text)));
      if (const auto sentence = attributes.set(text.substr(0, mark), text.substr(mark + 1))) lines_.fail(k, *sentence);
    }
  }

  Lines lines_;
  NamedGraph graph_;
  NeuronAttributes usual_;
  std::size_t fields_ = 0;  ///< of the line, without its comment
};

}  // namespace

NeuronGraph read_edge_lines(std::string_view text, std::string_view file) { return EdgeLinesReader(text, file).read(); }

}  // namespace lacuna::frontends
