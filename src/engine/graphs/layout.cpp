#include "engine/graphs/layout.hpp"

#include <fmt/format.h>

#include <lacuna/error.hpp>

namespace lacuna::engine::graphs {
namespace {

Layout layout_of(const TypedTensor& input, const Value& value, std::uint32_t width) {
  const std::size_t axes = input.shape.size();
  if (input.type != ElementType::f32 && input.type != ElementType::f64)
    throw InputError(fmt::format("the input {} holds {}; a neuron graph takes f32 or f64", value.name, name_of(input.type)));
  if ((axes != 2 && axes != 3) || input.shape.back() != width)
    throw InputError(fmt::format("the input {} has shape {}; expected inputs x {}, or steps x inputs x {}", value.name, fmt::join(input.shape, "x"), width, width));
  Layout layout{1, input.shape[axes - 2], axes == 3};
  if (layout.has_steps) layout.steps = input.shape[0];
  return layout;
}

}  // namespace

Layout layout_of(const Network& network, std::span<const TypedTensor> inputs) {
  const auto input_ids = network.all_inputs();
  if (inputs.size() != input_ids.size()) throw InputError(fmt::format("{} inputs for a network of {}", inputs.size(), input_ids.size()));
  Layout all;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const Value& value = network.value(input_ids[k]);
    const Layout layout = layout_of(inputs[k], value, network.width(input_ids[k]));
    if (k > 0 && layout != all)
      throw InputError(fmt::format("the input {} has shape {}, but the first is {}; all have as many rows", value.name, fmt::join(inputs[k].shape, "x"),
                                   fmt::join(inputs[0].shape, "x")));
    all = layout;
  }
  return all;
}

}  // namespace lacuna::engine::graphs
