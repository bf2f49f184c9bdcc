// Work as a CUDA graph: captured from the stream once, then launched as a whole.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "devices/cuda/memory.hpp"
#include "devices/gpu/device.hpp"

namespace lacuna::cuda {

class Recording final : public gpu::Recording {
 public:
  explicit Recording(ContextPointer context) : context_(std::move(context)) {}
  ~Recording() override;
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  /// Needs: a Turn. What `work` throws comes through, and the stream works as before.
  void capture(const std::function<void()>& work);
  void run() override;

  std::vector<std::shared_ptr<const gpu::Kernel>> kernels;  ///< of the graph, as are the buffers
  std::set<std::shared_ptr<Buffer>> buffers;

 private:
  ContextPointer context_;
  GraphRunHandle graph_run_ = nullptr;
};

}  // namespace lacuna::cuda
