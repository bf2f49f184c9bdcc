// load_inputs: from text or from the store beside it, then cut or filled up to the number of inputs asked for.
#include <fmt/format.h>

#include <filesystem>
#include <lacuna/error.hpp>
#include <lacuna/load.hpp>
#include <vector>

#include "base/parallel.hpp"
#include "frontends/graph_challenge/inputs.hpp"
#include "store/format.hpp"
#include "store/matrix_store.hpp"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

/// images.tsv, images.tsv.gz -> images.lstore
fs::path store_beside(fs::path file) {
  const auto drop = [&](std::string_view ending) {
    if (file.extension() == ending) file.replace_extension();
  };
  drop(".gz");
  drop(".zst");
  drop(".tsv");
  drop(".mtx");
  return file.concat(".lstore");
}

SparseMatrix read_text(const fs::path& file, std::uint32_t count, const LoadOptions& options, LoadReport& report) {
  const std::uint64_t bytes = fs::file_size(file);
  base::ProgressCounter progress(options.progress, "reading inputs", bytes);
  const auto source = base::open_source(file);
  const frontends::InputRules rules{options.neurons, count, bytes, base::thread_count(options.threads)};
  return frontends::read_inputs(*source, file.string(), rules, &progress, report.text_bytes);
}

SparseMatrix load_all(const fs::path& file, std::uint32_t count, const LoadOptions& options, LoadReport& report) {
  if (!options.use_store) return read_text(file, count, options, report);
  const fs::path store = options.store.empty() ? store_beside(file) : options.store;
  store::FingerprintBuilder builder;
  builder.add_text(fmt::format("inputs of {} neurons", options.neurons));
  builder.add_file(file);
  const store::Fingerprint fingerprint = builder.finish();
  if (fs::exists(store)) {
    if (std::optional<SparseMatrix> matrix = store::open_fresh_matrix(store, fingerprint)) {
      report.from_store = true;
      report.store = store;
      return *std::move(matrix);
    }
  }
  SparseMatrix matrix = read_text(file, count, options, report);
  try {
    store::write_matrix(matrix, store, fingerprint);
    report.store = store;
  } catch (const DeviceError& error) {
    report.note = fmt::format("no store: {}", error.what());
  }
  return matrix;
}

/// The same matrix with empty rows up to `rows`.
SparseMatrix with_rows(SparseMatrix matrix, std::uint32_t rows) {
  std::vector<std::uint32_t> row_begin(matrix.row_begin.begin(), matrix.row_begin.end());
  row_begin.resize(rows + std::size_t{1}, row_begin.back());
  matrix.row_begin = std::move(row_begin);
  matrix.rows = rows;
  return matrix;
}

/// As many rows as asked for.
SparseMatrix fit_rows(SparseMatrix matrix, std::uint32_t count, bool first_only, const fs::path& file) {
  if (count == 0 || matrix.rows == count) return matrix;
  if (matrix.rows < count) return with_rows(std::move(matrix), count);
  if (!first_only)
    throw InputError(file.string(),
                     fmt::format("holds inputs up to number {}, but {} were expected", matrix.rows, count));
  return first_rows(matrix, count);
}

SparseMatrix load_store(const fs::path& file, const LoadOptions& options, LoadReport& report) {
  SparseMatrix matrix = store::open_matrix(file);
  report.from_store = true;
  report.store = file;
  if (options.neurons != 0 && matrix.columns != options.neurons)
    throw InputError(file.string(), fmt::format("the inputs have {} neurons, but the network has {}", matrix.columns,
                                                options.neurons));
  return matrix;
}

}  // namespace

SparseMatrix load_inputs(const fs::path& file, std::uint32_t count, bool first_only, const LoadOptions& options,
                         LoadReport* report) {
  LoadReport told;
  try {
    if (!fs::is_regular_file(file))
      throw InputError(file.string(), fs::exists(file) ? "is not a file" : "does not exist");
    SparseMatrix matrix =
        store::is_store(file) ? load_store(file, options, told) : load_all(file, count, options, told);
    if (report != nullptr) *report = told;
    return fit_rows(std::move(matrix), count, first_only, file);
  } catch (const fs::filesystem_error& error) {
    throw InputError(file.string(), "cannot be examined: " + error.code().message());
  }
}

}  // namespace lacuna
