// What this machine offers.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lacuna {

struct DeviceInfo {
  std::string name;                ///< as --device takes it
  std::string description;
  unsigned cores = 0;
  std::size_t l1_bytes = 0;
  std::size_t l2_bytes = 0;
  std::vector<std::string> isas;   ///< ascending; the last is the default
};

std::vector<DeviceInfo> devices();

/// Float32 multiply-adds a second in registers, measured on `threads` cores (0: all) with `isa` (empty: the default).
double measure_multiply_add_peak(const std::string& isa = {}, unsigned threads = 0);

/// "0.1.0"
std::string version();

}  // namespace lacuna
