// A convolution or fully connected layer as a library of the device computes it, on the planes where values stand, and the kernel of ours that comes after it.
#pragma once

#include <optional>
#include <string>

#include <lacuna/network.hpp>

#include "devices/gpu/dense.hpp"
#include "kernel/templates/layer_ending.hpp"
#include "rows/planes.hpp"

namespace lacuna::plan::gpus {

/// Why a library cannot compute it on these planes; empty: it can. Libraries know one padding for both ends of an axis.
std::string why_not_dense(const Conv& conv, const rows::Planes& in, const rows::Planes& out);

/// Needs: why_not_dense() is empty.
gpu::DenseLayer dense_layer(const Conv& conv, const rows::Planes& in, const rows::Planes& out);

/// Bias, skip connection and activation; nothing where there is none of them.
std::optional<kernel::LayerEnding> ending_of(const std::string& name, const Conv& conv, const rows::Planes& out, const rows::Planes* skip);

}  // namespace lacuna::plan::gpus
