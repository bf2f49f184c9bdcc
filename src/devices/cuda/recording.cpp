#include "devices/cuda/recording.hpp"

namespace lacuna::cuda {

Recording::~Recording() {
  if (graph_run_ == nullptr) return;
  const Context::Turn turn(*context_, std::nothrow);
  context_->give_back(context_->api().wait_for_stream, context_->stream());  // it may still run, with buffers that go when it goes
  context_->give_back(context_->api().destroy_graph_run, graph_run_);
}

void Recording::capture(const std::function<void()>& work) {
  const DriverApi& api = context_->api();
  context_->call(api.begin_capture, context_->stream(), CaptureMode::thread_local_);
  GraphHandle graph = nullptr;
  const auto give_back_graph = [&] {
    if (graph != nullptr) context_->give_back(api.destroy_graph, graph);
  };
  try {
    work();
  } catch (...) {
    context_->give_back(api.end_capture, context_->stream(), &graph);
    give_back_graph();
    throw;
  }
  try {
    context_->call(api.end_capture, context_->stream(), &graph);
    context_->call(api.instantiate_graph, &graph_run_, graph, 0ull);
  } catch (...) {
    give_back_graph();
    throw;
  }
  give_back_graph();
}

void Recording::run() {
  const Context::Turn turn(*context_);
  for (const std::shared_ptr<Buffer>& buffer : buffers) buffer->begin_use();
  context_->call(context_->api().launch_graph, graph_run_, context_->stream());
  for (const std::shared_ptr<Buffer>& buffer : buffers) buffer->end_use();
}

}  // namespace lacuna::cuda
