// Compiles OpenCL C, once for each text: programs are kept in memory as long as the device is open, and their binaries on disk
// (base/cache_folder.hpp), where a file that is damaged or that the driver refuses is ignored and replaced. PoCL's stay out: it has a cache of its own,
// and compiles everything once more to hand a binary over (8 small kernels, once, on a busy machine of 2 cores, November 2026: 4.6 s instead of 1.2 s; the next time 0.003 s instead of 0.07 s).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "devices/opencl/context.hpp"

namespace lacuna::opencl {

enum class Binaries : std::uint8_t { keep, keep_but_for_pocl };

class Programs {
 public:
  Programs(ContextPointer context, Binaries binaries);

  /// Throws DeviceError with the compiler's log if it does not compile.
  std::shared_ptr<const Program> get(const std::string& text);

  std::size_t compiled() const { return compiled_; }  ///< texts that the driver's compiler had to read

 private:
  std::filesystem::path binary_file(const std::string& text) const;
  Program recall(const std::filesystem::path& file) const;
  void remember(const std::filesystem::path& file, const Program& program) const;
  Program compile(const std::string& text) const;
  std::string log_of(const Program& program) const;
  std::vector<unsigned char> binary_of(const Program& program) const;

  ContextPointer context_;
  std::string options_;
  bool keeps_binaries_;
  std::map<std::string, std::shared_ptr<const Program>> programs_;  ///< by the hash of the text
  std::size_t compiled_ = 0;
};

}  // namespace lacuna::opencl
