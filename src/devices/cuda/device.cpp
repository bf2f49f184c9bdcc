#include "devices/cuda/device.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <lacuna/error.hpp>

#include "devices/cuda/recording.hpp"

namespace lacuna::cuda {
namespace {

gpu::Limits limits_of(Context& context) {
  const Context::Turn turn(context);
  const auto number = [&](DeviceAttribute attribute) { return static_cast<unsigned>(context.attribute(attribute)); };
  gpu::Limits limits;
  const std::string& label = context.label();
  limits.name = label.substr(label.find('(') + 1, label.size() - label.find('(') - 2);
  context.call(context.api().memory_info, &limits.free_bytes, &limits.memory_bytes);
  limits.largest_buffer_bytes = limits.memory_bytes;
  limits.multiprocessors = number(DeviceAttribute::multiprocessors);
  limits.block_threads = number(DeviceAttribute::block_threads);
  limits.shared_bytes = number(DeviceAttribute::largest_shared_bytes);
  limits.l2_bytes = number(DeviceAttribute::l2_bytes);
  limits.is_simulated = context.library().is_simulated;
  return limits;
}

}  // namespace

Device::Device(std::shared_ptr<const DriverLibrary> library, int number, std::string label)
    : context_(std::make_shared<Context>(std::move(library), number, std::move(label))), limits_(limits_of(*context_)) {
  writing_ = std::make_unique<Staging>(*context_, context_->write_stream());
  reading_ = std::make_unique<Staging>(*context_, context_->stream());
}

Device::~Device() {
  const Context::Turn turn(*context_, std::nothrow);
  for (StreamHandle stream : {context_->write_stream(), context_->stream()}) context_->give_back(context_->api().wait_for_stream, stream);  // pinned memory is in use till then
  writing_.reset();
  reading_.reset();
  written_.reset();
  clock_start_.reset();
  clock_stop_.reset();
}

std::shared_ptr<Buffer> Device::own(const gpu::BufferPointer& buffer, std::size_t offset, std::size_t bytes, const char* purpose) const {
  auto found = std::dynamic_pointer_cast<Buffer>(buffer);
  if (found == nullptr || &found->context() != context_.get()) throw InternalError(fmt::format("{}: {} a buffer that is not of this device", context_->label(), purpose));
  if (offset > found->bytes() || bytes > found->bytes() - offset)
    throw InternalError(fmt::format("{}: {} bytes {} to {} of a buffer of {}", context_->label(), purpose, offset, offset + bytes, found->bytes()));
  return found;
}

void Device::use(std::span<const std::shared_ptr<Buffer>> buffers, const std::function<void()>& work) {
  if (recording_ != nullptr) {
    work();
    recording_->buffers.insert(buffers.begin(), buffers.end());
    return;
  }
  for (const std::shared_ptr<Buffer>& buffer : buffers) buffer->begin_use();
  work();
  for (const std::shared_ptr<Buffer>& buffer : buffers) buffer->end_use();
}

void Device::refuse_while_recording(const char* what) const {
  if (recording_ != nullptr) throw InternalError(fmt::format("{}: {} while work is recorded", context_->label(), what));
}

gpu::BufferPointer Device::allocate(std::size_t bytes) {
  refuse_while_recording("allocate");
  return std::make_shared<Buffer>(context_, bytes);
}

void Device::write(const gpu::BufferPointer& target, std::size_t offset, std::span<const std::byte> bytes) {
  refuse_while_recording("write");
  const Context::Turn turn(*context_);
  const std::shared_ptr<Buffer> buffer = own(target, offset, bytes.size(), "write");
  buffer->begin_write();
  writing_->write(buffer->address() + offset, bytes);
  buffer->end_write();
}

void Device::read(const gpu::BufferPointer& source, std::size_t offset, std::span<std::byte> bytes) {
  refuse_while_recording("read");
  const Context::Turn turn(*context_);
  const std::shared_ptr<Buffer> buffer = own(source, offset, bytes.size(), "read");
  buffer->begin_use();
  reading_->read(buffer->address() + offset, bytes);  // waits: nothing is left to remember
}

void Device::copy(const gpu::BufferPointer& source, std::size_t source_offset, const gpu::BufferPointer& target, std::size_t target_offset, std::size_t bytes) {
  const Context::Turn turn(*context_);
  const std::array buffers{own(source, source_offset, bytes, "copy from"), own(target, target_offset, bytes, "copy to")};
  if (bytes == 0) return;
  use(buffers, [&] {
    context_->call(context_->api().copy, buffers[1]->address() + target_offset, buffers[0]->address() + source_offset, bytes, context_->stream());
  });
}

void Device::fill_zero(const gpu::BufferPointer& target, std::size_t offset, std::size_t bytes) {
  if (offset % 4 != 0 || bytes % 4 != 0) throw InternalError(fmt::format("{}: fill_zero of {} bytes at {}, not multiples of 4", context_->label(), bytes, offset));
  const Context::Turn turn(*context_);
  const std::array buffers{own(target, offset, bytes, "fill")};
  if (bytes == 0) return;
  use(buffers, [&] { context_->call(context_->api().fill, buffers[0]->address() + offset, 0u, bytes / 4, context_->stream()); });
}

void Device::check_fits(const gpu::KernelInfo& kernel) const {
  if (kernel.block_threads > limits_.block_threads)
    throw Unsupported(fmt::format("{}: kernel \"{}\" needs blocks of {} threads, and the device has {}", context_->label(), kernel.name, kernel.block_threads, limits_.block_threads));
  if (kernel.shared_bytes > limits_.shared_bytes)
    throw Unsupported(fmt::format("{}: kernel \"{}\" needs {} bytes of shared memory a block, and the device has {}", context_->label(), kernel.name, kernel.shared_bytes,
                                  limits_.shared_bytes));
}

std::vector<gpu::KernelPointer> Device::load(const std::string& text, std::span<const gpu::KernelInfo> kernels) {
  refuse_while_recording("load");
  for (const gpu::KernelInfo& kernel : kernels) check_fits(kernel);
  const Context::Turn turn(*context_);
  const std::shared_ptr<const Module> module = modules_.load(context_, text);
  std::vector<gpu::KernelPointer> loaded;
  for (const gpu::KernelInfo& kernel : kernels) loaded.push_back(std::make_shared<Kernel>(module, kernel));
  return loaded;
}

void Device::launch(const gpu::Launch& launch) {
  if (launch.blocks_x == 0 || launch.blocks_y == 0) return;  // drivers do not take an empty grid
  const Context::Turn turn(*context_);
  const auto* const kernel = dynamic_cast<const Kernel*>(launch.kernel.get());
  if (kernel == nullptr || &kernel->context() != context_.get()) throw InternalError(context_->label() + ": launch of a kernel that is not of this device");
  std::vector<std::uint64_t> values(launch.arguments.size());  // each argument starts at the first byte of its cell
  std::vector<void*> parameters;
  std::vector<std::shared_ptr<Buffer>> buffers;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const gpu::Argument& argument = launch.arguments[i];
    if (const auto* const buffer = std::get_if<gpu::BufferPointer>(&argument)) {
      buffers.push_back(own(*buffer, 0, 0, "launch with"));
      values[i] = buffers.back()->address();
    } else if (const auto* const number = std::get_if<std::uint32_t>(&argument)) {
      std::memcpy(&values[i], number, sizeof *number);
    } else {
      std::memcpy(&values[i], &std::get<float>(argument), sizeof(float));
    }
    parameters.push_back(&values[i]);
  }
  const std::string what = fmt::format("of kernel \"{}\" on {} x {} blocks of {} threads", kernel->name(), launch.blocks_x, launch.blocks_y, kernel->block_threads());
  use(buffers, [&] {
    context_->call_for(context_->api().launch, what, kernel->function(), launch.blocks_x, launch.blocks_y, 1u, kernel->block_threads(), 1u, 1u, kernel->dynamic_shared_bytes(),
                       context_->stream(), parameters.data(), nullptr);
  });
  if (recording_ != nullptr) recording_->kernels.push_back(launch.kernel);
}

