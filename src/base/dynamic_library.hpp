// A library that is opened while the program runs. It stays open to the end of the process: what it keeps in threads and at exit is its own affair.
#pragma once

#include <span>
#include <string>

namespace lacuna::base {

class DynamicLibrary {
 public:
  /// The first of these files that can be opened. If none can: is_open() is false, and why_not() is what the system said of the first.
  explicit DynamicLibrary(std::span<const std::string> files);

  bool is_open() const { return handle_ != nullptr; }
  const std::string& file() const { return file_; }
  const std::string& why_not() const { return why_not_; }

  /// Null if it has no such symbol.
  template <typename Function>
  void find(const char* name, Function*& function) const {
    function = reinterpret_cast<Function*>(symbol(name));
  }

 private:
  void* symbol(const char* name) const;

  void* handle_ = nullptr;
  std::string file_;
  std::string why_not_;
};

}  // namespace lacuna::base
