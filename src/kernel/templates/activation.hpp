// How a thread ends a row: the activation of its sum, as steps of a thread program. Shared by all templates for GPUs.
#pragma once

#include <lacuna/network.hpp>

#include "kernel/thread_builder.hpp"

namespace lacuna::kernel {

/// sum = activation(sum). Sigmoid and what is made of it are within 4e-7 of the exact function, tanh within 3e-7; the others round as on the CPU.
void apply_activation(ThreadBuilder& builder, const Activation& activation, Register sum);

/// Whether it gives nothing beyond [-most, most], whatever the sum. Needs: most is at least 1.
bool stays_within(const Activation& activation, float most);

}  // namespace lacuna::kernel
