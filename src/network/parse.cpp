// Text -> Network: the reverse of print.cpp, which shows the form. `#` starts a comment.
#include <fmt/format.h>

#include <charconv>
#include <map>

#include <lacuna/error.hpp>
#include <lacuna/network.hpp>

#include "network/activation_names.hpp"
#include "network/element_text.hpp"
#include "network/neuron_graph_text.hpp"
#include "network/words.hpp"

namespace lacuna {
namespace {

/// A bound for hostile texts: the most elements of a tensor.
constexpr std::uint64_t max_elements = std::uint64_t{1} << 40;

class Parser {
 public:
  Parser(std::string_view text, std::string_view name) : words_(text, name), name_(name) {}

  Network run() {
    words_.skip_line_ends();
    for (const char* word : {"lacuna", "network", "1"}) words_.expect(word);
    words_.end_line();
    parse_inputs();
    while (words_.peek() != "output") {
      if (words_.at_end()) words_.fail("the text ends without an output line");
      parse_operator();
      words_.end_line();
    }
    parse_outputs();
    try {
      verify(network_);
    } catch (const InputError& error) {
      throw InputError(name_, error.what());
    }
    return std::move(network_);
  }

 private:
  void parse_inputs() {
    words_.expect("input");
    for (bool is_first = true; is_first || words_.take_if("input"); is_first = false) {
      const std::string name = words_.take_name("a name");
      ElementType type = ElementType::f32;
      const bool is_tensor = take_type_if(type);  // a layered network's inputs have no type
      if (!is_first && is_tensor != network_.has_batch_in_shapes) words_.fail("either every input has a type or none");
      network_.has_batch_in_shapes = is_tensor;
      const ValueId id = define(name, take_shape(), type);
      if (is_first)
        network_.input = id;
      else
        network_.other_inputs.push_back(id);
      words_.end_line();
    }
  }

  void parse_outputs() {
    words_.expect("output");
    network_.output = take_value();
    words_.end_line();
    while (words_.take_if("output")) {
      network_.other_outputs.push_back(take_value());
      words_.end_line();
    }
    if (!words_.at_end()) words_.fail("text after the output line");
  }

  ValueId define(const std::string& name, Shape shape, ElementType type = ElementType::f32) {
    const auto [place, is_new] = ids_.try_emplace(name, ValueId{});
    if (!is_new) words_.fail(fmt::format("{} is defined twice", name));
    place->second = network_.add_value(name, std::move(shape));
    network_.values.back().type = type;
    return place->second;
  }

  ValueId take_value() {
    const auto place = words_.at_name() ? ids_.find(words_.peek_name()) : ids_.end();
    if (place == ids_.end()) words_.fail(fmt::format("no value is called \"{}\" here", words_.at_line_end() ? "" : words_.peek_name()));
    words_.take();
    return place->second;
  }

  bool value_follows() const { return words_.at_name() && ids_.contains(words_.peek_name()); }

  bool take_type_if(ElementType& type) {
    for (unsigned k = 0; k <= static_cast<unsigned>(ElementType::boolean); ++k) {
      type = static_cast<ElementType>(k);
      if (words_.take_if(name_of(type))) return true;
    }
    type = ElementType::f32;
    return false;
  }

  ElementType take_type() {
    ElementType type{};
    if (!take_type_if(type)) words_.fail(fmt::format("expected a type of elements, found {}", words_.described()));
    return type;
  }

  Shape take_shape() {
    Shape shape;
    const std::string word = words_.take_name("a number of neurons");
    if (word == "scalar" && network_.has_batch_in_shapes) return shape;
    for (const std::uint32_t extent : extents_of(word, network_.has_batch_in_shapes ? 0 : 1)) shape.extents.push_back(extent);
    std::uint64_t elements = 1;
    for (const std::uint32_t extent : shape.extents) {
      if (extent != 0 && elements > max_elements / extent) words_.fail(fmt::format("{} is more than {} elements", word, max_elements));
      elements *= extent == 0 ? 1 : extent;
    }
    return shape;
  }

