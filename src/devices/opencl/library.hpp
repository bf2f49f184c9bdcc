// OpenCL 1.2 as this machine has it: the functions of the ICD loader, opened at run time. Nothing is linked; the headers give the types.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <memory>
#include <string>

namespace lacuna::opencl {

class Library {
 public:
  /// Opens `libOpenCL.so.1`, or what LACUNA_OPENCL_LIBRARY names; the same file is opened once and stays open.
  /// Throws DeviceError saying what to install if it cannot be opened, or which function it lacks.
  static std::shared_ptr<const Library> open();

  const std::string& file() const { return file_; }

 private:
  struct Symbol;
  struct Handle {
    void* handle = nullptr;
  };
  Symbol find(const char* name) const;

  explicit Library(std::string file);
  std::string file_;
  Handle handle_;

  /// Converts to a pointer to whatever function it is assigned to.
  struct Symbol {
    void* address;
    template <typename Function>
    operator Function*() const {  // NOLINT: meant to convert
      return reinterpret_cast<Function*>(address);
    }
  };

 public:
  decltype(&::clGetPlatformIDs) get_platform_ids = find("clGetPlatformIDs");
  decltype(&::clGetPlatformInfo) get_platform_info = find("clGetPlatformInfo");
  decltype(&::clGetDeviceIDs) get_device_ids = find("clGetDeviceIDs");
  decltype(&::clGetDeviceInfo) get_device_info = find("clGetDeviceInfo");
  decltype(&::clCreateContext) create_context = find("clCreateContext");
  decltype(&::clReleaseContext) release_context = find("clReleaseContext");
  decltype(&::clCreateCommandQueue) create_queue = find("clCreateCommandQueue");
  decltype(&::clReleaseCommandQueue) release_queue = find("clReleaseCommandQueue");
  decltype(&::clFlush) flush = find("clFlush");
  decltype(&::clFinish) finish = find("clFinish");
  decltype(&::clCreateBuffer) create_buffer = find("clCreateBuffer");
  decltype(&::clReleaseMemObject) release_memory = find("clReleaseMemObject");
  decltype(&::clEnqueueWriteBuffer) enqueue_write = find("clEnqueueWriteBuffer");
  decltype(&::clEnqueueReadBuffer) enqueue_read = find("clEnqueueReadBuffer");
  decltype(&::clEnqueueCopyBuffer) enqueue_copy = find("clEnqueueCopyBuffer");
  decltype(&::clEnqueueFillBuffer) enqueue_fill = find("clEnqueueFillBuffer");
  decltype(&::clCreateProgramWithSource) create_program = find("clCreateProgramWithSource");
  decltype(&::clCreateProgramWithBinary) create_program_with_binary = find("clCreateProgramWithBinary");
  decltype(&::clBuildProgram) build_program = find("clBuildProgram");
  decltype(&::clGetProgramBuildInfo) get_build_info = find("clGetProgramBuildInfo");
  decltype(&::clGetProgramInfo) get_program_info = find("clGetProgramInfo");
  decltype(&::clReleaseProgram) release_program = find("clReleaseProgram");
  decltype(&::clCreateKernel) create_kernel = find("clCreateKernel");
  decltype(&::clGetKernelInfo) get_kernel_info = find("clGetKernelInfo");
  decltype(&::clGetKernelWorkGroupInfo) get_work_group_info = find("clGetKernelWorkGroupInfo");
  decltype(&::clSetKernelArg) set_kernel_argument = find("clSetKernelArg");
  decltype(&::clReleaseKernel) release_kernel = find("clReleaseKernel");
  decltype(&::clEnqueueNDRangeKernel) enqueue_kernel = find("clEnqueueNDRangeKernel");
  decltype(&::clGetEventInfo) get_event_info = find("clGetEventInfo");
  decltype(&::clGetEventProfilingInfo) get_event_time = find("clGetEventProfilingInfo");
  decltype(&::clReleaseEvent) release_event = find("clReleaseEvent");
};

}  // namespace lacuna::opencl
