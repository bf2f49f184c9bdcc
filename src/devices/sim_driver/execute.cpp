#include "devices/sim_driver/execute.hpp"

#include <algorithm>
#include <cstring>

namespace lacuna::sim_driver {
namespace {

using namespace cuda;

/// A part of the GPU works for `seconds` as soon as it and the stream are free.
void occupy(StreamObject& stream, double& free_at, double seconds) {
  const double start = std::max(stream.seconds, free_at);
  stream.seconds = free_at = start + seconds;
}

Result result_of(sim::FaultKind kind) {
  switch (kind) {
    case sim::FaultKind::out_of_bounds: return Result::illegal_address;
    case sim::FaultKind::misaligned: return Result::misaligned_address;
    case sim::FaultKind::too_long: return Result::launch_timeout;
    default: return Result::launch_failed;
  }
}

class Executor {
 public:
  Executor(ContextObject& context, StreamObject& stream) : context_(context), gpu_(*context.gpu), stream_(stream) {}

  void operator()(const CopyIn& copy) {
    std::memcpy(gpu_.memory->lookup(copy.to, copy.bytes), copy.bytes_now.empty() ? copy.from : copy.bytes_now.data(), copy.bytes);
    gpu_.bytes_in += copy.bytes;
    count_copy(gpu_.copy_in_free_at, static_cast<double>(copy.bytes) / (gpu_.model.bus_gb_per_s * 1e9));
  }
  void operator()(const CopyOut& copy) {
    std::memcpy(copy.to, gpu_.memory->lookup(copy.from, copy.bytes), copy.bytes);
    gpu_.bytes_out += copy.bytes;
    count_copy(gpu_.copy_out_free_at, static_cast<double>(copy.bytes) / (gpu_.model.bus_gb_per_s * 1e9));
  }
  void operator()(const CopyWithin& copy) {
    std::memmove(gpu_.memory->lookup(copy.to, copy.bytes), gpu_.memory->lookup(copy.from, copy.bytes), copy.bytes);
    count_copy(gpu_.kernels_free_at, 2 * static_cast<double>(copy.bytes) / (gpu_.model.dram_gb_per_s * 1e9));
  }
  void operator()(const Fill& fill) {
    std::byte* const to = gpu_.memory->lookup(fill.to, fill.count * 4);
    for (std::size_t i = 0; i < fill.count; ++i) std::memcpy(to + 4 * i, &fill.value, 4);
    ++gpu_.fills;
    occupy(stream_, gpu_.kernels_free_at, static_cast<double>(fill.count * 4) / (gpu_.model.dram_gb_per_s * 1e9));
  }
  void operator()(const RunKernel& run) {
    if (const Result ordered = state().ordered_failure("kernel"); ordered != Result::success) {
      state().last_fault.clear();
      context_.failure = ordered;
      return;
    }
    const sim::Counters counters = sim::launch(*run.function.kernel, run.shape, run.parameters, *gpu_.memory, *gpu_.machine);
    const sim::Prediction prediction = sim::predict(counters, gpu_.model);
    for (Tally* tally : {&gpu_.all, &gpu_.by_kernel[run.function.kernel->name]}) {
      tally->counters += counters;
      tally->prediction += prediction;
    }
    occupy(stream_, gpu_.kernels_free_at, prediction.seconds);
  }
  void operator()(const RecordEvent& record) {
    object_of(context_.events, record.event).seconds.push_back(stream_.seconds);
  }
  void operator()(const WaitForEvent& wait) {
    EventObject& event = object_of(context_.events, wait.event);
    drain_to(context_, event, wait.record);
    stream_.seconds = std::max(stream_.seconds, event.at(wait.record));
  }
  void operator()(const RunGraph& graph) {
    ++gpu_.graph_launches;
    for (const Operation& operation : *graph.operations) execute(operation);
  }

  /// What comes after a failure is left out, but for events: who waits for them must not wait for ever.
  void execute(const Operation& operation) {
    const bool is_event = std::holds_alternative<RecordEvent>(operation);
    if (context_.failure != Result::success && !is_event) return;
    try {
      std::visit(*this, operation);
    } catch (const sim::KernelFault& fault) {
      state().last_fault = fault.what();
      context_.failure = result_of(fault.kind());
    } catch (const Refusal& refusal) {
      context_.failure = refusal.result;
    } catch (const std::exception& error) {
      state().last_fault = error.what();
      context_.failure = Result::launch_failed;
    }
  }

 private:
  void count_copy(double& free_at, double seconds) {
    ++gpu_.copies;
    gpu_.copy_seconds += seconds;
    occupy(stream_, free_at, seconds);
  }

  ContextObject& context_;
  Gpu& gpu_;
  StreamObject& stream_;
};

void do_next(ContextObject& context, StreamObject& stream) {
  const Queued next = std::move(stream.queue.front());
  stream.queue.pop_front();
  stream.seconds = std::max(stream.seconds, next.not_before);
  Executor(context, stream).execute(next.operation);
}

void drain_only(ContextObject& context, StreamObject& stream) {
  while (!stream.queue.empty()) do_next(context, stream);
}

}  // namespace

void submit(const ContextObject& context, StreamObject& stream, Operation operation) {
  if (stream.is_capturing)
    stream.captured.push_back(std::move(operation));
  else
    stream.queue.push_back({std::move(operation), context.host_seconds});
}

void drain(ContextObject& context, StreamObject& stream) {
  if (state().does_others_first)
    for (auto& [handle, other] : context.streams)
      if (other.get() != &stream) drain_only(context, *other);
  drain_only(context, stream);
}

void drain_all(ContextObject& context) {
  for (auto& [handle, stream] : context.streams) drain_only(context, *stream);
  drain_only(context, context.default_stream);
}

void drain_to(ContextObject& context, EventObject& event, std::uint64_t record) {
  if (event.is_done(record)) return;
  StreamObject* const stream = event.stream == nullptr ? &context.default_stream : &object_of(context.streams, event.stream);
  while (!event.is_done(record) && !stream->queue.empty()) do_next(context, *stream);
}

void end_wait(ContextObject& context, double seconds) {
  context.host_seconds = std::max(context.host_seconds, seconds);
  if (context.failure == Result::success) return;
  context.is_failure_known = true;
  throw Refusal{context.failure};
}

StreamObject& stream_of(ContextObject& context, StreamHandle handle) {
  if (handle != nullptr) return object_of(context.streams, handle);
  drain_all(context);
  return context.default_stream;
}

}  // namespace lacuna::sim_driver
