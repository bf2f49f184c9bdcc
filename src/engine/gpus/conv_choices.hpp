// Which kernel runs each convolution of a network on a GPU. Baked code takes seconds to compile for each ten thousand multiply-adds, so there is a budget for a
// network; it goes to the convolutions with the most pixels for a weight, where it saves most.
#pragma once

#include <vector>

#include <lacuna/network.hpp>

#include "engine/gpus/tensor_plan.hpp"
#include "plan/gpus/conv_kernels.hpp"

namespace lacuna::engine::gpus {

/// Of each operator; those that are no convolutions have any. Throws Unsupported where all shall be dense.
std::vector<plan::gpus::ConvOptions> choose_convs(const Network& network, const TensorTarget& target, plan::KernelWish kernel);

}  // namespace lacuna::engine::gpus
