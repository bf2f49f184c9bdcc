#include "devices/sim_driver/state.hpp"

#include <algorithm>
#include <cstdlib>
#include <lacuna/error.hpp>
#include <new>
#include <sstream>

#include "devices/sim_driver/configure.hpp"

namespace lacuna::sim_driver {

namespace {

/// LACUNA_SIM_FAIL: failures ordered from outside, as CALL:AFTER:CODE, with commas between them.
std::vector<State::OrderedFailure> failures_wanted() {
  std::vector<State::OrderedFailure> failures;
  const char* const wish = std::getenv("LACUNA_SIM_FAIL");
  std::istringstream orders(wish == nullptr ? "" : wish);
  for (std::string order; std::getline(orders, order, ',');) {
    std::istringstream parts(order);
    std::string call, after, code;
    std::getline(parts, call, ':');
    std::getline(parts, after, ':');
    std::getline(parts, code);
    failures.push_back({call, std::atoi(after.c_str()), static_cast<Result>(std::atoi(code.c_str()))});
  }
  return failures;
}

}  // namespace

State& state() {
  static State* const own = [] {
    auto* const made = new State;  // never destroyed: programs call drivers until the very end
    made->failures = failures_wanted();
    return made;
  }();
  return *own;
}

std::vector<cuda::ContextObject*>& context_stack() {
  thread_local std::vector<cuda::ContextObject*> stack;
  return stack;
}

void State::need_gpus() {
  if (!gpus.empty()) return;
  const char* const model = std::getenv("LACUNA_SIM_MODEL");
  const char* const count = std::getenv("LACUNA_SIM_DEVICES");
  if (configure(*this, model != nullptr && *model != '\0' ? model : "a100", count != nullptr ? std::atoi(count) : 1) < 0) throw Refusal{Result::no_device};
}

Result State::ordered_failure(std::string_view call) {
  const auto found = std::find_if(failures.begin(), failures.end(), [&](const OrderedFailure& failure) { return failure.call == call; });
  if (found == failures.end() || found->after-- > 0) return Result::success;
  const Result result = found->result;
  failures.erase(found);
  return result;
}

cuda::Gpu& State::gpu(int number) {
  need_gpus();
  if (number < 0 || static_cast<std::size_t>(number) >= gpus.size()) throw Refusal{Result::invalid_device};
  return *gpus[static_cast<std::size_t>(number)];
}

cuda::ContextObject& State::context() const {
  if (context_stack().empty()) throw Refusal{Result::invalid_context};
  cuda::ContextObject* const current = context_stack().back();
  const bool is_alive = std::any_of(gpus.begin(), gpus.end(), [&](const auto& gpu) { return gpu->context.get() == current; });
  if (!is_alive) throw Refusal{Result::context_is_destroyed};
  return *current;
}

bool State::is_pinned(const void* begin, std::size_t bytes) const {
  const auto after = pinned.upper_bound(const_cast<void*>(begin));
  if (after == pinned.begin()) return false;
  const auto& [start, block] = *std::prev(after);
  const std::size_t offset = static_cast<std::size_t>(static_cast<const std::byte*>(begin) - static_cast<const std::byte*>(start));
  return offset <= block.second && bytes <= block.second - offset;
}

Result result_of_exception() noexcept {
  try {
    throw;
  } catch (const Refusal& refusal) {
    return refusal.result;
  } catch (const std::bad_alloc&) {
    return Result::out_of_memory;
  } catch (...) {
    return Result::unknown;
  }
}

}  // namespace lacuna::sim_driver
