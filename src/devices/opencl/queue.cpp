#include "devices/opencl/queue.hpp"

#include <fmt/format.h>

#include <lacuna/error.hpp>
#include <type_traits>

namespace lacuna::opencl {
namespace {

/// Smaller writes are copied and return at once; larger ones wait, rather than take memory twice.
constexpr std::size_t most_staged_bytes = 1 << 20;

cl_command_queue open_queue(const Context& context) {
  cl_int code = CL_SUCCESS;
  cl_command_queue queue = context.cl().create_queue(context.handle(), context.device().id, CL_QUEUE_PROFILING_ENABLE, &code);
  context.check(code, "clCreateCommandQueue");
  return queue;
}

}  // namespace

Queue::Queue(ContextPointer context) : context_(context), queue_(context, open_queue(*context)) {}

Queue::~Queue() { context_->cl().finish(queue_.get()); }

void Queue::run(const Command& command) {
  if (const auto* launched = std::get_if<LaunchCommand>(&command)) return launch(*launched);
  const Library& cl = context_->cl();
  cl_event event = nullptr;
  if (const auto* copy = std::get_if<CopyCommand>(&command)) {
    if (copy->bytes == 0) return;
    context_->check(cl.enqueue_copy(queue_.get(), copy->source->memory(), copy->target->memory(), copy->source_offset, copy->target_offset, copy->bytes, 0, nullptr, &event),
                    "clEnqueueCopyBuffer");
  } else {
    const auto& fill = std::get<FillCommand>(command);
    if (fill.bytes == 0) return;
    const cl_uint zero = 0;
    context_->check(cl.enqueue_fill(queue_.get(), fill.target->memory(), &zero, sizeof zero, fill.offset, fill.bytes, 0, nullptr, &event), "clEnqueueFillBuffer");
  }
  begun(event);
}

void Queue::launch(const LaunchCommand& command) {
  if (command.blocks_x == 0 || command.blocks_y == 0) return;
  const Library& cl = context_->cl();
  cl_kernel kernel = command.kernel->handle.get();
  cl_uint index = 0;
  for (const auto& argument : command.arguments) {
    const cl_int code = std::visit(
        [&](const auto& value) {
          if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::shared_ptr<OpenClBuffer>>)
            return cl.set_kernel_argument(kernel, index, sizeof(cl_mem), &value->memory());
          else
            return cl.set_kernel_argument(kernel, index, sizeof value, &value);
        },
        argument);
    if (code != CL_SUCCESS) context_->check(code, fmt::format("clSetKernelArg of argument {} of {}", index, command.kernel->name));
    ++index;
  }
  const std::size_t block[2] = {command.kernel->block_threads, 1};
  const std::size_t all[2] = {command.blocks_x * block[0], command.blocks_y};
  cl_event event = nullptr;
  const cl_int code = cl.enqueue_kernel(queue_.get(), kernel, 2, nullptr, all, block, 0, nullptr, &event);
  if (code != CL_SUCCESS) context_->check(code, fmt::format("clEnqueueNDRangeKernel of {}", command.kernel->name));
  begun(event);
}

void Queue::write(const OpenClBuffer& target, std::size_t offset, std::span<const std::byte> bytes) {
  while (!staged_.empty() && is_over(*staged_.front().done)) staged_.pop_front();
  if (bytes.empty()) return;
  const Library& cl = context_->cl();
  cl_event event = nullptr;
  if (bytes.size() > most_staged_bytes) {
    context_->check(cl.enqueue_write(queue_.get(), target.memory(), CL_TRUE, offset, bytes.size(), bytes.data(), 0, nullptr, &event), "clEnqueueWriteBuffer");
    begun(event);
    return;
  }
  std::vector<std::byte> staged(bytes.begin(), bytes.end());
  context_->check(cl.enqueue_write(queue_.get(), target.memory(), CL_FALSE, offset, staged.size(), staged.data(), 0, nullptr, &event), "clEnqueueWriteBuffer");
  staged_.push_back({std::move(staged), begun(event)});
}

void Queue::read(const OpenClBuffer& source, std::size_t offset, std::span<std::byte> bytes) {
  if (!bytes.empty()) {
    cl_event event = nullptr;
    context_->check(context_->cl().enqueue_read(queue_.get(), source.memory(), CL_TRUE, offset, bytes.size(), bytes.data(), 0, nullptr, &event), "clEnqueueReadBuffer");
    begun(event);
  }
  finish();
}

void Queue::flush() { context_->check(context_->cl().flush(queue_.get()), "clFlush"); }

void Queue::finish() {
  context_->check(context_->cl().finish(queue_.get()), "clFinish");
  staged_.clear();
  if (last_ == nullptr) return;
  cl_int status = CL_COMPLETE;
  context_->check(context_->cl().get_event_info(last_->get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr), "clGetEventInfo");
  if (status < 0) context_->check(status, "a command, while it ran,");
}

/// Every command that was handed over comes by here.
std::shared_ptr<const Event> Queue::begun(cl_event event) {
  last_ = std::make_shared<const Event>(context_, event);
  if (clock_runs_ && first_ == nullptr) first_ = last_;
  return last_;
}

bool Queue::is_over(const Event& event) const {
  cl_int status = CL_QUEUED;
  context_->check(context_->cl().get_event_info(event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr), "clGetEventInfo");
  return status <= CL_COMPLETE;  // negative: it failed, and is over too
}

void Queue::start_clock() {
  finish();
  first_.reset();
  clock_runs_ = true;
}

double Queue::stop_clock() {
  clock_runs_ = false;
  finish();
  const std::shared_ptr<const Event> first = std::move(first_);
  if (first == nullptr) return 0;
  return time_of(*last_, CL_PROFILING_COMMAND_END) - time_of(*first, CL_PROFILING_COMMAND_START);
}

double Queue::time_of(const Event& event, cl_profiling_info moment) const {
  cl_ulong nanoseconds = 0;
  context_->check(context_->cl().get_event_time(event.get(), moment, sizeof nanoseconds, &nanoseconds, nullptr), "clGetEventProfilingInfo");
  return static_cast<double>(nanoseconds) * 1e-9;
}

}  // namespace lacuna::opencl
