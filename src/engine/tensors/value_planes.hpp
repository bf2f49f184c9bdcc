// How the values of a network stand on planes, whoever reads or writes them there.
#pragma once

#include <vector>

#include <lacuna/network.hpp>

#include "engine/tensors/choose.hpp"
#include "rows/planes.hpp"

namespace lacuna::engine::tensors {

/// Of each value; without floats where it cannot stand on planes.
std::vector<rows::Planes> planes_of_values(const Network& network, const ChooseOptions& options);

}  // namespace lacuna::engine::tensors
