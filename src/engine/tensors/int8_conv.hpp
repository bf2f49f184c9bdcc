// QLinearConv as the dense library computes it: products of bytes, summed in 32 bits.
#pragma once

#include <memory>

#include <lacuna/network.hpp>

#include "dense/conv.hpp"

namespace lacuna::engine::tensors {

/// Null unless `op` is a QLinearConv with constant parameters and weights around zero, this CPU has VNNI and oneDNN has such a convolution.
std::shared_ptr<const dense::DenseConv> int8_conv(const Network& network, const Operator& op);

}  // namespace lacuna::engine::tensors
