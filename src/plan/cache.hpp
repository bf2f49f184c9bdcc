// What was measured before, remembered: one small text file for each network, machine and wish, under $XDG_CACHE_HOME/lacuna
// (~/.cache/lacuna), or where LACUNA_CACHE says (base/cache_folder.hpp). A file that is not exactly as expected is ignored.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "plan/plan.hpp"

namespace lacuna::plan {

class PlanCache {
 public:
  PlanCache(const rows::SparseRows& rows, const PlanOptions& options);

  /// Fills in the panel width, the candidates and the kinds' choices. Needs: plan.kinds. False: nothing usable is remembered.
  bool recall(Plan& plan) const;

  /// A cache that cannot be written is no error; plan.cache_note then says why.
  void remember(Plan& plan) const;

  const std::filesystem::path& file() const { return file_; }  ///< empty: no cache

 private:
  std::filesystem::path file_;
  std::string key_;
};

/// Everything the cache keeps of a plan, as text, and back. Unlike the plan's own text it is meant for this version of the program only.
std::string write_choices(const Plan& plan, std::string_view key);
bool read_choices(std::string_view text, std::string_view key, Plan& plan);

}  // namespace lacuna::plan
