// MultiNEAT's networks: words and numbers between NNstart and NNend. A neuron's slope a and shift b act as in its Activate(), which leaves the bias
// and the time constant alone. Its bias node is one of the inputs: MultiNEAT's callers give it the value 1, and so do ours.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include <lacuna/error.hpp>

#include "base/text.hpp"
#include "frontends/neuro/read/graph_draft.hpp"
#include "frontends/neuro/read/lines.hpp"
#include "frontends/neuro/read/readers.hpp"

namespace lacuna::frontends {
namespace {

/// MultiNEAT's numbers, 0 to 13, with slope a and shift b as each takes them.
NeuronFunction numbered_function(std::int64_t number, double a, double b) {
  switch (number) {
    case 0: return {.curve = Curve::logistic, .slope = a, .shift = b, .gain = 2, .offset = -1};
    case 1: return {.curve = Curve::logistic, .slope = a, .shift = b};
    case 2: return {.curve = Curve::tanh, .slope = a};
    case 3: return {.curve = Curve::cubic_tanh, .bend = a};
    case 4: return {.curve = Curve::threshold, .shift = -b, .gain = 2, .offset = -1};
    case 5: return {.curve = Curve::threshold, .shift = -(0.5 + b)};
    case 6: return {.curve = Curve::gauss, .bend = a, .gain = 2 * std::exp(b), .offset = -1};
    case 7: return {.curve = Curve::gauss, .bend = a, .gain = std::exp(b)};
    case 8: return {.curve = Curve::absolute, .shift = b};
    case 9: return {.curve = Curve::sine, .slope = a, .shift = b};
    case 10: return {.curve = Curve::sine, .slope = a, .shift = b, .gain = 0.5, .offset = 0.5};
    case 11: return {.shift = b};
    case 12: return {.curve = Curve::relu};
    default: return {.curve = Curve::softplus};
  }
}
constexpr std::int64_t last_function = 13;

class MultineatReader {
 public:
  MultineatReader(std::string_view text, std::string_view file) : file_(file), lines_(text, file), draft_(file) {}

  NeuronGraph read() {
    if (!next() || lines_.field(0) != "NNstart") throw InputError(file_, "does not start with NNstart");
    if (!next()) cut_short();
    lines_.expect_fields(2, 2, "inputs outputs");
    inputs_ = lines_.whole(0, "the number of inputs", 0, 2147483647);
    const std::int64_t outputs = lines_.whole(1, "the number of outputs", 0, 2147483647);
    const std::uint64_t line_of_counts = lines_.line_number();
    bool has_end = false;
    while (!has_end) {
      if (!next()) cut_short();
      if (lines_.field(0) == "neuron")
        read_neuron();
      else if (lines_.field(0) == "connection")
        read_connection();
      else if (lines_.field(0) == "NNend")
        has_end = true;
      else
        lines_.fail(0, fmt::format("{} where neuron, connection or NNend is due", base::quote(lines_.field(0))));
    }
    if (next()) lines_.fail(0, "comes after NNend; a file holds one network");
    if (neurons_ < inputs_ + outputs)
      throw InputError(file_, line_of_counts, 1, fmt::format("{} inputs and {} outputs are announced, but {} neurons listed", inputs_, outputs, neurons_));
    for (std::int64_t id = inputs_; id < inputs_ + outputs; ++id) draft_.add_output(id, line_of_counts);
    draft_.set_update(is_recurrent_ ? Update::stepwise : Update::feed_forward);
    return draft_.finish({.edges_may_repeat = true, .cycles_make_steps = true});
  }

 private:
  bool next() {
    while (lines_.next()) {
      lines_.split();
      if (lines_.fields() > 0) return true;
    }
    return false;
  }

  [[noreturn]] void cut_short() const { throw InputError(file_, "ends before NNend; the file may be cut short"); }

  void read_neuron() {
    lines_.expect_fields(8, 8, "neuron type a b time_constant bias function split_y");
    lines_.whole(1, "the type", 0, 4);
    const double a = lines_.number(2, "the slope");
    const double b = lines_.number(3, "the shift");
    const std::int64_t number = lines_.whole(6, "the function", 0, last_function);
    const NeuronFunction function = numbered_function(number, a, b);
    if (!std::isfinite(function.gain)) lines_.fail(3, fmt::format("the shift {} is too large", b));
    if (neurons_ < inputs_)
      draft_.add_input(neurons_, lines_.line_number());
    else
      draft_.add_neuron(neurons_, function, {}, lines_.line_number());
    ++neurons_;
  }

  void read_connection() {
    lines_.expect_fields(7, 7, "connection source target weight is_recurrent hebb_rate hebb_pre_rate");
    const std::int64_t source = lines_.whole(1, "the source");
    const std::int64_t target = lines_.whole(2, "the target");
    draft_.add_edge(source, target, lines_.number(3, "the weight"), lines_.line_number());
    is_recurrent_ |= lines_.whole(4, "the mark of a recurrent connection", 0, 1) == 1;
  }

  std::string file_;
  Lines lines_;
  GraphDraft draft_;
  std::int64_t inputs_ = 0;
  std::int64_t neurons_ = 0;
  bool is_recurrent_ = false;
};

}  // namespace

NeuronGraph read_multineat(std::string_view text, std::string_view file) { return MultineatReader(text, file).read(); }

}  // namespace lacuna::frontends
