// Network -> text. The form is line by line:
//
//   lacuna network 1
//   input x 4
//   h = linear x 3 bias [-0.1 0 0.2] clip(0,32) {
//     0: 0*0.0625 3*0.0625
//     2: 1*0.5
//   }
//   y = linear h add x 4 bias -0.3 relu { ... }
//   z = add y x identity
//   output z
//
// A network of tensors has types, several inputs and outputs, constants, and operators with their inputs in parentheses (- is one that is missing):
//
//   input x f32 1x3x8x8
//   k = constant i64 2 [0 -1]
//   c = conv(x) f32 1x4x8x8 channels 4 from 3 groups 1 kernel 1x1 strides 1x1 dilations 1x1 pads 0x0 0x0 bias [1 2 3 4] relu weights [...]
//   p = MaxPool(c) f32 1x4x4x4 kernel_shape=[2 2] strides=[2 2]
//   y = Reshape(p k) f32 1x64
//   output y
//
// Neuron graphs, see neuron_graph_text.hpp:
//
//   y = neurons x feed_forward outputs [2] {
//     2: sigmoid sum bias 0.5 response 1 0*0.25 1*-1.5
//   }
//
// Names that would be taken for something else stand in double quotes. Values are numbered in the order of their lines.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include <lacuna/network.hpp>

#include "network/element_text.hpp"
#include "network/neuron_graph_text.hpp"

namespace lacuna {
namespace {

using network::name_text;
using network::shape_text;

std::string name_of_value(const Network& network, ValueId id) { return id == no_value ? "-" : name_text(network.value(id).name); }

using Out = std::back_insert_iterator<std::string>;

void print_bias(Out out, const Array<float>& bias) {
  if (bias.empty()) return;
  if (bias.size() == 1)
    fmt::format_to(out, " bias {}", bias[0]);
  else
    fmt::format_to(out, " bias [{}]", fmt::join(bias, " "));
}

void print_rows(Out out, const SparseMatrix& matrix) {
  fmt::format_to(out, " {{\n");
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    if (matrix.row_begin[row] == matrix.row_begin[row + 1]) continue;
    fmt::format_to(out, "  {}:", row);
    for (std::size_t e = matrix.row_begin[row]; e < matrix.row_begin[row + 1]; ++e)
      fmt::format_to(out, " {}*{}", matrix.column(e), matrix.value(e));
    fmt::format_to(out, "\n");
  }
  fmt::format_to(out, "}}\n");
}

void print_operation(Out out, const Network& network, const Operator& op, const Linear& linear) {
  fmt::format_to(out, "linear {}", name_of_value(network, op.inputs[0]));
  for (std::size_t k = 1; k < op.inputs.size(); ++k) fmt::format_to(out, " add {}", name_of_value(network, op.inputs[k]));
  fmt::format_to(out, " {}", to_string(network.value(op.output).shape));
  print_bias(out, linear.bias);
  fmt::format_to(out, " {}", to_string(linear.activation));
  print_rows(out, linear.weights);
}

void print_operation(Out out, const Network& network, const Operator& op, const Add& add) {
  fmt::format_to(out, "add");
  for (ValueId id : op.inputs) fmt::format_to(out, " {}", name_of_value(network, id));
  fmt::format_to(out, " {}\n", to_string(add.activation));
}

std::string joined(const std::vector<std::uint32_t>& numbers) { return fmt::format("{}", fmt::join(numbers, "x")); }

/// (inputs) type shape
void print_inputs_and_output(Out out, const Network& network, const Operator& op) {
  fmt::format_to(out, "(");
  for (std::size_t k = 0; k < op.inputs.size(); ++k) fmt::format_to(out, "{}{}", k == 0 ? "" : " ", name_of_value(network, op.inputs[k]));
  fmt::format_to(out, ") {} {}", name_of(network.value(op.output).type), shape_text(network.value(op.output).shape));
}

void print_operation(Out out, const Network& network, const Operator& op, const Conv& conv) {
  fmt::format_to(out, "conv");
  print_inputs_and_output(out, network, op);
  fmt::format_to(out, " channels {} from {} groups {}", conv.output_channels, conv.group_channels, conv.groups);
  if (!conv.kernel.empty())
    fmt::format_to(out, " kernel {} strides {} dilations {} pads {} {}", joined(conv.kernel), joined(conv.strides), joined(conv.dilations),
                   joined(conv.pads_begin), joined(conv.pads_end));
  if (!conv.bias.empty()) fmt::format_to(out, " bias [{}]", network::elements_text(conv.bias.span()));
  fmt::format_to(out, " {} weights [{}]\n", to_string(conv.activation), network::elements_text(conv.weights.span()));
}

void print_operation(Out out, const Network& network, const Operator& op, const Call& call) {
  const bool is_word = call.name == "conv" || call.name == "constant" || call.name == "linear" || call.name == "add";
  fmt::format_to(out, "{}", is_word ? network::quoted_text(call.name) : name_text(call.name));
  print_inputs_and_output(out, network, op);
  if (call.which_output != 0) fmt::format_to(out, " output {}", call.which_output);
  for (const auto& [name, attribute] : call.attributes) fmt::format_to(out, " {}={}", name_text(name), network::attribute_text(attribute));
  fmt::format_to(out, "\n");
}

void print_operation(Out out, const Network& network, const Operator& op, const NeuronGraph& graph) {
  fmt::format_to(out, "neurons {} {}\n", name_of_value(network, op.inputs[0]), network::neuron_graph_text(graph));
}

/// Constants up to a value's number, so that parse numbers them alike, and those an operator reads, each once.
class Constants {
 public:
  Constants(const Network& network, Out out) : network_(network), out_(out), is_printed_(network.values.size(), false) {}

  void print_before(std::size_t number) {
    for (; next_ < std::min(number, network_.values.size()); ++next_) print(next_);
  }
  void print(std::size_t number) {
    if (number >= is_printed_.size() || is_printed_[number] || !network_.values[number].is_constant) return;
    is_printed_[number] = true;
    const Value& value = network_.values[number];
    fmt::format_to(out_, "{} = constant {} {} [{}]\n", name_text(value.name), name_of(value.type), shape_text(value.shape),
                   network::elements_text(value.type, value.constant.span()));
  }

 private:
  const Network& network_;
  Out out_;
  std::vector<bool> is_printed_;
  std::size_t next_ = 0;
};

}  // namespace

std::string print(const Network& network) {
  std::string text;
  const Out out(text);
  fmt::format_to(out, "lacuna network 1\n");
  for (const ValueId id : network.all_inputs()) {
    const Value& input = network.value(id);
    if (network.has_batch_in_shapes)
      fmt::format_to(out, "input {} {} {}\n", name_text(input.name), name_of(input.type), shape_text(input.shape));
    else
      fmt::format_to(out, "input {} {}\n", name_text(input.name), to_string(input.shape));
  }
  Constants constants(network, out);
  for (const Operator& op : network.operators) {
    constants.print_before(static_cast<std::size_t>(op.output));
    for (const ValueId id : op.inputs) constants.print(static_cast<std::size_t>(id));
    fmt::format_to(out, "{} = ", name_of_value(network, op.output));
    std::visit([&](const auto& operation) { print_operation(out, network, op, operation); }, op.operation);
  }
  constants.print_before(network.values.size());
  for (const ValueId id : network.all_outputs()) fmt::format_to(out, "output {}\n", name_of_value(network, id));
  return text;
}

}  // namespace lacuna
