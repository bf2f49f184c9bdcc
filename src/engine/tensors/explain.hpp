// What runs each operator of a network of tensors, and why.
#pragma once

#include <string>
#include <vector>

#include "engine/tensors/choose.hpp"

namespace lacuna::engine::tensors {

/// What an operator is: its name, kind, shape and weights; not what runs it.
LayerReport describe(const Network& network, const Operator& op);

std::vector<LayerReport> layer_reports(const Network& network, const Chosen& chosen);

/// A table with a line for each operator; `peak` is the measured multiply-adds a second.
std::string explain(const std::vector<LayerReport>& layers, const Chosen& chosen, double peak);

/// What runs: stable text, no measured figures.
std::string print_plan(const Network& network, const Chosen& chosen);

}  // namespace lacuna::engine::tensors
