// Figures: multiprocessors, clock, DRAM and L2 size are NVIDIA's published peaks (data sheets, architecture white papers). Threads, blocks, registers and
// shared memory of a multiprocessor: table "Technical Specifications per Compute Capability" of the CUDA programming guide. L1 (with shared memory):
// white papers. L2 bandwidth: A100 from its white paper (5,120 bytes a clock); V100 32 slices of 64 bytes, which microbenchmarks confirm; RTX 3090 24
// slices of 64 bytes and H100 as the A100 are estimates. The overhead of a launch within a graph is what users measure (1 to 3 microseconds), no peak. Bus: PCI Express with 16 lanes
// by the specification's raw rate and 128b/130b coding: generation 3 for Volta, 4 for Ampere, 5 for Hopper.
#include "devices/sim/model.hpp"

#include <array>
#include <string>

#include <lacuna/error.hpp>

namespace lacuna::sim {

namespace {

constexpr std::size_t kib = 1024, mib = 1024 * kib, gib = 1024 * mib;

constexpr std::array<Model, 4> all_models = {{
    {.name = "v100", .full_name = "Tesla V100-SXM2-16GB (simulated)", .compute_major = 7, .compute_minor = 0, .multiprocessors = 80, .clock_ghz = 1.53, .dram_gb_per_s = 900, .bus_gb_per_s = 15.75,
     .memory_bytes = 16 * gib, .l2_bytes = 6 * mib, .l2_bytes_per_clock = 2048, .fp32_lanes = 64, .integer_lanes = 64, .special_lanes = 16, .l1_bytes = 128 * kib,
     .shared_bytes = 96 * kib, .block_shared_bytes = 96 * kib, .reserved_shared_bytes = 0, .most_threads = 2048, .most_blocks = 32, .launch_us = 2.0},
    {.name = "a100", .full_name = "NVIDIA A100-SXM4-40GB (simulated)", .compute_major = 8, .compute_minor = 0, .multiprocessors = 108, .clock_ghz = 1.41, .dram_gb_per_s = 1555, .bus_gb_per_s = 31.5,
     .memory_bytes = 40 * gib, .l2_bytes = 40 * mib, .l2_bytes_per_clock = 5120, .fp32_lanes = 64, .integer_lanes = 64, .special_lanes = 16, .l1_bytes = 192 * kib,
     .shared_bytes = 164 * kib, .block_shared_bytes = 163 * kib, .reserved_shared_bytes = 1 * kib, .most_threads = 2048, .most_blocks = 32, .launch_us = 1.5},
    {.name = "h100", .full_name = "NVIDIA H100 80GB HBM3 (simulated)", .compute_major = 9, .compute_minor = 0, .multiprocessors = 132, .clock_ghz = 1.83, .dram_gb_per_s = 3350, .bus_gb_per_s = 63,
     .memory_bytes = 80 * gib, .l2_bytes = 50 * mib, .l2_bytes_per_clock = 5120, .fp32_lanes = 128, .integer_lanes = 64, .special_lanes = 16, .l1_bytes = 256 * kib,
     .shared_bytes = 228 * kib, .block_shared_bytes = 227 * kib, .reserved_shared_bytes = 1 * kib, .most_threads = 2048, .most_blocks = 32, .launch_us = 1.5},
    {.name = "rtx3090", .full_name = "NVIDIA GeForce RTX 3090 (simulated)", .compute_major = 8, .compute_minor = 6, .multiprocessors = 82, .clock_ghz = 1.70, .dram_gb_per_s = 936, .bus_gb_per_s = 31.5,
     .memory_bytes = 24 * gib, .l2_bytes = 6 * mib, .l2_bytes_per_clock = 1536, .fp32_lanes = 128, .integer_lanes = 64, .special_lanes = 16, .l1_bytes = 128 * kib,
     .shared_bytes = 100 * kib, .block_shared_bytes = 99 * kib, .reserved_shared_bytes = 1 * kib, .most_threads = 1536, .most_blocks = 16, .launch_us = 1.5},
}};

}  // namespace

std::span<const Model> models() { return all_models; }

const Model& model_named(std::string_view name) {
  std::string names;
  for (const Model& model : all_models) {
    if (model.name == name) return model;
    names += (names.empty() ? "" : ", ") + std::string(model.name);
  }
  throw InputError("no simulated GPU is called \"" + std::string(name) + "\"; there are " + names);
}

}  // namespace lacuna::sim
