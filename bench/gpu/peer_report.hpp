// The lines that gpu_peers prints: one JSON object for each program, after its answer was compared.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace peers {

/// What all lines of a comparison have in common: "\"device\": ..., \"network\": ..., \"inputs\": 60".
struct Report {
  std::string of_all;
  bool is_simulated = false;
  double lacuna_seconds = 0;

  void print_lacuna(const std::string& program, double seconds) const {
    fmt::print("{{\"program\": \"{}\", {}, \"verified\": true, \"seconds\": {:.6g}, \"predicted\": {}}}\n", program, of_all, seconds, is_simulated);
  }
  void print_peer(const std::string& program, double seconds) const {
    if (is_simulated)
      fmt::print("{{\"program\": \"{}\", {}, \"verified\": true, \"seconds\": null, \"why\": \"the simulator predicts kernels that it executes, and not libraries\"}}\n", program, of_all);
    else
      fmt::print("{{\"program\": \"{}\", {}, \"verified\": true, \"seconds\": {:.6g}, \"lacuna_times_faster\": {:.3g}}}\n", program, of_all, seconds, seconds / lacuna_seconds);
  }
  void print_missing(const std::string& program, std::string why) const {
    std::replace(why.begin(), why.end(), '"', '\'');
    fmt::print("{{\"program\": \"{}\", {}, \"verified\": false, \"seconds\": null, \"why\": \"{}\"}}\n", program, of_all, why);
  }
};

}  // namespace peers
