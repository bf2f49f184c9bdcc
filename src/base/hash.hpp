// 128 bits of anything as hexadecimal digits: the names of files in caches. And 64 bits for tables in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace lacuna::base {

/// Takes bytes piece by piece; how they were cut makes no difference.
class Hasher {
 public:
  Hasher();
  void add(const void* data, std::size_t bytes);
  void add(std::string_view text) { add(text.data(), text.size()); }
  std::string finish() const;

 private:
  struct State;
  struct Free {
    void operator()(State* state) const;
  };
  std::unique_ptr<State, Free> state_;
};

std::string hash_text(std::string_view text);

std::uint64_t hash_bytes(std::string_view bytes);

}  // namespace lacuna::base
