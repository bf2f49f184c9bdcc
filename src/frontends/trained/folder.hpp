// Trained folders: weights/l<k>-dense.tsv (one value a line, row-major, inputs x outputs) or weights/l<k>-sparse.tsv
// (`input \t output \t weight`, counted from 0), and biases/ with the same names, one value a line.
#pragma once

#include <filesystem>
#include <lacuna/load.hpp>

namespace lacuna::frontends {

bool is_trained_folder(const std::filesystem::path& folder);

/// The number of outputs of a layer is that of its biases. Hidden layers clip to [0, 1] unless the options say
/// otherwise, the last one is linear. Throws InputError naming what is missing or does not fit.
Network load_trained(const std::filesystem::path& folder, const LoadOptions& options, LoadReport& report);

}  // namespace lacuna::frontends
