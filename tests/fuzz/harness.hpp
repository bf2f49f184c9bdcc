// What every fuzz target shares: a reader may refuse its input, and in no other way than by these two errors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <lacuna/error.hpp>
#include <string_view>

namespace lacuna::fuzz {

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Anything else that `read` throws ends the program, and libFuzzer keeps the input.
template <typename Read>
void may_refuse(Read read) {
  try {
    read();
  } catch (const InputError&) {
  } catch (const Unsupported&) {
  }
}

}  // namespace lacuna::fuzz
