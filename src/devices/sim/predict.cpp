#include "devices/sim/predict.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace lacuna::sim {

namespace {

/// How much longer the busiest multiprocessor works than all would, if the blocks could be spread evenly.
double unevenness(std::uint64_t blocks, unsigned multiprocessors) {
  if (blocks == 0) return 1;
  const double even = static_cast<double>(blocks) / multiprocessors;
  return std::ceil(even) / even;
}

}  // namespace

std::string_view Prediction::bound() const {
  const std::array<std::pair<double, std::string_view>, 8> parts = {
      {{issue, "issue"}, {fp32, "fp32"}, {integer, "integer"}, {special, "special"}, {shared, "shared"}, {l2, "l2"}, {dram, "dram"}, {launch, "launch"}}};
  return std::max_element(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first < b.first; })->second;
}

Prediction& Prediction::operator+=(const Prediction& other) {
  issue += other.issue;
  fp32 += other.fp32;
  integer += other.integer;
  special += other.special;
  shared += other.shared;
  l2 += other.l2;
  dram += other.dram;
  launch += other.launch;
  seconds += other.seconds;
  return *this;
}

Prediction predict(const Counters& counters, const Model& model) {
  const double clock = model.clock_ghz * 1e9;
  const double busy = unevenness(counters.blocks, model.multiprocessors) / (model.multiprocessors * clock);  // seconds for one clock of work on all multiprocessors together
  const auto count = [&](Kind kind) { return static_cast<double>(counters.of(kind)); };
  Prediction time;
  time.issue = static_cast<double>(counters.warp_instructions) / model.schedulers * busy;
  time.fp32 = (count(Kind::multiply_add) + count(Kind::floating)) * 32 / model.fp32_lanes * busy;
  time.integer = (count(Kind::integer) + count(Kind::move)) * 32 / model.integer_lanes * busy;
  time.special = (count(Kind::special_function) + count(Kind::convert)) * 32 / model.special_lanes * busy;
  const double sectors = static_cast<double>(counters.sectors_read + counters.sectors_written);
  const double l1_clocks = std::max(static_cast<double>(counters.global_requests), sectors * 32 / model.shared_bytes_per_clock);
  time.shared = (static_cast<double>(counters.shared_cycles) + l1_clocks) * busy;
  const double l2_bytes = static_cast<double>(counters.l2_hit_bytes + counters.l2_miss_bytes);
  time.l2 = l2_bytes / (model.l2_bytes_per_clock * clock);
  time.dram = static_cast<double>(counters.dram_bytes_read + counters.dram_bytes_written) / (model.dram_gb_per_s * 1e9);
  time.launch = static_cast<double>(counters.launches) * model.launch_us * 1e-6;
  time.seconds = std::max({time.issue, time.fp32, time.integer, time.special, time.shared, time.l2, time.dram}) + time.launch;
  return time;
}

}  // namespace lacuna::sim
