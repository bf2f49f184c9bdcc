// Runs a kernel on a simulated GPU: every block, every warp in lock step, on all cores of this machine. What it computes and counts does not depend on
// the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "devices/sim/counters.hpp"
#include "devices/sim/memory.hpp"
#include "devices/sim/model.hpp"
#include "devices/sim/module.hpp"

namespace lacuna::sim {

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

struct LaunchShape {
  Dim3 grid;
  Dim3 block;
  std::size_t dynamic_shared_bytes = 0;
};

struct Checks {
  bool races = true;       ///< of shared memory between barriers
  bool caches = true;      ///< count L1, L2 and DRAM; without it sectors are still counted
  unsigned threads = 0;    ///< 0: LACUNA_THREADS, else all cores
  std::uint64_t most_warp_instructions = 0;  ///< of a block; 0: no limit
};

class Cache;

/// A simulated GPU: its model, and what lives across launches (the contents of the L2). One launch at a time.
class Machine {
 public:
  explicit Machine(const Model& model, Checks checks = {});
  ~Machine();
  Machine(Machine&&) noexcept;
  Machine& operator=(Machine&&) noexcept;

  const Model& model() const { return *model_; }
  Checks checks;
  Cache& l2() { return *l2_; }
  void forget_l2();  ///< as after a long time

 private:
  const Model* model_;
  std::unique_ptr<Cache> l2_;
};

/// Blocks of this kernel that a multiprocessor holds.
Occupancy occupancy(const Kernel& kernel, const LaunchShape& shape, const Model& model);

/// `parameters`: kernel.parameter_bytes bytes, each parameter at its offset. Throws InputError where the shape does not fit the kernel or the model
/// (both values named), KernelFault where the kernel does something wrong; memory then holds what was written until there.
/// `by_line`, if given, gets for each line of the PTX text how often warps issued its instruction (index: line number).
Counters launch(const Kernel& kernel, const LaunchShape& shape, std::span<const std::byte> parameters, Memory& memory, Machine& machine,
                std::vector<std::uint64_t>* by_line = nullptr);

}  // namespace lacuna::sim
