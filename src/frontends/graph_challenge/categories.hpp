// Truth files: the inputs that survive, one a line, counted from 1; or a Matrix Market column with an entry for each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/byte_source.hpp"

namespace lacuna::frontends {

/// Ascending, counted from 0. An input at or beyond `count` is left out if `first_only`, else an error naming its line.
std::vector<std::uint32_t> read_categories(base::ByteSource& source, const std::string& name, std::uint32_t count,
                                           bool first_only);

}  // namespace lacuna::frontends
