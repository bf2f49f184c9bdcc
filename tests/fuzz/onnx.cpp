// ONNX models. What is computed while reading may take 16 MiB here, so that the fuzzer looks for mistakes and not for large numbers.
#include "frontends/onnx/read_onnx.hpp"
#include "harness.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  lacuna::fuzz::may_refuse([&] { lacuna::frontends::read_onnx({.bytes = lacuna::fuzz::as_text(data, size), .name = "fuzz.onnx", .growth = 16 << 20}); });
  return 0;
}
