// Every instruction set this machine can run, so that tests leave none out.
#pragma once

#include <string>
#include <vector>

#include <lacuna/devices.hpp>

namespace lacuna::tests {

inline std::vector<std::string> all_isas() { return devices().front().isas; }

}  // namespace lacuna::tests
