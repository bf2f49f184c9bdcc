#include "devices/opencl/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <lacuna/error.hpp>
#include <mutex>
#include <utility>

#include "base/text.hpp"

namespace lacuna::opencl {
namespace {

/// OpenCL 1.2 has nothing like a graph: the commands are handed over one by one, arguments included.
class CommandList : public gpu::Recording {
 public:
  CommandList(std::shared_ptr<Queue> queue, std::vector<Command> commands) : queue_(std::move(queue)), commands_(std::move(commands)) {}
  void run() override {
  const std::scoped_lock lock(queue_->mutex());
    for (const Command& command : commands_) queue_->run(command);
    queue_->flush();
  }

 private:
  std::shared_ptr<Queue> queue_;
  std::vector<Command> commands_;
};

}  // namespace

OpenClDevice::OpenClDevice(ContextPointer context, Binaries binaries) : context_(context), queue_(std::make_shared<Queue>(context)), programs_(context, binaries) {}

gpu::BufferPointer OpenClDevice::allocate(std::size_t bytes) {
  const std::scoped_lock lock(queue_->mutex());
  not_while_recording("allocate");
  const gpu::Limits& most = limits();
  if (bytes > most.largest_buffer_bytes)
    throw DeviceError(fmt::format("opencl: a buffer of {} is wanted, and {} gives {} at once; take smaller batches", base::human_bytes(bytes), most.name,
                                  base::human_bytes(most.largest_buffer_bytes)));
  cl_int code = CL_SUCCESS;
  const std::size_t at_least_something = std::max<std::size_t>(bytes, 4);  // OpenCL has no empty buffers
  Memory memory(context_, context_->cl().create_buffer(context_->handle(), CL_MEM_READ_WRITE, at_least_something, nullptr, &code));
  if (code != CL_SUCCESS) context_->check(code, fmt::format("clCreateBuffer of {}", base::human_bytes(bytes)));
  return std::make_shared<OpenClBuffer>(std::move(memory), bytes);
}

void OpenClDevice::write(const gpu::BufferPointer& target, std::size_t offset, std::span<const std::byte> bytes) {
  const std::scoped_lock lock(queue_->mutex());
  not_while_recording("write");
  queue_->write(*own(target, offset, bytes.size(), "write"), offset, bytes);
}

void OpenClDevice::read(const gpu::BufferPointer& source, std::size_t offset, std::span<std::byte> bytes) {
  const std::scoped_lock lock(queue_->mutex());
  not_while_recording("read");
  queue_->read(*own(source, offset, bytes.size(), "read"), offset, bytes);
}

void OpenClDevice::copy(const gpu::BufferPointer& source, std::size_t source_offset, const gpu::BufferPointer& target, std::size_t target_offset, std::size_t bytes) {
  const std::scoped_lock lock(queue_->mutex());
  do_or_record(CopyCommand{own(source, source_offset, bytes, "copy"), own(target, target_offset, bytes, "copy"), source_offset, target_offset, bytes});
}

void OpenClDevice::fill_zero(const gpu::BufferPointer& target, std::size_t offset, std::size_t bytes) {
  const std::scoped_lock lock(queue_->mutex());
  if (offset % 4 != 0 || bytes % 4 != 0) throw InternalError(fmt::format("opencl: fill_zero of {} bytes at {}, which are not both multiples of 4", bytes, offset));
  do_or_record(FillCommand{own(target, offset, bytes, "fill_zero"), offset, bytes});
}

std::vector<gpu::KernelPointer> OpenClDevice::load(const std::string& text, std::span<const gpu::KernelInfo> kernels) {
  const std::scoped_lock lock(queue_->mutex());
  not_while_recording("load");
  for (const gpu::KernelInfo& kernel : kernels) check_limits(kernel);
  const std::shared_ptr<const Program> program = programs_.get(text);
  std::vector<gpu::KernelPointer> loaded;
  for (const gpu::KernelInfo& kernel : kernels) loaded.push_back(make_kernel(*program, kernel));
  return loaded;
}

void OpenClDevice::check_limits(const gpu::KernelInfo& kernel) const {
  const gpu::Limits& most = limits();
  if (kernel.block_threads == 0) throw InternalError(fmt::format("opencl: kernel {} has blocks of no threads", kernel.name));
  if (kernel.block_threads > most.block_threads)
    throw Unsupported(fmt::format("opencl: kernel {} has blocks of {} threads, and {} has {} at most", kernel.name, kernel.block_threads, most.name, most.block_threads));
  if (kernel.shared_bytes > most.shared_bytes)
    throw Unsupported(fmt::format("opencl: kernel {} shares {} bytes in a block, and {} has {} at most", kernel.name, kernel.shared_bytes, most.name, most.shared_bytes));
}

/// What the compiler made of the kernel is judged too: registers may leave room for fewer threads, and the text may share more than was said.
std::shared_ptr<OpenClKernel> OpenClDevice::make_kernel(const Program& program, const gpu::KernelInfo& info) const {
  const Library& cl = context_->cl();
  auto kernel = std::make_shared<OpenClKernel>();
  cl_int code = CL_SUCCESS;
  kernel->handle = KernelHandle(context_, cl.create_kernel(program.get(), info.name.c_str(), &code));
  if (code != CL_SUCCESS) context_->check(code, fmt::format("clCreateKernel of {}", info.name));
  kernel->name = info.name;
  kernel->block_threads = info.block_threads;
  context_->check(cl.get_kernel_info(kernel->handle.get(), CL_KERNEL_NUM_ARGS, sizeof kernel->parameters, &kernel->parameters, nullptr), "clGetKernelInfo");

  gpu::KernelInfo real = info;
  cl_ulong shared = 0;
  context_->check(cl.get_work_group_info(kernel->handle.get(), context_->device().id, CL_KERNEL_LOCAL_MEM_SIZE, sizeof shared, &shared, nullptr), "clGetKernelWorkGroupInfo");
  real.shared_bytes = static_cast<std::uint32_t>(shared);
  check_limits(real);
  std::size_t threads = 0;
  context_->check(cl.get_work_group_info(kernel->handle.get(), context_->device().id, CL_KERNEL_WORK_GROUP_SIZE, sizeof threads, &threads, nullptr), "clGetKernelWorkGroupInfo");
  if (info.block_threads > threads)
    throw Unsupported(fmt::format("opencl: kernel {} has blocks of {} threads, and as compiled for {} it can have {} at most", info.name, info.block_threads, limits().name, threads));
  return kernel;
}

void OpenClDevice::launch(const gpu::Launch& launch) {
  const std::scoped_lock lock(queue_->mutex());
  auto kernel = std::dynamic_pointer_cast<OpenClKernel>(launch.kernel);
  if (kernel == nullptr || kernel->handle.context() != context_) throw InternalError("opencl: launch of a kernel that another device loaded");
  if (kernel->parameters != launch.arguments.size())
    throw InternalError(fmt::format("opencl: {} has {} parameters, and is launched with {} arguments", kernel->name, kernel->parameters, launch.arguments.size()));
  LaunchCommand command{std::move(kernel), launch.blocks_x, launch.blocks_y, {}};
  for (const gpu::Argument& argument : launch.arguments) {
    if (const auto* buffer = std::get_if<gpu::BufferPointer>(&argument))
      command.arguments.emplace_back(own(*buffer, "launch"));
    else if (const auto* number = std::get_if<std::uint32_t>(&argument))
      command.arguments.emplace_back(*number);
    else
      command.arguments.emplace_back(std::get<float>(argument));
  }
  do_or_record(std::move(command));
}

void OpenClDevice::do_or_record(Command command) {
  if (recorded_ != nullptr)
    recorded_->push_back(std::move(command));
  else
    queue_->run(command);
}

std::unique_ptr<gpu::Recording> OpenClDevice::record(const std::function<void()>& work) {
  const std::scoped_lock lock(queue_->mutex());
  not_while_recording("record");
  std::vector<Command> commands;
  struct Guard {
    std::vector<Command>*& recorded;
    ~Guard() { recorded = nullptr; }
  };
  {
    const Guard guard{recorded_ = &commands};
    work();
  }
  return std::make_unique<CommandList>(queue_, std::move(commands));
}

void OpenClDevice::finish() {
  const std::scoped_lock lock(queue_->mutex());
  not_while_recording("finish");
  queue_->finish();
}

void OpenClDevice::start_clock() {
  const std::scoped_lock lock(queue_->mutex());
  not_while_recording("start_clock");
  queue_->start_clock();
}

double OpenClDevice::stop_clock() {
  const std::scoped_lock lock(queue_->mutex());
  not_while_recording("stop_clock");
  return queue_->stop_clock();
}

void OpenClDevice::not_while_recording(const char* what) const {
  if (recorded_ != nullptr) throw InternalError(fmt::format("opencl: {} is called while work is recorded", what));
}

std::shared_ptr<OpenClBuffer> OpenClDevice::own(const gpu::BufferPointer& buffer, const char* call) const {
  auto own = std::dynamic_pointer_cast<OpenClBuffer>(buffer);
  if (own == nullptr || own->context() != context_) throw InternalError(fmt::format("opencl: {} of a buffer that belongs to another device", call));
  return own;
}

std::shared_ptr<OpenClBuffer> OpenClDevice::own(const gpu::BufferPointer& buffer, std::size_t offset, std::size_t bytes, const char* call) const {
  std::shared_ptr<OpenClBuffer> checked = own(buffer, call);
  if (offset > checked->bytes() || bytes > checked->bytes() - offset)
    throw InternalError(fmt::format("opencl: {} of {} bytes at {} of a buffer of {} bytes", call, bytes, offset, checked->bytes()));
  return checked;
}

}  // namespace lacuna::opencl
