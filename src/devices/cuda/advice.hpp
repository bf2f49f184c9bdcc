// What to do about an error of the driver, as half a sentence.
#pragma once

#include "devices/cuda/driver_api.hpp"

namespace lacuna::cuda {

const char* advice(Result result);

}  // namespace lacuna::cuda
