#include "devices/sim_driver/report.hpp"

#include <fmt/format.h>

namespace lacuna::sim_driver {
namespace {

std::string number(double value) {
  // Counters are whole; seconds are not.
  return value == static_cast<double>(static_cast<std::uint64_t>(value)) ? fmt::format("{}", static_cast<std::uint64_t>(value)) : fmt::format("{:.9g}", value);
}

std::string members(const cuda::Tally& tally) {
  std::string text = fmt::format("\"predicted_bound\": \"{}\", \"occupancy_limit\": \"{}\"", tally.prediction.bound(), tally.counters.occupancy.limit);
  for (const auto& [name, value] : figures(tally)) text += fmt::format(", \"{}\": {}", name, number(value));
  return text;
}

}  // namespace

std::vector<std::pair<std::string, double>> figures(const cuda::Tally& tally) {
  const sim::Counters& counters = tally.counters;
  const sim::Prediction& prediction = tally.prediction;
  std::vector<std::pair<std::string, double>> list;
  const auto add = [&](std::string name, auto value) { list.emplace_back(std::move(name), static_cast<double>(value)); };
  add("launches", counters.launches);
  add("blocks", counters.blocks);
  add("threads", counters.threads);
  add("warp_instructions", counters.warp_instructions);
  add("thread_instructions", counters.thread_instructions);
  for (std::size_t kind = 0; kind < sim::kind_count; ++kind)
    add(fmt::format("warp_instructions_{}", sim::name(static_cast<sim::Kind>(kind))), counters.warp_instructions_by_kind[kind]);
  add("global_requests", counters.global_requests);
  add("sectors_read", counters.sectors_read);
  add("sectors_written", counters.sectors_written);
  add("l1_hit_bytes", counters.l1_hit_bytes);
  add("l2_hit_bytes", counters.l2_hit_bytes);
  add("l2_miss_bytes", counters.l2_miss_bytes);
  add("dram_bytes_read", counters.dram_bytes_read);
  add("dram_bytes_written", counters.dram_bytes_written);
  add("shared_requests", counters.shared_requests);
  add("shared_cycles", counters.shared_cycles);
  add("shared_conflict_cycles", counters.shared_conflict_cycles);
  add("divergent_branches", counters.divergent_branches);
  add("atomics", counters.atomics);
  add("barriers", counters.barriers);
  add("occupancy_blocks", counters.occupancy.blocks);
  add("occupancy", counters.occupancy.of_most);
  add("predicted_seconds", prediction.seconds);
  add("seconds_issue", prediction.issue);
  add("seconds_fp32", prediction.fp32);
  add("seconds_integer", prediction.integer);
  add("seconds_special", prediction.special);
  add("seconds_shared", prediction.shared);
  add("seconds_l2", prediction.l2);
  add("seconds_dram", prediction.dram);
  add("seconds_launch", prediction.launch);
  return list;
}

std::string json(const cuda::Gpu& gpu) {
  std::string text = fmt::format("{{\"device\": \"{}\", \"name\": \"{}\", \"predicted\": true, {}", gpu.model.name, gpu.model.full_name, members(gpu.all));
  text += fmt::format(", \"bytes_in\": {}, \"bytes_out\": {}, \"copies\": {}, \"fills\": {}, \"graph_launches\": {}, \"copy_seconds\": {}, \"bus_bytes_per_s\": {}", gpu.bytes_in, gpu.bytes_out,
                      gpu.copies, gpu.fills, gpu.graph_launches, number(gpu.copy_seconds), number(gpu.model.bus_gb_per_s * 1e9));
  text += ", \"kernels\": {";
  bool is_first = true;
  for (const auto& [name, tally] : gpu.by_kernel) {
    text += fmt::format("{}\"{}\": {{{}}}", is_first ? "" : ", ", name, members(tally));  // names of kernels are identifiers: nothing to escape
    is_first = false;
  }
  return text + "}}";
}

}  // namespace lacuna::sim_driver
