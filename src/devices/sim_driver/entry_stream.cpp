// Entry points of the simulated driver: streams, events and graphs.
#include "devices/sim_driver/execute.hpp"

using namespace lacuna;
using namespace lacuna::cuda;
using namespace lacuna::sim_driver;

namespace {

/// Waiting is not allowed while the stream captures, and spoils the capture.
void refuse_while_capturing(StreamObject& stream) {
  if (!stream.is_capturing) return;
  stream.is_capture_broken = true;
  throw Refusal{Result::stream_capture_unsupported};
}

}  // namespace

LACUNA_EXPORT Result cuStreamCreate(StreamHandle* stream, unsigned) {
  return enter_context("cuStreamCreate", [&](State&, ContextObject& context) { *stream = add_object(context.streams, std::make_unique<StreamObject>()); });
}

LACUNA_EXPORT Result cuStreamDestroy_v2(StreamHandle stream) {
  return enter_to_give_back("cuStreamDestroy_v2", [&](State&, ContextObject& context) {
    drain(context, object_of(context.streams, stream));
    context.streams.erase(stream);
  });
}

LACUNA_EXPORT Result cuStreamSynchronize(StreamHandle stream) {
  return enter_context("cuStreamSynchronize", [&](State&, ContextObject& context) {
    StreamObject& queue = stream_of(context, stream);
    refuse_while_capturing(queue);
    drain(context, queue);
    end_wait(context, queue.seconds);
  });
}

LACUNA_EXPORT Result cuCtxSynchronize() {
  return enter_context("cuCtxSynchronize", [&](State&, ContextObject& context) {
    for (auto& [handle, stream] : context.streams) refuse_while_capturing(*stream);
    drain_all(context);
    end_wait(context, context.gpu->latest());
  });
}

LACUNA_EXPORT Result cuStreamWaitEvent(StreamHandle stream, EventHandle event, unsigned) {
  return enter_context("cuStreamWaitEvent", [&](State&, ContextObject& context) {
    StreamObject& queue = stream_of(context, stream);
    if (queue.is_capturing) throw Refusal{Result::not_supported};  // captures with several streams are not simulated
    submit(context, queue, WaitForEvent{event, object_of(context.events, event).records});
  });
}

LACUNA_EXPORT Result cuEventCreate(EventHandle* event, unsigned flags) {
  return enter_context("cuEventCreate", [&](State&, ContextObject& context) {
    auto object = std::make_unique<EventObject>();
    object->has_time = (flags & event_without_time) == 0;
    *event = add_object(context.events, std::move(object));
  });
}

LACUNA_EXPORT Result cuEventDestroy_v2(EventHandle event) {
  return enter_to_give_back("cuEventDestroy_v2", [&](State&, ContextObject& context) {
    object_of(context.events, event);
    drain_all(context);  // queues may still name it
    context.events.erase(event);
  });
}

LACUNA_EXPORT Result cuEventRecord(EventHandle event, StreamHandle stream) {
  return enter_context("cuEventRecord", [&](State&, ContextObject& context) {
    EventObject& object = object_of(context.events, event);
    StreamObject& queue = stream_of(context, stream);
    if (queue.is_capturing) throw Refusal{Result::not_supported};
    drain_to(context, object, object.records);  // records are done in the order in which they were asked for
    object.stream = stream;
    ++object.records;
    submit(context, queue, RecordEvent{event});
  });
}

LACUNA_EXPORT Result cuEventSynchronize(EventHandle event) {
  return enter_context("cuEventSynchronize", [&](State& own, ContextObject& context) {
    EventObject& object = object_of(context.events, event);
    if (own.does_others_first && !object.is_done(object.records))
      drain(context, object.stream == nullptr ? context.default_stream : object_of(context.streams, object.stream));
    drain_to(context, object, object.records);
    end_wait(context, object.at(object.records));
  });
}

LACUNA_EXPORT Result cuEventElapsedTime(float* milliseconds, EventHandle start, EventHandle stop) {
  return enter_context("cuEventElapsedTime", [&](State&, ContextObject& context) {
    const EventObject& from = object_of(context.events, start);
    const EventObject& to = object_of(context.events, stop);
    if (!from.has_time || !to.has_time || from.records == 0 || to.records == 0) throw Refusal{Result::invalid_handle};
    if (!from.is_done(from.records) || !to.is_done(to.records)) throw Refusal{Result::not_ready};
    *milliseconds = static_cast<float>((to.at(to.records) - from.at(from.records)) * 1e3);
  });
}

LACUNA_EXPORT Result cuStreamBeginCapture_v2(StreamHandle stream, CaptureMode) {
  return enter_context("cuStreamBeginCapture_v2", [&](State&, ContextObject& context) {
    if (stream == nullptr) throw Refusal{Result::stream_capture_unsupported};
    StreamObject& queue = object_of(context.streams, stream);
    if (queue.is_capturing) throw Refusal{Result::illegal_state};
    queue.is_capturing = true;
    queue.is_capture_broken = false;
    queue.captured.clear();
  });
}

LACUNA_EXPORT Result cuStreamEndCapture(StreamHandle stream, GraphHandle* graph) {
  return enter_context("cuStreamEndCapture", [&](State&, ContextObject& context) {
    *graph = nullptr;
    if (stream == nullptr) throw Refusal{Result::illegal_state};
    StreamObject& queue = object_of(context.streams, stream);
    if (!queue.is_capturing) throw Refusal{Result::illegal_state};
    queue.is_capturing = false;
    auto operations = std::make_shared<const std::vector<Operation>>(std::move(queue.captured));
    queue.captured = {};
    if (queue.is_capture_broken) throw Refusal{Result::stream_capture_invalidated};
    auto object = std::make_unique<GraphObject>();
    object->operations = std::move(operations);
    *graph = add_object(context.graphs, std::move(object));
  });
}

LACUNA_EXPORT Result cuGraphInstantiateWithFlags(GraphRunHandle* run, GraphHandle graph, unsigned long long) {
  return enter_context("cuGraphInstantiateWithFlags", [&](State&, ContextObject& context) {
    auto object = std::make_unique<GraphRunObject>();
    object->operations = object_of(context.graphs, graph).operations;
    *run = add_object(context.graph_runs, std::move(object));
  });
}

LACUNA_EXPORT Result cuGraphLaunch(GraphRunHandle run, StreamHandle stream) {
  return enter_context("cuGraphLaunch", [&](State&, ContextObject& context) {
    StreamObject& queue = stream_of(context, stream);
    if (queue.is_capturing) throw Refusal{Result::not_supported};  // a graph in a graph
    submit(context, queue, RunGraph{object_of(context.graph_runs, run).operations});
  });
}

LACUNA_EXPORT Result cuGraphDestroy(GraphHandle graph) {
  return enter_to_give_back("cuGraphDestroy", [&](State&, ContextObject& context) {
    if (context.graphs.erase(graph) == 0) throw Refusal{Result::invalid_value};
  });
}

LACUNA_EXPORT Result cuGraphExecDestroy(GraphRunHandle run) {
  return enter_to_give_back("cuGraphExecDestroy", [&](State&, ContextObject& context) {
    if (context.graph_runs.erase(run) == 0) throw Refusal{Result::invalid_value};
  });
}
