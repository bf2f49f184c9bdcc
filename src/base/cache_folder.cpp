#include "base/cache_folder.hpp"

#include <cstdlib>
#include <string>

namespace lacuna::base {

std::filesystem::path cache_folder() {
  namespace fs = std::filesystem;
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  if (const std::string wish = variable("LACUNA_CACHE"); !wish.empty()) return wish == "off" ? fs::path() : fs::path(wish);
  if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty()) return fs::path(cache) / "lacuna";
  if (const std::string home = variable("HOME"); !home.empty()) return fs::path(home) / ".cache" / "lacuna";
  return {};
}

}  // namespace lacuna::base
