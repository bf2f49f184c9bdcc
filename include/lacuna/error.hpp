// Errors by blame: the user's input, a valid request this build cannot serve, a device, or our own bug.
// The library throws these and nothing else; it never prints, exits or aborts.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace lacuna {

/// The base of everything the library throws.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A file or an argument is wrong. `what()` reads `file:line:column: sentence` as far as each part is known.
class InputError : public Error {
 public:
  explicit InputError(const std::string& sentence) : Error(sentence) {}
  InputError(std::string_view file, const std::string& sentence);
  InputError(std::string_view file, std::uint64_t line, std::uint64_t column, const std::string& sentence);
};

/// The request is valid, but this build, device or release does not serve it.
class Unsupported : public Error {
 public:
  using Error::Error;
};

/// The operating system or a device refused: full disk, no permission, a failed launch.
class DeviceError : public Error {
 public:
  using Error::Error;
};

/// Our bug.
class InternalError : public Error {
 public:
  explicit InternalError(const std::string& sentence) : Error("internal error: " + sentence) {}
};

}  // namespace lacuna
