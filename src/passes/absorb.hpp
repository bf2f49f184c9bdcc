// Convolutions that do the work of their only reader as well: the walk that the passes on convolutions share.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <lacuna/network.hpp>

namespace lacuna::passes {

/// How often each value is read; the network's outputs are read once more, by the caller.
std::vector<unsigned> count_reads(const Network& network);

/// Whether `conv`, an operator with a Conv, can do what `reader` does to its output, which is reader.inputs[at]; if so it now does, but for its output.
using Absorb = std::function<bool(const Network& network, Operator& conv, const Operator& reader, std::size_t at)>;

/// Every convolution whose output has a single reader is offered that reader; the two become one at the reader's place.
Network absorb_into_convs(Network network, const Absorb& absorb);

/// A constant of floats that has one element, or one for each channel of a value of shape `of` (channels are axis 1), as ONNX broadcasts it.
std::optional<std::span<const float>> channel_constant(const Network& network, ValueId id, const Shape& of);

std::span<const float> floats_of(const Value& constant);

}  // namespace lacuna::passes
