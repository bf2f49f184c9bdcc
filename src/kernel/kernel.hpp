// Kernel IR: the program of one lane. A lane is a SIMD lane on a CPU and a thread on a GPU; every lane runs the same steps on its own
// float of each place in memory. Emitters (src/emit) turn it into code; it knows no machine, no panel and no layout.
//
// A lane has a row of sums and one hand `x`:
//
//   memory[offset]     this lane's float at a byte offset that is the same for all lanes; a kernel may have several such spaces
//   constant[index]    a value that is the same for all lanes: weights, biases, bounds, in the order of use
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lacuna::kernel {

/// Which memory an offset is in. Kernels on an arena read and write `memory`; others read `memory` and write elsewhere.
enum class Space : std::uint8_t { memory, destination, skip, partial };

enum class Op : std::uint8_t {
  clear,         ///< sum[row] = 0
  set,           ///< sum[row] = constant[index]
  resume,        ///< sum[row] = memory[offset]
  load,          ///< x = memory[offset]
  take,          ///< x = constant[index]
  hold,          ///< x = sum[row]
  multiply_add,  ///< sum[row] += constant[index] * x
  add,           ///< sum[row] += x
  scale,         ///< sum[row] = sum[row] * x + constant[index]
  maximum,       ///< sum[row] = sum[row] > x ? sum[row] : x, so that NaN becomes x
  minimum,       ///< sum[row] = sum[row] < x ? sum[row] : x
  blank,         ///< sum[row] = 0 in lanes that are not wanted: who runs the kernel says which
  store,         ///< memory[offset] = sum[row]
};

struct Step {
  Op op;
  std::uint16_t row = 0;
  std::uint32_t index = 0;
  std::uint64_t offset = 0;
  Space space = Space::memory;

  bool operator==(const Step&) const = default;
};

struct Kernel {
  std::string name;
  unsigned rows = 0;             ///< sums of a lane
  std::vector<Step> steps;
  std::vector<float> constants;  ///< each is used by one step, in order
};

/// The steps of `next` come after those before. Sums are begun anew, so both may have as many as there are registers.
void append(Kernel& kernel, const Kernel& next);

/// The text form, one step a line: `--emit=kernel`, golden tests.
std::string print(const Kernel& kernel);

}  // namespace lacuna::kernel
