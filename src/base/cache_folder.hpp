// Where Lacuna remembers what was measured or compiled before: $XDG_CACHE_HOME/lacuna (~/.cache/lacuna), or where LACUNA_CACHE says.
#pragma once

#include <filesystem>

namespace lacuna::base {

/// Empty: nothing is remembered ("off" in LACUNA_CACHE, or no home).
std::filesystem::path cache_folder();

}  // namespace lacuna::base
