// GPUs as data: what the prediction, the occupancy and the L2 model need to know. Where each figure comes from stands in model.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace lacuna::sim {

struct Model {
  std::string_view name;           ///< "v100": what --device sim:NAME says
  std::string_view full_name;      ///< as a driver would report it
  unsigned compute_major = 0;
  unsigned compute_minor = 0;
  unsigned multiprocessors = 0;
  double clock_ghz = 0;            ///< boost
  double dram_gb_per_s = 0;        ///< 10^9 bytes
  double bus_gb_per_s = 0;         ///< to the host, one way
  std::size_t memory_bytes = 0;
  std::size_t l2_bytes = 0;
  unsigned l2_bytes_per_clock = 0;
  unsigned fp32_lanes = 0;         ///< of a multiprocessor, as are the following
  unsigned integer_lanes = 0;
  unsigned special_lanes = 0;
  unsigned schedulers = 4;         ///< each issues one warp instruction a clock
  unsigned shared_bytes_per_clock = 128;
  std::size_t l1_bytes = 0;        ///< with shared memory: what blocks do not take for themselves caches global memory
  std::size_t shared_bytes = 0;    ///< of a multiprocessor
  std::size_t block_shared_bytes = 0;         ///< of a block, when asked for
  std::size_t reserved_shared_bytes = 0;      ///< the system takes these for every block
  unsigned registers = 65536;      ///< of 32 bits
  unsigned most_threads = 2048;
  unsigned most_blocks = 32;
  double launch_us = 0;            ///< from the end of a kernel to the start of the next one in the same graph
};

/// v100, a100, h100, rtx3090.
std::span<const Model> models();

/// Throws InputError that lists the names there are.
const Model& model_named(std::string_view name);

}  // namespace lacuna::sim
