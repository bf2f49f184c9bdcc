// What was measured for a network of tensors before, remembered: a small text file for each network, machine and wish in the plan cache's folder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tensors/choose.hpp"

namespace lacuna::engine::tensors {

struct Remembered {
  std::vector<World> worlds;
  std::vector<Timing> timings;
  double seconds_mixed = 0;
  double seconds_dense = 0;
  bool fell_back = false;
  bool is_split = false;  ///< Chosen::split
  Arrangement arrangement;
  std::size_t band_first = 0, band_end = 0;  ///< operators that run in bands
};

class ChoicesCache {
 public:
  /// `what` is remembered: files of different things lie beside each other.
  ChoicesCache(std::string_view what, const Network& network, const ChooseOptions& options);

  /// Nothing if there is no such file or it is not exactly as expected.
  std::optional<Remembered> recall(std::size_t operators) const;

  /// A note if it could not be written.
  std::string remember(const Chosen& chosen) const;

  const std::filesystem::path& file() const { return file_; }

 private:
  std::filesystem::path file_;  ///< empty: no cache
  std::string key_;
};

}  // namespace lacuna::engine::tensors
