#include "devices/opencl/context.hpp"

namespace lacuna::opencl {

Context::Context(std::shared_ptr<const Library> library, FoundDevice device) : library_(std::move(library)), device_(std::move(device)) {
  cl_int code = CL_SUCCESS;
  context_ = library_->create_context(nullptr, 1, &device_.id, nullptr, nullptr, &code);
  check(code, "clCreateContext");
}

Context::~Context() { library_->release_context(context_); }

}  // namespace lacuna::opencl
