// The part of check_outputs that knows neuron graphs.
#pragma once

#include <span>

#include <lacuna/check.hpp>

namespace lacuna::engine {

Verdict check_graphs(const Network& network, std::span<const TypedTensor> inputs, std::span<const TypedTensor> outputs);

}  // namespace lacuna::engine
