// Network: tensors and operators as read from a file; the first noun of the pipeline. A layered challenge network, a CNN
// and a neuron graph are all lists of operators over named values; each kind of operator is one alternative of Operation.
// Values and typed indices only: a Network copies cheaply (arrays are shared) and never changes under its reader.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <lacuna/array.hpp>
#include <lacuna/sparse_matrix.hpp>

namespace lacuna {

enum class ActivationKind : std::uint8_t { identity, relu, clip, leaky_relu, sigmoid, tanh };

/// The function applied to each sum. `first` and `second` are the parameters in the order of the text form.
struct Activation {
  ActivationKind kind = ActivationKind::identity;
  float first = 0;   ///< clip: lowest value; leaky_relu: slope below zero
  float second = 0;  ///< clip: highest value

  static Activation identity() { return {}; }
  static Activation relu() { return {ActivationKind::relu}; }
  static Activation clip(float low, float high) { return {ActivationKind::clip, low, high}; }
  static Activation leaky_relu(float slope) { return {ActivationKind::leaky_relu, slope}; }
  static Activation sigmoid() { return {ActivationKind::sigmoid}; }
  static Activation tanh() { return {ActivationKind::tanh}; }

  bool operator==(const Activation&) const = default;
};

/// activation(sum), in double: the definition everything else is measured by.
double apply(const Activation& activation, double sum);

/// Extents of a value without the batch: {1024} for a layer of neurons, {64, 56, 56} for the planes of a CNN.
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

struct Value {
  std::string name;
  Shape shape;
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

/// Convolutions, pooling and neuron graphs join this list as their front ends arrive; every std::visit then has to say
/// what it does with them.
using Operation = std::variant<Linear, Add>;

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
