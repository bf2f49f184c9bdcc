#include <lacuna/devices.hpp>

#include "base/parallel.hpp"
#include "devices/cpu/cpu_info.hpp"

namespace lacuna {

std::vector<DeviceInfo> devices() {
  const cpu::CpuInfo& info = cpu::cpu_info();
  DeviceInfo device{"cpu", info.model, info.cores, info.l1_bytes, info.l2_bytes, {}};
  for (cpu::Isa isa : cpu::available_isas()) device.isas.emplace_back(cpu::name(isa));
  return {device};
}

double measure_multiply_add_peak(const std::string& isa, unsigned threads) {
  return cpu::measure_peak(cpu::choose_isa(isa), base::thread_count(threads));
}

std::string version() { return LACUNA_VERSION; }

}  // namespace lacuna
