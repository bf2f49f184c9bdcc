// Files with one number a line: biases, dense weights, categories.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/byte_source.hpp"

namespace lacuna::frontends {

/// One finite value a line. Throws InputError naming the line of anything else.
std::vector<float> read_values(base::ByteSource& source, const std::string& name);

/// One whole number a line, as written (not shifted to 0), and the line of each. `expected` is "the number of an input"
/// or the like, for messages.
std::vector<std::uint32_t> read_indices(base::ByteSource& source, const std::string& name, const char* expected,
                                        std::vector<std::uint64_t>* lines);

}  // namespace lacuna::frontends
