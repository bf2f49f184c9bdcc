#include "devices/cuda/context.hpp"

#include <fmt/format.h>

#include <array>
#include <lacuna/error.hpp>

#include "devices/cuda/advice.hpp"

namespace lacuna::cuda {

Context::Context(std::shared_ptr<const DriverLibrary> library, int number, std::string label) : library_(std::move(library)), label_(std::move(label)) {
  call(api().device, &number_, number);
  std::array<char, 256> name{};
  call(api().device_name, name.data(), static_cast<int>(name.size() - 1), number_);
  label_ += fmt::format(" ({})", name.data());
  const int major = attribute(DeviceAttribute::capability_major);
  if (major < 7)
    throw Unsupported(fmt::format("{}: compute capability {}.{}, and 7.0 or later is needed: take a GPU of the Volta generation or newer, or --device cpu", label_, major,
                                  attribute(DeviceAttribute::capability_minor)));
  call(api().retain_context, &handle_, number_);
  try {
    const Turn turn(*this);
    call(api().create_stream, &stream_, stream_apart_from_default);
    call(api().create_stream, &write_stream_, stream_apart_from_default);
  } catch (...) {
    end();
    throw;
  }
}

Context::~Context() { end(); }

void Context::end() noexcept {
  {
    const Turn turn(*this, std::nothrow);
    for (StreamHandle stream : {write_stream_, stream_})
      if (stream != nullptr) {
        give_back(api().wait_for_stream, stream);
        give_back(api().destroy_stream, stream);
      }
  }
  give_back(api().release_context, number_);
}

void Context::wait_for_all() {
  call(api().wait_for_stream, write_stream_);
  call(api().wait_for_stream, stream_);
}

Context::Turn::Turn(Context& context) : context_(context), lock_(context.mutex_) { context.call(context.api().push_context, context.handle_); }

Context::Turn::Turn(Context& context, std::nothrow_t) noexcept : context_(context), lock_(context.mutex_) {
  is_current_ = context.api().push_context(context.handle_) == Result::success;
}

Context::Turn::~Turn() {
  if (!is_current_) return;
  ContextHandle popped = nullptr;
  context_.give_back(context_.api().pop_context, &popped);
}

int Context::attribute(DeviceAttribute attribute) {
  int value = 0;
  call(api().device_attribute, &value, attribute, number_);
  return value;
}

void Context::throw_if_lost() const {
  if (!lost_.empty()) throw DeviceError(fmt::format("{} is lost and takes no more work, since {}", label_, lost_));
}

void Context::fail(std::string_view call, Result result, std::string_view what, std::string_view to_do) {
  std::string told = fmt::format("{}{}{} gives {}", call, what.empty() ? "" : " ", what, library_->describe(result));
  std::array<char, 2048> fault{};
  if (is_lost(result) && library_->is_simulated && library_->simulated.last_fault(fault.data(), fault.size()) > 1) told += fmt::format(": {}", fault.data());
  if (is_lost(result)) lost_ = told;
  throw DeviceError(fmt::format("{}: {}: {}", label_, told, to_do.empty() ? advice(result) : to_do));
}

}  // namespace lacuna::cuda
