// OpenCL's error codes as words, and what a user can do about them.
#pragma once

#include <string>
#include <string_view>

#include "devices/opencl/library.hpp"

namespace lacuna::opencl {

/// "CL_OUT_OF_RESOURCES (-5)"
std::string code_name(cl_int code);

/// Throws DeviceError unless the code is CL_SUCCESS: "opencl: CALL on DEVICE: CODE; what to do".
void check(cl_int code, std::string_view call, std::string_view device);

}  // namespace lacuna::opencl