  /// 64x56x56
  std::vector<std::uint32_t> extents_of(const std::string& word, std::uint32_t least) {
    std::vector<std::uint32_t> extents;
    const char* at = word.data();
    const char* const end = at + word.size();
    while (true) {
      std::uint32_t extent = 0;
      const auto [next, error] = std::from_chars(at, end, extent);
      if (error != std::errc{} || extent < least) words_.fail(fmt::format("\"{}\" is not a shape; write 1024 or 64x56x56", word));
      extents.push_back(extent);
      if (next == end) return extents;
      if (*next != 'x') words_.fail(fmt::format("\"{}\" is not a shape; write 1024 or 64x56x56", word));
      at = next + 1;
    }
  }

  Activation take_activation() {
    for (const ActivationName& entry : activation_names) {
      if (!words_.take_if(entry.name)) continue;
      Activation activation{entry.kind};
      if (entry.parameters > 0) {
        words_.expect("(");
        activation.first = words_.take_number<float>("a number");
        if (entry.parameters > 1) {
          words_.expect(",");
          activation.second = words_.take_number<float>("a number");
        }
        words_.expect(")");
      }
      return activation;
    }
    words_.fail(fmt::format("expected an activation, found \"{}\"", words_.at_line_end() ? "" : words_.peek()));
  }

  Array<float> take_bias() {
    std::vector<float> bias;
    if (!words_.take_if("bias")) return bias;
    if (!words_.take_if("[")) return std::vector<float>{words_.take_number<float>("a bias")};
    while (!words_.take_if("]")) bias.push_back(words_.take_number<float>("a bias"));
    return bias;
  }

  std::vector<Entry> take_rows() {
    std::vector<Entry> entries;
    words_.expect("{");
    words_.end_line();
    while (!words_.take_if("}")) {
      const auto row = words_.take_number<std::uint32_t>("a row");
      words_.expect(":");
      while (!words_.at_line_end()) {
        const auto column = words_.take_number<std::uint32_t>("a source");
        words_.expect("*");
        entries.push_back({row, column, words_.take_number<float>("a weight")});
      }
      words_.end_line();
    }
    return entries;
  }

  void parse_operator() {
    const std::string name = words_.take_name("a name");
    words_.expect("=");
    const bool is_layered = words_.peek() == "linear" || words_.peek() == "add" || words_.peek() == "neurons";
    if (is_layered && network_.has_batch_in_shapes) words_.fail(fmt::format("{} belongs to a layered network, whose input has no type", words_.peek()));
    if (words_.take_if("linear")) return parse_linear(name);
    if (words_.take_if("add")) return parse_add(name);
    if (words_.take_if("neurons")) return parse_neurons(name);
    if (!network_.has_batch_in_shapes)
      words_.fail(fmt::format("{} is unknown in a layered network, which has linear, add and neurons; in a network of tensors every input has a type: input x f32 1x3x8x8",
                              words_.described()));
    if (words_.take_if("constant")) return parse_constant(name);
    if (words_.take_if("conv")) return parse_conv(name);
    const std::string operation = words_.take_name("an operator");
    if (!words_.take_if("("))
      words_.fail(fmt::format("unknown operator \"{}\"; write linear, add, constant, conv(x) or an operator of ONNX with its inputs, such as Relu(x)", operation));
    parse_call(name, operation);
  }

  void parse_constant(const std::string& name) {
    const ElementType type = take_type();
    const ValueId id = define(name, take_shape(), type);
    words_.expect("[");
    Value& value = network_.values[static_cast<std::size_t>(id)];
    value.is_constant = true;
    value.constant = network::take_elements(words_, type);
  }

  /// Up to and with the closing parenthesis; - is an optional input that is missing.
  std::vector<ValueId> take_inputs() {
    std::vector<ValueId> inputs;
    while (!words_.take_if(")")) inputs.push_back(words_.take_if("-") ? no_value : take_value());
    return inputs;
  }

  std::vector<std::uint32_t> take_numbers(std::string_view what, std::uint32_t least) { return extents_of(words_.take_name(what), least); }

