// How the inputs of neuron graphs stand in their tensors.
#pragma once

#include <cstddef>
#include <span>

#include <lacuna/network.hpp>
#include <lacuna/tensor.hpp>

namespace lacuna::engine::graphs {

/// {batch, neurons}, or {steps, batch, neurons}: a sequence for each input of the batch.
struct Layout {
  std::size_t steps = 1;
  std::size_t batch = 0;
  bool has_steps = false;

  bool operator==(const Layout&) const = default;
};

/// Of all inputs of the network. Throws InputError where one is missing, holds something else than f32 or f64, or does not fit the network or the first one.
Layout layout_of(const Network& network, std::span<const TypedTensor> inputs);

}  // namespace lacuna::engine::graphs
