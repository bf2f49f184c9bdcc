#include "base/dynamic_library.hpp"

#include <dlfcn.h>

namespace lacuna::base {

DynamicLibrary::DynamicLibrary(std::span<const std::string> files) {
  for (const std::string& file : files) {
    handle_ = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) {
      file_ = file;
      return;
    }
    const char* const reason = ::dlerror();
    if (why_not_.empty()) why_not_ = reason != nullptr ? reason : file + " cannot be opened";
  }
}

void* DynamicLibrary::symbol(const char* name) const { return handle_ == nullptr ? nullptr : ::dlsym(handle_, name); }

}  // namespace lacuna::base
