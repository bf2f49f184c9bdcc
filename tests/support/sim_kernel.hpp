// Small PTX kernels on the simulator, for tests: arrays go in, arrays come out.
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "devices/sim/launch.hpp"

namespace lacuna::tests {

/// A simulated GPU with a module on it.
class SimKernel {
 public:
  explicit SimKernel(const std::string& text, sim::Checks checks = {.threads = 1}, const char* model = "v100")
      : memory(std::size_t{1} << 30), machine(sim::model_named(model), checks), module(sim::Module::parse(text)) {
    module.place(memory);
  }

  template <typename T>
  sim::Address upload(const std::vector<T>& values) {
    const sim::Address address = memory.allocate(values.size() * sizeof(T));
    std::memcpy(memory.lookup(address, values.size() * sizeof(T)), values.data(), values.size() * sizeof(T));
    return address;
  }
  template <typename T>
  std::vector<T> download(sim::Address address, std::size_t count) const {
    std::vector<T> values(count);
    std::memcpy(values.data(), memory.lookup(address, count * sizeof(T)), count * sizeof(T));
    return values;
  }

  /// The only kernel of the module. Arguments: 64-bit addresses first, then numbers of 32 bits.
  sim::Counters run(sim::LaunchShape shape, const std::vector<std::uint64_t>& addresses, const std::vector<std::uint32_t>& numbers = {}) {
    std::vector<std::byte> parameters(addresses.size() * 8 + numbers.size() * 4);
    if (!addresses.empty()) std::memcpy(parameters.data(), addresses.data(), addresses.size() * 8);
    if (!numbers.empty()) std::memcpy(parameters.data() + addresses.size() * 8, numbers.data(), numbers.size() * 4);
    return sim::launch(*module.kernels().front(), shape, parameters, memory, machine, &by_line);
  }

  sim::Memory memory;
  sim::Machine machine;
  sim::Module module;
  std::vector<std::uint64_t> by_line;
};

inline const std::string sim_header = ".version 7.0\n.target sm_70\n.address_size 64\n";

/// A kernel `k` with pointers p0, p1, ... in %rd0, %rd1, ... (advanced by nothing) and %tid.x in %r0. Registers: %r0-63, %rd0-63, %f0-63, %d0-15, %h0-15, %p0-15.
inline std::string sim_text(unsigned pointers, const std::string& body, const std::string& declarations = "") {
  std::string text = sim_header + ".visible .entry k(";
  for (unsigned i = 0; i < pointers; ++i) text += (i > 0 ? ", " : "") + (".param .u64 p" + std::to_string(i));
  text += ")\n{\n.reg .u32 %r<64>; .reg .u64 %rd<64>; .reg .f32 %f<64>; .reg .f64 %d<16>; .reg .b16 %h<16>; .reg .pred %p<16>;\n" + declarations;
  for (unsigned i = 0; i < pointers; ++i) text += "ld.param.u64 %rd" + std::to_string(i) + ", [p" + std::to_string(i) + "];\n";
  return text + "mov.u32 %r0, %tid.x;\n" + body + "\nret;\n}\n";
}

}  // namespace lacuna::tests
