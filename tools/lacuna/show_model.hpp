// What `lacuna inspect` shows of a network of tensors.
#pragma once

#include <string>

#include <lacuna/network.hpp>

namespace cli {

/// Inputs, outputs and layers: shape, parameters, sparsity, multiply-adds, bytes.
void show_model(const lacuna::Network& network, const std::string& path, bool as_json);

}  // namespace cli
