// What a store was made from: names, sizes and times of the files, and the options that change the result. A store
// whose fingerprint differs is stale.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace lacuna::store {

struct Fingerprint {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  bool operator==(const Fingerprint&) const = default;
};

class FingerprintBuilder {
 public:
  void add_text(std::string_view text);

  /// Name (without folder), size and time of change in nanoseconds. Throws InputError if the file is not there.
  void add_file(const std::filesystem::path& file);

  Fingerprint finish() const;

 private:
  std::string collected_;
};

}  // namespace lacuna::store
