// Runs one kernel of a file on the OpenCL device, for tests/opencl/test_oclgrind.py: run_kernel FILE KERNEL BLOCK_THREADS BLOCKS WORDS
// The kernel gets a buffer of so many words, each its own index, and their number; the words after it are printed, one a line.
#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "devices/opencl/open.hpp"

namespace {

std::uint32_t number(const char* text) {
  std::uint32_t value = 0;
  const char* end = text + std::strlen(text);
  if (const auto [stop, error] = std::from_chars(text, end, value); error != std::errc{} || stop != end) throw std::runtime_error(std::string(text) + " is no number");
  return value;
}

void run(const std::string& file, const lacuna::gpu::KernelInfo& info, std::uint32_t blocks, std::uint32_t count) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error(file + " cannot be read");
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto device = lacuna::opencl::open();
  const auto kernel = device->load(text, std::span(&info, 1)).front();
  std::vector<std::uint32_t> words(count);
  std::iota(words.begin(), words.end(), 0u);
  const auto buffer = device->allocate(words.size() * sizeof words[0]);
  device->write(buffer, 0, std::as_bytes(std::span(words)));
  device->launch({kernel, blocks, 1, {buffer, count}});
  device->read(buffer, 0, std::as_writable_bytes(std::span(words)));
  for (std::uint32_t word : words) std::printf("%u\n", word);
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 6) throw std::runtime_error("usage: run_kernel FILE KERNEL BLOCK_THREADS BLOCKS WORDS");
  run(arguments[1], {arguments[2], number(arguments[3]), 0}, number(arguments[4]), number(arguments[5]));
} catch (const std::exception& error) {
  std::fprintf(stderr, "run_kernel: %s\n", error.what());
  return 1;
}
