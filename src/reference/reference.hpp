// Plain loops in double: the judge of every device. Small enough to check by reading; never fast, never clever.
#pragma once

#include <span>
#include <vector>

#include <lacuna/network.hpp>
#include <lacuna/tensor.hpp>

namespace lacuna::reference {

/// The output values for one input, in double. `input` has as many values as the network's input has neurons.
std::vector<double> evaluate(const Network& network, const std::vector<double>& input);

/// The outputs of a network of tensors, in the order of all_outputs(); inputs in that of all_inputs(). Throws InputError if an input's type or shape is not
/// the network's, or if the network's own shapes are not those its operators give.
std::vector<TypedTensor> evaluate(const Network& network, std::span<const TypedTensor> inputs);

/// The outputs of a neuron graph for one input after the other; a network that is not feed forward goes on from step to step. Throws InputError for a cycle
/// in one that is.
std::vector<std::vector<double>> evaluate(const NeuronGraph& graph, const std::vector<std::vector<double>>& sequence);

/// A value, and how far a computation whose roundings are of size `unit` may be from it.
struct Bounded {
  double value = 0;
  double error = 0;
};

/// The same with bounds. Needs: neurons stand after their sources (passes::levelise).
std::vector<std::vector<Bounded>> evaluate_bounded(const NeuronGraph& graph, const std::vector<std::vector<double>>& sequence, double unit);

/// What a neuron makes of its terms.
double aggregate_values(Aggregation aggregation, const std::vector<double>& values);

/// Row `row` of sparse or dense inputs as evaluate wants it.
std::vector<double> input_row(const SparseMatrix& inputs, std::size_t row);
std::vector<double> input_row(const Tensor& inputs, std::size_t row);

}  // namespace lacuna::reference
