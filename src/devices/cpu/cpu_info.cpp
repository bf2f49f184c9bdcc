#include "devices/cpu/cpu_info.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>

#include "base/parallel.hpp"
#include "devices/cpu/kernels.hpp"

namespace lacuna::cpu {
namespace {

std::string model_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(std::min(line.size(), line.find(':') + 2));
  return "unknown CPU";
}

std::size_t cache_bytes(int name, std::size_t otherwise) {
  const long bytes = sysconf(name);
  return bytes > 0 ? static_cast<std::size_t>(bytes) : otherwise;
}

}  // namespace

const CpuInfo& cpu_info() {
  static const CpuInfo info{model_name(), base::available_cores(), cache_bytes(_SC_LEVEL1_DCACHE_SIZE, 32 << 10),
                            cache_bytes(_SC_LEVEL2_CACHE_SIZE, 512 << 10)};
  return info;
}

double measure_peak(Isa isa, unsigned threads) {
  const Kernels& kernels = kernels_for(isa);
  using Clock = std::chrono::steady_clock;
  const auto seconds_since = [](Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); };
  double best = 0;
  for (int repeat = 0; repeat < 3; ++repeat) {
    std::atomic<std::uint64_t> done{0};
    const auto start = Clock::now();
    base::parallel_for(threads, threads, [&](std::size_t, unsigned) {
      float sink[3] = {0.999f, 0.001f, 0};
      const auto thread_start = Clock::now();
      while (seconds_since(thread_start) < 0.01) done += kernels.multiply_adds(20000, sink);
    });
    best = std::max(best, static_cast<double>(done) / seconds_since(start));
  }
  return best;
}

}  // namespace lacuna::cpu
