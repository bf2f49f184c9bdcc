// NumPy arrays.
#include "frontends/tensor/tensor_file.hpp"
#include "harness.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  lacuna::fuzz::may_refuse([&] { lacuna::frontends::read_npy(lacuna::fuzz::as_text(data, size), "fuzz.npy"); });
  return 0;
}