std::unique_ptr<gpu::Recording> Device::record(const std::function<void()>& work) {
  refuse_while_recording("record");
  const Context::Turn turn(*context_);
  auto recording = std::make_unique<Recording>(context_);
  struct Ending {
    Recording*& place;
    ~Ending() { place = nullptr; }
  } ending{recording_};
  recording_ = recording.get();
  recording->capture(work);
  return recording;
}

void Device::finish() {
  refuse_while_recording("finish");
  const Context::Turn turn(*context_);
  context_->wait_for_all();
}

void Device::join_streams() {
  if (!written_) written_ = std::make_unique<Event>(*context_);
  written_->record(context_->write_stream());
  written_->let_wait(context_->stream());
}

void Device::start_clock() {
  refuse_while_recording("start_clock");
  const Context::Turn turn(*context_);
  if (!clock_start_) clock_start_ = std::make_unique<Event>(*context_, true);
  join_streams();
  clock_start_->record(context_->stream());
}

double Device::stop_clock() {
  refuse_while_recording("stop_clock");
  if (!clock_start_) throw InternalError(context_->label() + ": stop_clock without start_clock");
  const Context::Turn turn(*context_);
  if (!clock_stop_) clock_stop_ = std::make_unique<Event>(*context_, true);
  join_streams();
  clock_stop_->record(context_->stream());
  clock_stop_->wait();
  return clock_stop_->seconds_since(*clock_start_);
}

}  // namespace lacuna::cuda
