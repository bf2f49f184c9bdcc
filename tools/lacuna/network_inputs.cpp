#include "network_inputs.hpp"

#include <filesystem>

namespace cli {
namespace {

bool is_dense_file(const std::string& file) {
  const std::string name = std::filesystem::path(file).filename().string();
  return name.ends_with(".npy") || name.find("idx") != std::string::npos;
}

}  // namespace

NetworkInputs load_network_inputs(const std::string& file, const lacuna::Network& network, const CommonOptions& options) {
  if (is_dense_file(file)) return lacuna::load_tensor(file);
  lacuna::LoadOptions load = load_options(options);
  load.neurons = network.width(network.input);
  load.store.clear();  // --store names the network's
  return lacuna::load_inputs(file, 0, false, load);
}

std::size_t count_inputs(const NetworkInputs& inputs) {
  if (const auto* sparse = std::get_if<lacuna::SparseMatrix>(&inputs)) return sparse->rows;
  return std::get<lacuna::Tensor>(inputs).rows();
}

lacuna::Outputs run_inputs(lacuna::Session& session, const NetworkInputs& inputs) {
  return std::visit([&](const auto& batch) { return session.run(batch); }, inputs);
}

lacuna::SparseMatrix as_sparse(const NetworkInputs& inputs) {
  if (const auto* sparse = std::get_if<lacuna::SparseMatrix>(&inputs)) return *sparse;
  const auto& dense = std::get<lacuna::Tensor>(inputs);
  std::vector<lacuna::Entry> entries;
  for (std::size_t k = 0; k < dense.values.size(); ++k)
    if (dense.values[k] != 0)
      entries.push_back({static_cast<std::uint32_t>(k / dense.row_size()), static_cast<std::uint32_t>(k % dense.row_size()), dense.values[k]});
  return lacuna::make_sparse_matrix(static_cast<std::uint32_t>(dense.rows()), static_cast<std::uint32_t>(dense.row_size()), entries);
}

}  // namespace cli
