// Every instruction set this machine can run and every kernel choice it has, so that tests leave none out.
#pragma once

#include <string>
#include <vector>

#include <lacuna/devices.hpp>

namespace lacuna::tests {

inline std::vector<std::string> all_isas() { return devices().front().isas; }

/// The choices that can be forced; what "auto" takes is one of them.
inline std::vector<std::string> kernels_of(const std::string& isa) {
  if (isa == "avx2" || isa == "avx512") return {"table", "baked"};
  return {"table"};
}

}  // namespace lacuna::tests
