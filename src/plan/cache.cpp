#include "plan/cache.hpp"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>

#include <lacuna/error.hpp>

#include "base/atomic_file.hpp"
#include "devices/cpu/cpu_info.hpp"
#include "plan/choose.hpp"

namespace lacuna::plan {
namespace {

namespace fs = std::filesystem;

}  // namespace

fs::path cache_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  if (const std::string wish = variable("LACUNA_CACHE"); !wish.empty()) return wish == "off" ? fs::path() : fs::path(wish);
  if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty()) return fs::path(cache) / "lacuna";
  if (const std::string home = variable("HOME"); !home.empty()) return fs::path(home) / ".cache" / "lacuna";
  return {};
}

namespace {

class Hasher {
 public:
  Hasher() : state_(XXH3_createState()) { XXH3_128bits_reset(state_.get()); }
  void add(const void* data, std::size_t bytes) { XXH3_128bits_update(state_.get(), data, bytes); }
  template <typename T>
  void add_array(const Array<T>& values) {
    add(values.data(), values.bytes());
  }
  std::string finish() const {
    const XXH128_hash_t hash = XXH3_128bits_digest(state_.get());
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
  }

 private:
  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  std::unique_ptr<XXH3_state_t, Free> state_;
};

/// Shapes and positions; weights do not matter for speed, but for there being one of them. Positions of networks beyond the code budget are
/// left out: no kernel's choice depends on them, and reading them may mean reading a store of many gigabytes.
void add_rows(Hasher& hasher, const rows::SparseRows& rows) {
  std::size_t nnz = 0;
  for (const rows::RowGroup& group : rows.groups) nnz += group.weights.nnz();
  const bool with_positions = nnz <= code_budget_bytes();  // a nonzero takes more than a byte of code
  for (const rows::RowGroup& group : rows.groups) {
    const std::string shape = fmt::format("{} {} {} {} {} {} {} {};", group.weights.rows, group.weights.columns, group.weights.nnz(),
                                          group.weights.has_one_value(), group.residuals.size(), static_cast<int>(group.activation.kind),
                                          group.source.first, group.destination.first);
    hasher.add(shape.data(), shape.size());
    if (!with_positions) continue;
    hasher.add_array(group.weights.row_begin);
    hasher.add_array(group.weights.narrow_columns);
    hasher.add_array(group.weights.wide_columns);
  }
}

}  // namespace

std::string hash_text(std::string_view text) {
  Hasher hasher;
  hasher.add(text.data(), text.size());
  return hasher.finish();
}

PlanCache::PlanCache(const rows::SparseRows& rows, const PlanOptions& options) {
  const fs::path where = cache_folder();
  if (where.empty()) return;
  Hasher hasher;
  const std::string machine = fmt::format("{} {} {} {} {} {} {};", LACUNA_VERSION, cpu::name(options.isa), cpu::cpu_info().model, options.threads,
                                          options.panel_lanes, static_cast<int>(options.kernel), code_budget_bytes());
  hasher.add(machine.data(), machine.size());
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
