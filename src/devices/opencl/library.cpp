#include "devices/opencl/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <lacuna/error.hpp>
#include <map>
#include <mutex>
#include <utility>

namespace lacuna::opencl {
namespace {

constexpr const char* usual_file = "libOpenCL.so.1";

std::string wanted_file() {
  const char* wish = std::getenv("LACUNA_OPENCL_LIBRARY");
  return wish == nullptr || *wish == '\0' ? usual_file : wish;
}

std::string cannot_open(const std::string& file) {
  if (file == usual_file)
    return fmt::format("opencl: no OpenCL here ({} was not found): install ocl-icd-libopencl1 and the OpenCL driver of your GPU, or pocl-opencl-icd to run on the CPU", file);
  const char* reason = ::dlerror();
  return fmt::format("opencl: LACUNA_OPENCL_LIBRARY names {}, which cannot be opened: {}; leave it unset to use {}", file, reason == nullptr ? "no reason given" : reason, usual_file);
}

}  // namespace

std::shared_ptr<const Library> Library::open() {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const Library>> opened;
  const std::scoped_lock lock(mutex);
  std::shared_ptr<const Library>& library = opened[wanted_file()];
  if (library == nullptr) library.reset(new Library(wanted_file()));
  return library;
}

// Never closed: drivers leave threads behind that still run their code.
Library::Library(std::string file) : file_(std::move(file)), handle_{::dlopen(file_.c_str(), RTLD_NOW | RTLD_LOCAL)} {}

Library::Symbol Library::find(const char* name) const {
  if (handle_.handle == nullptr) throw DeviceError(cannot_open(file_));
  void* address = ::dlsym(handle_.handle, name);
  if (address == nullptr) throw DeviceError(fmt::format("opencl: {} has no function {}: it is no OpenCL loader, or older than OpenCL 1.2; install ocl-icd-libopencl1", file_, name));
  return {address};
}

}  // namespace lacuna::opencl
