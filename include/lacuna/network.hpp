// Network: tensors and operators as read from a file; the first noun of the pipeline. A layered challenge network, a CNN
// and a neuron graph are all lists of operators over named values; each kind of operator is one alternative of Operation.
// Values and typed indices only: a Network copies cheaply (arrays are shared) and never changes under its reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <lacuna/array.hpp>
#include <lacuna/element_type.hpp>
#include <lacuna/neuron_graph.hpp>
#include <lacuna/sparse_matrix.hpp>

namespace lacuna {

enum class ActivationKind : std::uint8_t { identity, relu, clip, leaky_relu, sigmoid, tanh, hard_sigmoid, hard_swish, swish };

/// The function applied to each sum. `first` and `second` are the parameters in the order of the text form.
struct Activation {
  ActivationKind kind = ActivationKind::identity;
  float first = 0;   ///< clip: lowest value; leaky_relu: slope below zero; hard_sigmoid: slope
  float second = 0;  ///< clip: highest value; hard_sigmoid: value at zero

  static Activation identity() { return {}; }
  static Activation relu() { return {ActivationKind::relu}; }
  static Activation clip(float low, float high) { return {ActivationKind::clip, low, high}; }
  static Activation leaky_relu(float slope) { return {ActivationKind::leaky_relu, slope}; }
  static Activation sigmoid() { return {ActivationKind::sigmoid}; }
  static Activation tanh() { return {ActivationKind::tanh}; }
  static Activation hard_sigmoid(float slope, float middle) { return {ActivationKind::hard_sigmoid, slope, middle}; }  ///< clipped to 0..1
  static Activation hard_swish() { return {ActivationKind::hard_swish}; }  ///< x times hard_sigmoid(1/6, 1/2) of x
  static Activation swish() { return {ActivationKind::swish}; }            ///< x times sigmoid of x

  bool operator==(const Activation&) const = default;
};

/// activation(sum), in double: the definition everything else is measured by.
double apply(const Activation& activation, double sum);

/// Extents of a value, without the batch in a layered network ({1024} for a layer of neurons), complete in a network of tensors ({1, 64, 56, 56}
/// for the planes of a CNN; none for a single element); see Network::has_batch_in_shapes.
struct Shape {
  std::vector<std::uint32_t> extents;

  std::uint64_t size() const {
    std::uint64_t product = 1;
    for (std::uint32_t extent : extents) product *= extent;
    return product;
  }
  bool operator==(const Shape&) const = default;
};

/// The most neurons a value may have: a bound for hostile files, not for networks.
inline constexpr std::uint64_t max_neurons = std::uint64_t{1} << 27;

/// Index of a value in Network::values.
enum class ValueId : std::uint32_t {};

/// Stands for an optional input that a Call does without.
inline constexpr ValueId no_value{0xffffffff};

struct Value {
  std::string name;
  Shape shape;
  ElementType type = ElementType::f32;
  bool is_constant = false;
  Array<std::byte> constant{};  ///< its elements if it is one; borrowed from the file where that can be
};

/// output = activation(weights * inputs[0] + bias + inputs[1] + inputs[2] + ...): further inputs are skip connections.
struct Linear {
  SparseMatrix weights;  ///< one row for each output neuron
  Array<float> bias;     ///< empty (none), one for the layer, or one for each neuron
  Activation activation;
};

/// output = activation(inputs[0] + inputs[1] + ...)
struct Add {
  Activation activation;
};

/// output = activation(weights convolved with inputs[0] + bias + inputs[1]), inputs[1] being an optional skip connection of the output's shape.
/// Any number of spatial axes: inputs[0] is {batch, channels, extents...}. Without spatial axes it is a fully connected layer.
struct Conv {
  Array<float> weights;                 ///< {output channels, input channels / groups, kernel...}, dense with its zeros
  std::uint32_t output_channels = 0;
  std::uint32_t group_channels = 0;     ///< input channels of one group
  std::uint32_t groups = 1;
  std::vector<std::uint32_t> kernel;    ///< one entry for each spatial axis, as in the four below
  std::vector<std::uint32_t> strides;
  std::vector<std::uint32_t> dilations;
  std::vector<std::uint32_t> pads_begin;
  std::vector<std::uint32_t> pads_end;
  Array<float> bias;                    ///< empty, or one for each output channel
  Activation activation;
};

using Attribute = std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>, std::vector<float>>;

/// Any other operator of the ONNX standard, in the form of the newest version that changed it, by its name there; src/operators has the list
/// and says what each does. Of an operator with several outputs there is one Call for each that is read.
struct Call {
  std::string name;
  std::vector<std::pair<std::string, Attribute>> attributes;  ///< by ascending name
  std::uint32_t which_output = 0;
};

/// A NeuronGraph maps its inputs[0], one element for each of its inputs, to one element for each of its outputs. A network of neuron graphs has
/// no other operators, and each reads inputs of the network only: one graph is a genome, many are a population.
using Operation = std::variant<Linear, Add, Conv, Call, NeuronGraph>;

/// Computes one value from earlier ones.
struct Operator {
  Operation operation;
  std::vector<ValueId> inputs;
  ValueId output;
};

struct Network {
  std::vector<Value> values;
  std::vector<Operator> operators;  ///< in an order in which every input is known before it is read
  ValueId input{};
  ValueId output{};
  std::vector<ValueId> other_inputs;   ///< of a network with several
  std::vector<ValueId> other_outputs;
  bool has_batch_in_shapes = false;    ///< a network of tensors, made for one batch size

  bool has_neuron_graphs() const { return !operators.empty() && std::holds_alternative<NeuronGraph>(operators.front().operation); }
  std::vector<ValueId> all_inputs() const;
  std::vector<ValueId> all_outputs() const;
  const Value& value(ValueId id) const { return values[static_cast<std::size_t>(id)]; }
  std::uint32_t width(ValueId id) const { return static_cast<std::uint32_t>(value(id).shape.size()); }
  ValueId add_value(std::string name, Shape shape);
};

/// Multiply-adds for one input: the nonzero weights of all operators.
std::uint64_t count_edges(const Network& network);

/// Throws InputError naming the first broken rule: unknown value, shapes that do not fit, columns out of range or out of
/// order, a weight or bias that is not finite, a value read before it is computed, no output.
void verify(const Network& network);

/// The text form, complete: parse(print(network)) is the same network.
std::string print(const Network& network);

/// Reads the text form. `name` stands for the file in messages. The result passed verify.
Network parse(std::string_view text, std::string_view name = "network");

/// A hash of structure, weights, biases and activations: equal networks hash equal however they are stored.
std::uint64_t hash(const Network& network);

std::string to_string(const Activation& activation);
std::string to_string(const Shape& shape);

}  // namespace lacuna
