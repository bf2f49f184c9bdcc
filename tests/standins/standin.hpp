// What the libraries that stand in for NVIDIA's have in common: they compute by plain loops on the memory of the simulated driver that LACUNA_STANDIN_DRIVER names, and fail where LACUNA_STANDIN_FAIL
// names an entry point.
#pragma once

#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#define EXPORT extern "C" [[gnu::visibility("default")]]

namespace standin {

inline bool is_to_fail(std::string_view call) {
  const char* const wish = std::getenv("LACUNA_STANDIN_FAIL");
  return wish != nullptr && call == wish;
}

/// Handles and descriptors that nobody gave back.
inline std::atomic<int> objects = 0;

template <typename Object>
void create(Object** place, const Object& object = {}) {
  *place = new Object(object);
  ++objects;
}
template <typename Object>
void destroy(Object* object) {
  delete object;
  --objects;
}

template <typename Function>
Function* of_driver(const char* name) {
  static void* const library = ::dlopen(std::getenv("LACUNA_STANDIN_DRIVER"), RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Function*>(::dlsym(library, name));
}

/// Fills the values from the device's memory, after everything that the stream was asked for.
template <typename T>
bool read(std::vector<T>& values, std::uint64_t from, void* stream) {
  static auto* const copy = of_driver<int(void*, std::uint64_t, std::size_t, void*)>("cuMemcpyDtoHAsync_v2");
  static auto* const wait = of_driver<int(void*)>("cuStreamSynchronize");
  return copy(values.data(), from, values.size() * sizeof(T), stream) == 0 && wait(stream) == 0;
}

/// The driver copies when it comes to it, and the values may be gone by then: waits.
inline bool write(const std::vector<float>& values, std::uint64_t to, void* stream) {
  static auto* const copy = of_driver<int(std::uint64_t, const void*, std::size_t, void*)>("cuMemcpyHtoDAsync_v2");
  static auto* const wait = of_driver<int(void*)>("cuStreamSynchronize");
  return copy(to, values.data(), values.size() * sizeof(float), stream) == 0 && wait(stream) == 0;
}

}  // namespace standin

/// The mark by which the cuda device lets a library work on simulated memory. Gives the objects that are left.
EXPORT int lacuna_computes_on_simulated_memory();
