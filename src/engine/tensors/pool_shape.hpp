// Pooling as numbers, whatever operator it is.
#pragma once

#include <optional>

#include <lacuna/network.hpp>

#include "dense/pool.hpp"

namespace lacuna::engine::tensors {

/// MaxPool, AveragePool, GlobalMaxPool and GlobalAveragePool on float32 without dilation; nothing for any other operator.
/// pads_end is what the output's shape asks for, so ceil_mode needs no word of its own.
std::optional<dense::PoolShape> pool_shape(const Network& network, const Operator& op);

}  // namespace lacuna::engine::tensors
