// Facts about this machine: name, caches, and the measured multiply-add peak.
#pragma once

#include <cstddef>
#include <string>

#include "devices/cpu/isa.hpp"

namespace lacuna::cpu {

struct CpuInfo {
  std::string model;
  unsigned cores = 1;          ///< that this process may use
  std::size_t l1_bytes = 0;    ///< data, of one core
  std::size_t l2_bytes = 0;    ///< of one core
};

const CpuInfo& cpu_info();

/// Multiply-adds (float32) a second that `threads` cores reach together in registers, measured in about 30 ms (best of three).
double measure_peak(Isa isa, unsigned threads);

}  // namespace lacuna::cpu
