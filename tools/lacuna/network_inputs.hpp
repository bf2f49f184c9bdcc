// Inputs for `run` and `bench`, from whatever file the user has.
#pragma once

#include <string>
#include <variant>

#include "command.hpp"

namespace cli {

using NetworkInputs = std::variant<lacuna::SparseMatrix, lacuna::Tensor>;

/// .npy and MNIST idx files are dense; TSV, Matrix Market and stores are sparse.
NetworkInputs load_network_inputs(const std::string& file, const lacuna::Network& network, const CommonOptions& options);

std::size_t count_inputs(const NetworkInputs& inputs);
lacuna::Outputs run_inputs(lacuna::Session& session, const NetworkInputs& inputs);

/// Dense rows as compressed rows, as the checks want them.
lacuna::SparseMatrix as_sparse(const NetworkInputs& inputs);

}  // namespace cli
