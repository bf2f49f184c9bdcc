#include "plan/cache.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include <lacuna/error.hpp>

#include "base/atomic_file.hpp"
#include "base/cache_folder.hpp"
#include "base/hash.hpp"
#include "devices/cpu/cpu_info.hpp"
#include "plan/choose.hpp"

namespace lacuna::plan {
namespace {

namespace fs = std::filesystem;

template <typename T>
void add_array(base::Hasher& hasher, const Array<T>& values) {
  hasher.add(values.data(), values.bytes());
}

/// Shapes and positions; weights do not matter for speed, but for there being one of them. Positions of networks beyond the code budget are
/// left out: no kernel's choice depends on them, and reading them may mean reading a store of many gigabytes.
void add_rows(base::Hasher& hasher, const rows::SparseRows& rows) {
  std::size_t nnz = 0;
  for (const rows::RowGroup& group : rows.groups) nnz += group.weights.nnz();
  const bool with_positions = nnz <= code_budget_bytes();  // a nonzero takes more than a byte of code
  for (const rows::RowGroup& group : rows.groups) {
    const std::string shape = fmt::format("{} {} {} {} {} {} {} {};", group.weights.rows, group.weights.columns, group.weights.nnz(),
                                          group.weights.has_one_value(), group.residuals.size(), static_cast<int>(group.activation.kind),
                                          group.source.first, group.destination.first);
    hasher.add(shape);
    if (!with_positions) continue;
    add_array(hasher, group.weights.row_begin);
    add_array(hasher, group.weights.narrow_columns);
    add_array(hasher, group.weights.wide_columns);
  }
}

}  // namespace

PlanCache::PlanCache(const rows::SparseRows& rows, const PlanOptions& options) {
  const fs::path where = base::cache_folder();
  if (where.empty()) return;
  base::Hasher hasher;
  const std::string machine = fmt::format("{} {} {} {} {} {} {};", LACUNA_VERSION, cpu::name(options.isa), cpu::cpu_info().model, options.threads,
                                          options.panel_lanes, static_cast<int>(options.kernel), code_budget_bytes());
  hasher.add(machine);
  add_rows(hasher, rows);
  key_ = hasher.finish();
  file_ = where / (key_ + ".plan");
}

bool PlanCache::recall(Plan& plan) const {
  if (file_.empty()) return false;
  std::ifstream stream(file_, std::ios::binary);
  if (!stream) return false;
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!read_choices(text, key_, plan)) return false;
  plan.cache_note = fmt::format("these figures were measured before and are remembered in {}", file_.string());
  return true;
}

void PlanCache::remember(Plan& plan) const {
  if (file_.empty()) return;
  try {
    std::error_code failed;
    fs::create_directories(file_.parent_path(), failed);
    base::AtomicFile file(file_);
    const std::string text = write_choices(plan, key_);
    file.write(text.data(), text.size());
    file.commit();
  } catch (const DeviceError& error) {
    plan.cache_note = fmt::format("the figures are not remembered: {}", error.what());
  }
}

}  // namespace lacuna::plan
