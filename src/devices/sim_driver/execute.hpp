// Doing what was queued.
#pragma once

#include "devices/sim_driver/state.hpp"

namespace lacuna::sim_driver {

/// Queues the operation in its stream, or adds it to what the stream captures.
void submit(const cuda::ContextObject& context, cuda::StreamObject& stream, cuda::Operation operation);

/// Does everything in the stream's queue, and of other streams what it waits for.
void drain(cuda::ContextObject& context, cuda::StreamObject& stream);
void drain_all(cuda::ContextObject& context);

/// Does what stands in the event's stream up to its last record.
void drain_to(cuda::ContextObject& context, cuda::EventObject& event, std::uint64_t record);

/// After waiting until this moment: tells what went wrong. Throws Refusal.
void end_wait(cuda::ContextObject& context, double seconds);

/// The stream of a handle; no handle: the default stream, for which everything before it has to be done.
cuda::StreamObject& stream_of(cuda::ContextObject& context, cuda::StreamHandle handle);

}  // namespace lacuna::sim_driver
