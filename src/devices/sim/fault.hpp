// What a kernel did wrong while it was simulated. A real GPU would end in an error code, or in wrong numbers.
#pragma once

#include <cstdint>
#include <string>

#include <lacuna/error.hpp>

namespace lacuna::sim {

enum class FaultKind : std::uint8_t {
  out_of_bounds,  ///< global or shared memory that is not there
  misaligned,     ///< an address that is no multiple of the access
  race,           ///< two threads of a block touch the same shared memory between two barriers, and one writes
  barrier,        ///< a barrier that not all threads of a warp or block reach
  trap,           ///< the kernel asked for it
  too_long,       ///< more instructions than LaunchOptions allows
};

/// `what()` names the kernel, the line and text of the instruction, block and thread, and what was found there.
class KernelFault : public DeviceError {
 public:
  KernelFault(FaultKind kind, const std::string& sentence) : DeviceError(sentence), kind_(kind) {}
  FaultKind kind() const { return kind_; }

 private:
  FaultKind kind_;
};

}  // namespace lacuna::sim