  void parse_conv(const std::string& name) {
    words_.expect("(");
    Operator op{Conv{}, take_inputs(), ValueId{}};
    auto& conv = std::get<Conv>(op.operation);
    const ElementType type = take_type();
    const Shape shape = take_shape();
    words_.expect("channels");
    conv.output_channels = words_.take_number<std::uint32_t>("a number of channels");
    words_.expect("from");
    conv.group_channels = words_.take_number<std::uint32_t>("a number of channels");
    words_.expect("groups");
    conv.groups = words_.take_number<std::uint32_t>("a number of groups");
    if (words_.take_if("kernel")) {
      conv.kernel = take_numbers("a kernel", 1);
      words_.expect("strides");
      conv.strides = take_numbers("strides", 1);
      words_.expect("dilations");
      conv.dilations = take_numbers("dilations", 1);
      words_.expect("pads");
      conv.pads_begin = take_numbers("pads", 0);
      conv.pads_end = take_numbers("pads", 0);
    }
    if (words_.take_if("bias")) {
      words_.expect("[");
      conv.bias = network::take_floats(words_);
    }
    conv.activation = take_activation();
    words_.expect("weights");
    words_.expect("[");
    conv.weights = network::take_floats(words_);
    op.output = define(name, shape, type);
    network_.operators.push_back(std::move(op));
  }

  void parse_call(const std::string& name, const std::string& operation) {
    Operator op{Call{operation, {}, 0}, take_inputs(), ValueId{}};
    auto& call = std::get<Call>(op.operation);
    const ElementType type = take_type();
    const Shape shape = take_shape();
    if (words_.take_if("output")) call.which_output = words_.take_number<std::uint32_t>("the number of an output");
    while (!words_.at_line_end()) {
      std::string attribute = words_.take_name("an attribute");
      if (!call.attributes.empty() && call.attributes.back().first >= attribute) words_.fail(fmt::format("the attribute {} after {}; names must ascend", attribute, call.attributes.back().first));
      words_.expect("=");
      call.attributes.emplace_back(std::move(attribute), network::take_attribute(words_));
    }
    op.output = define(name, shape, type);
    network_.operators.push_back(std::move(op));
  }

  void parse_linear(const std::string& name) {
    Operator op{Linear{}, {take_value()}, ValueId{}};
    auto& linear = std::get<Linear>(op.operation);
    while (words_.take_if("add")) op.inputs.push_back(take_value());
    const Shape shape = take_shape();
    linear.bias = take_bias();
    linear.activation = take_activation();
    const std::vector<Entry> entries = take_rows();
    if (shape.size() > max_neurons) words_.fail(fmt::format("{} is more than {} neurons", to_string(shape), max_neurons));
    try {
      linear.weights = make_sparse_matrix(static_cast<std::uint32_t>(shape.size()), network_.width(op.inputs[0]), entries);
    } catch (const InputError& error) {
      words_.fail(fmt::format("{}: {}", name, error.what()));
    }
    op.output = define(name, shape);
    network_.operators.push_back(std::move(op));
  }

  void parse_add(const std::string& name) {
    Operator op{Add{}, {}, ValueId{}};
    while (value_follows()) op.inputs.push_back(take_value());
    if (op.inputs.empty()) words_.fail(fmt::format("no value is called \"{}\" here", words_.at_line_end() ? "" : words_.peek()));
    std::get<Add>(op.operation).activation = take_activation();
    op.output = define(name, network_.value(op.inputs[0]).shape);
    network_.operators.push_back(std::move(op));
  }

  void parse_neurons(const std::string& name) {
    Operator op{NeuronGraph{}, {take_value()}, ValueId{}};
    NeuronGraph graph = network::take_neuron_graph(words_, network_.width(op.inputs[0]));
    const auto outputs = static_cast<std::uint32_t>(graph.outputs.size());
    op.operation = std::move(graph);
    op.output = define(name, {{outputs}});
    network_.operators.push_back(std::move(op));
  }

  network::Words words_;
  std::string_view name_;
  Network network_;
  std::map<std::string, ValueId> ids_;
};

}  // namespace

Network parse(std::string_view text, std::string_view name) { return Parser(text, name).run(); }

}  // namespace lacuna
