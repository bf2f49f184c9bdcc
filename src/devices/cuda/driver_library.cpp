#include "devices/cuda/driver_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <lacuna/error.hpp>
#include <map>
#include <mutex>
#include <type_traits>

#include "devices/cuda/advice.hpp"

namespace lacuna::cuda {
namespace {

constexpr const char* simulated_file_name = "liblacuna_simcuda.so";

template <typename Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
}

void find_simulated(void* library, DriverLibrary& driver) {
  SimulatedApi& api = driver.simulated;
  find(library, "lacunaSimConfigure", api.configure);
  find(library, "lacunaSimModels", api.models);
  find(library, "lacunaSimCounters", api.counters);
  find(library, "lacunaSimFigure", api.figure);
  find(library, "lacunaSimResetCounters", api.reset_counters);
  find(library, "lacunaSimFail", api.fail);
  find(library, "lacunaSimLeaks", api.leaks);
  find(library, "lacunaSimDoOthersFirst", api.do_others_first);
  find(library, "lacunaSimIsMissing", api.is_missing);
  find(library, "lacunaSimLastFault", api.last_fault);
  driver.is_simulated = api.configure && api.models && api.counters && api.figure && api.reset_counters && api.fail && api.leaks && api.do_others_first && api.is_missing && api.last_fault;
}

template <typename Entry>
void find_entry_point(void* library, const DriverLibrary& driver, Entry& entry) {
  find(library, entry.name, entry.function);
  if (entry.function != nullptr && !(driver.is_simulated && driver.simulated.is_missing(entry.name) != 0)) return;
  throw DeviceError(fmt::format("cuda: {} has no {}, which drivers have since CUDA {}: the driver is too old; install NVIDIA driver 470 (CUDA {}) or later", driver.file,
                                entry.name, version_text(entry.since), version_text(lowest_driver_version)));
}

void start(DriverLibrary& driver) {
  const Result started = driver.api.init(0);
  if (started != Result::success) throw DeviceError(fmt::format("cuda: cuInit gives {}: {}", driver.describe(started), advice(started)));
  const Result known = driver.api.driver_version(&driver.version);
  if (known != Result::success) throw DeviceError(fmt::format("cuda: cuDriverGetVersion gives {}: {}", driver.describe(known), advice(known)));
  if (driver.version < lowest_driver_version)
    throw DeviceError(fmt::format("cuda: the driver ({}) knows CUDA {}, and {} is needed: install NVIDIA driver 470 or later", driver.file, version_text(driver.version),
                                  version_text(lowest_driver_version)));
}

std::shared_ptr<const DriverLibrary> open_new(const std::string& file) {
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const reason = ::dlerror();
    throw DeviceError(fmt::format("cuda: no driver ({}): install NVIDIA's driver, or name its library with LACUNA_CUDA_LIBRARY; --device sim:a100 runs the same kernels simulated",
                                  reason == nullptr ? file + " cannot be opened" : reason));
  }
  auto driver = std::make_shared<DriverLibrary>();
  driver->file = file;
  find_simulated(library, *driver);
  std::apply([&](auto&... entry) { (find_entry_point(library, *driver, entry), ...); }, driver->api.all());
  start(*driver);
  return driver;
}

}  // namespace

std::string DriverLibrary::describe(Result result) const {
  const char* name = nullptr;
  const char* text = nullptr;
  if (api.error_name(result, &name) != Result::success || name == nullptr) return fmt::format("error {}", static_cast<int>(result));
  if (api.error_text(result, &text) != Result::success || text == nullptr) return fmt::format("{} ({})", name, static_cast<int>(result));
  return fmt::format("{} ({}: {})", name, static_cast<int>(result), text);
}

std::shared_ptr<const DriverLibrary> open_library(const std::string& file) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const DriverLibrary>> open_ones;
  const std::lock_guard lock(mutex);
  std::shared_ptr<const DriverLibrary>& library = open_ones[file];
  if (!library) library = open_new(file);
  return library;
}

std::string cuda_library_name() {
  const char* const wish = std::getenv("LACUNA_CUDA_LIBRARY");
  return wish != nullptr && *wish != '\0' ? wish : "libcuda.so.1";
}

std::filesystem::path find_simulated_library() {
  if (const char* const wish = std::getenv("LACUNA_SIM_LIBRARY"); wish != nullptr && *wish != '\0') return wish;
  std::error_code ignored;
  Dl_info own{};
  if (::dladdr(reinterpret_cast<const void*>(&find_simulated_library), &own) != 0 && own.dli_fname != nullptr) {
    std::filesystem::path program = std::filesystem::canonical(own.dli_fname, ignored);
    if (ignored) program = std::filesystem::canonical("/proc/self/exe", ignored);  // a program found by PATH is known by its bare name
    for (const char* folder : {".", "../lib", LACUNA_LIBRARY_FROM_PROGRAM})
      if (auto file = (program.parent_path() / folder / simulated_file_name).lexically_normal(); std::filesystem::exists(file, ignored)) return file;
  }
  const std::filesystem::path installed = std::filesystem::path(LACUNA_LIBRARY_FOLDER) / simulated_file_name;
  return std::filesystem::exists(installed, ignored) ? installed : std::filesystem::path();
}

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

}  // namespace lacuna::cuda
