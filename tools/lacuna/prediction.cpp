#include "prediction.hpp"

#include <fmt/format.h>

namespace cli {
namespace {

std::uint64_t count(const Json& of, const char* name) { return of.at(name).get<std::uint64_t>(); }

std::string megabytes(std::uint64_t bytes) { return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6); }

}  // namespace

Json counters_of(const lacuna::Program& program) {
  Json all = Json::array();
  for (const std::string& text : program.counters()) all.push_back(Json::parse(text));
  return all;
}

Timing time_runs_of(const lacuna::Program& program, double budget, const std::function<double()>& run) {
  if (program.counters().empty()) return time_runs(budget, run);
  program.reset_counters();
  const double seconds = run();
  return {1, seconds, seconds, seconds};
}

std::string predicted_word(const Json& counters) { return counters.empty() ? "" : " (predicted)"; }

void print_counters(const Json& counters, std::uint64_t active_edges) {
  std::uint64_t instructions = 0;
  for (const Json& gpu : counters) {
    instructions += count(gpu, "warp_instructions");
    print_line("predicted", fmt::format("{} on {}, bound by {}", in_seconds(gpu.at("predicted_seconds")), gpu.at("name").get<std::string>(), gpu.at("predicted_bound").get<std::string>()));
    print_line("counted", fmt::format("{} launches, {} warp instructions, {} of them multiply-adds, {} divergent branches", with_commas(count(gpu, "launches")),
                                      with_commas(count(gpu, "warp_instructions")), with_commas(count(gpu, "warp_instructions_multiply_add")), with_commas(count(gpu, "divergent_branches"))));
    print_line("memory", fmt::format("DRAM {} read, {} written; L2 hits {}; {} of {} shared cycles lost to bank conflicts", megabytes(count(gpu, "dram_bytes_read")),
                                     megabytes(count(gpu, "dram_bytes_written")), megabytes(count(gpu, "l2_hit_bytes")), with_commas(count(gpu, "shared_conflict_cycles")),
                                     with_commas(count(gpu, "shared_cycles"))));
  }
  if (!counters.empty() && active_edges > 0)
    print_line("per edge", fmt::format("{:.2f} warp instructions for 32 active edges", 32 * static_cast<double>(instructions) / static_cast<double>(active_edges)));
}

void print_streaming(const lacuna::RunReport& report, const Json& counters) {
  if (report.resident_weight_bytes == report.weight_bytes) return;
  print_line("weights", fmt::format("streamed: {} of {} bytes resident, {} bytes copied in a run", with_commas(report.resident_weight_bytes), with_commas(report.weight_bytes),
                                    with_commas(report.streamed_bytes)));
  for (const Json& gpu : counters) {  // each of them copies the same
    const double on_bus = static_cast<double>(report.streamed_bytes) / static_cast<double>(counters.size()) / gpu.at("bus_bytes_per_s").get<double>();
    const double in_kernels = gpu.at("predicted_seconds");
    print_line("copies", fmt::format("{} on the bus of {} beside {} of kernels, bound by {} (predicted)", in_seconds(on_bus), gpu.at("name").get<std::string>(), in_seconds(in_kernels),
                                     on_bus > in_kernels ? "the bus" : "the kernels"));
  }
}

void add_streaming(Json& json, const lacuna::RunReport& report) {
  if (report.weight_bytes == 0) return;
  json["weight_bytes"] = report.weight_bytes;
  json["resident_weight_bytes"] = report.resident_weight_bytes;
  json["streamed_bytes"] = report.streamed_bytes;
}

}  // namespace cli
