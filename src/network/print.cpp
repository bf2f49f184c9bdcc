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
#include <fmt/format.h>

#include <iterator>
#include <type_traits>

#include <lacuna/network.hpp>

namespace lacuna {
namespace {

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
  fmt::format_to(out, "linear {}", network.value(op.inputs[0]).name);
  for (std::size_t k = 1; k < op.inputs.size(); ++k) fmt::format_to(out, " add {}", network.value(op.inputs[k]).name);
  fmt::format_to(out, " {}", to_string(network.value(op.output).shape));
  print_bias(out, linear.bias);
  fmt::format_to(out, " {}", to_string(linear.activation));
  print_rows(out, linear.weights);
}

void print_operation(Out out, const Network& network, const Operator& op, const Add& add) {
  fmt::format_to(out, "add");
  for (ValueId id : op.inputs) fmt::format_to(out, " {}", network.value(id).name);
  fmt::format_to(out, " {}\n", to_string(add.activation));
}

std::string joined(const std::vector<std::uint32_t>& numbers) { return fmt::format("{}", fmt::join(numbers, "x")); }

void print_inputs(Out out, const Network& network, const Operator& op) {
  for (ValueId id : op.inputs) fmt::format_to(out, " {}", id == no_value ? "-" : network.value(id).name);
}

void print_operation(Out out, const Network& network, const Operator& op, const Conv& conv) {
  fmt::format_to(out, "conv");
  print_inputs(out, network, op);
  fmt::format_to(out, " {} groups {}", to_string(network.value(op.output).shape), conv.groups);
  if (!conv.kernel.empty())
    fmt::format_to(out, " kernel {} strides {} dilations {} pads {} {}", joined(conv.kernel), joined(conv.strides), joined(conv.dilations),
                   joined(conv.pads_begin), joined(conv.pads_end));
  print_bias(out, conv.bias);
  fmt::format_to(out, " {} weights [{}]\n", to_string(conv.activation), fmt::join(conv.weights, " "));
}

void print_operation(Out out, const Network& network, const Operator& op, const Call& call) {
  fmt::format_to(out, "{}", call.name);
  print_inputs(out, network, op);
  fmt::format_to(out, " {}", to_string(network.value(op.output).shape));
  for (const auto& [name, attribute] : call.attributes) {
    fmt::format_to(out, " {}=", name);
    std::visit(
        [&](const auto& value) {
          using T = std::remove_cvref_t<decltype(value)>;
          if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>)
            fmt::format_to(out, "{}", value);
          else
            fmt::format_to(out, "[{}]", fmt::join(value, " "));
        },
        attribute);
  }
  fmt::format_to(out, "\n");
}

}  // namespace

std::string print(const Network& network) {
  std::string text;
  const Out out(text);
  const Value& input = network.value(network.input);
  fmt::format_to(out, "lacuna network 1\ninput {} {}\n", input.name, to_string(input.shape));
  for (const Operator& op : network.operators) {
    fmt::format_to(out, "{} = ", network.value(op.output).name);
    std::visit([&](const auto& operation) { print_operation(out, network, op, operation); }, op.operation);
  }
  fmt::format_to(out, "output {}\n", network.value(network.output).name);
  return text;
}

}  // namespace lacuna
