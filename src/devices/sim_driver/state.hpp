// The simulated machine: its GPUs, which failures were ordered, and how a call of the driver is entered. One lock for all of it: the simulator
// spreads every kernel over the cores by itself.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "devices/sim_driver/objects.hpp"

#define LACUNA_EXPORT extern "C" [[gnu::visibility("default")]]

namespace lacuna::sim_driver {

using cuda::Result;

/// Ends a call with this result.
struct Refusal {
  Result result;
};

struct State {
  std::mutex mutex;
  bool is_started = false;
  bool does_others_first = false;  ///< lacunaSimDoOthersFirst
  std::vector<std::unique_ptr<cuda::Gpu>> gpus;
  std::map<void*, std::pair<std::unique_ptr<std::byte[]>, std::size_t>> pinned;
  std::size_t leaked = 0;  ///< what contexts that ended still had
  std::string last_fault;

  struct OrderedFailure {
    std::string call;
    int after;
    Result result;
  };
  std::vector<OrderedFailure> failures;

  /// Without any GPU so far: those of LACUNA_SIM_MODEL and LACUNA_SIM_DEVICES, or one A100.
  void need_gpus();
  /// The failure that was ordered for this call of the entry point, or success.
  Result ordered_failure(std::string_view call);
  cuda::Gpu& gpu(int number);           ///< throws Refusal
  cuda::ContextObject& context() const; ///< the current one of this thread; throws Refusal
  bool is_pinned(const void* begin, std::size_t bytes) const;
};
State& state();

/// Contexts of this thread, the current one last.
std::vector<cuda::ContextObject*>& context_stack();

Result result_of_exception() noexcept;

/// Every entry point goes through here: locks, fails where that was ordered, and turns exceptions into results.
template <typename Work>
Result enter(std::string_view call, Work work) noexcept {
  State& own = state();
  try {
    const std::lock_guard lock(own.mutex);
    if (const Result ordered = own.ordered_failure(call); ordered != Result::success) {
      if (cuda::is_lost(ordered) && !context_stack().empty()) {
        cuda::ContextObject& context = own.context();
        context.failure = ordered;
        context.is_failure_known = true;
        own.last_fault.clear();
      }
      return ordered;
    }
    if (!own.is_started && call != "cuInit") return Result::not_initialized;
    work(own);
    return Result::success;
  } catch (...) {
    return result_of_exception();
  }
}

/// Of the entry points that need a current context: `work(State&, ContextObject&)`.
template <typename Work>
Result enter_context(std::string_view call, Work work) noexcept {
  return enter(call, [&](State& own) {
    cuda::ContextObject& context = own.context();
    if (context.is_failure_known) throw Refusal{context.failure};
    work(own, context);
  });
}

/// Of those that give something back: it goes even if the context is lost.
template <typename Work>
Result enter_to_give_back(std::string_view call, Work work) noexcept {
  return enter(call, [&](State& own) {
    cuda::ContextObject& context = own.context();
    work(own, context);
    if (context.is_failure_known) throw Refusal{context.failure};
  });
}

/// The object of a handle; throws Refusal if there is none.
template <typename Handle, typename Object>
Object& object_of(const std::map<Handle, std::unique_ptr<Object>>& objects, Handle handle) {
  const auto found = objects.find(handle);
  if (found == objects.end()) throw Refusal{Result::invalid_handle};
  return *found->second;
}
template <typename Object>
Object* add_object(std::map<Object*, std::unique_ptr<Object>>& objects, std::unique_ptr<Object> object) {
  Object* const handle = object.get();
  objects.emplace(handle, std::move(object));
  return handle;
}

}  // namespace lacuna::sim_driver
