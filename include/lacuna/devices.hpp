// What this machine offers.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lacuna {

/// A device, or a kind of device of which nothing is here. What is 0 is not known or does not apply.
struct DeviceInfo {
  std::string name;                ///< as --device takes it
  std::string description;
  unsigned cores = 0;              ///< of a GPU: multiprocessors
  std::size_t l1_bytes = 0;
  std::size_t l2_bytes = 0;        ///< of a CPU: of a core
  std::vector<std::string> isas;   ///< of a CPU, ascending; the last is the default
  std::size_t memory_bytes = 0;    ///< of a GPU, as are the following
  std::size_t shared_bytes = 0;    ///< of a block, at most
  unsigned block_threads = 0;
  bool is_simulated = false;
  std::string missing;             ///< why it cannot be used and what to do; empty: it can
};

/// The CPU first, then GPUs, then simulated GPUs. Asks the drivers that are installed, which may take a while.
std::vector<DeviceInfo> devices();

DeviceInfo cpu_device();

/// A library of others that is opened at run time where it is found. Everything works without it.
struct LibraryInfo {
  std::string name;     ///< "cusparse", "cublas", "cudnn"
  std::string file;     ///< as it was found
  std::string missing;  ///< why it was not, and what to do; empty: it was
};
std::vector<LibraryInfo> libraries();

/// Float32 multiply-adds a second in registers, measured on `threads` cores (0: all) with `isa` (empty: the default).
double measure_multiply_add_peak(const std::string& isa = {}, unsigned threads = 0);

/// "0.1.0"
std::string version();

}  // namespace lacuna
