#include <lacuna/devices.hpp>

#include "base/parallel.hpp"
#include "devices/cpu/cpu_info.hpp"
#include "devices/cuda/vendor_library.hpp"
#include "devices/gpu/open.hpp"

namespace lacuna {

DeviceInfo cpu_device() {
  const cpu::CpuInfo& info = cpu::cpu_info();
  DeviceInfo device;
  device.name = "cpu";
  device.description = info.model;
  device.cores = info.cores;
  device.l1_bytes = info.l1_bytes;
  device.l2_bytes = info.l2_bytes;
  for (cpu::Isa isa : cpu::available_isas()) device.isas.emplace_back(cpu::name(isa));
  return device;
}

std::vector<DeviceInfo> devices() {
  std::vector<DeviceInfo> all{cpu_device()};
  for (const gpu::Listed& listed : gpu::list_devices()) {
    DeviceInfo device;
    device.name = listed.name;
    device.description = listed.limits.name;
    device.cores = listed.limits.multiprocessors;
    device.l2_bytes = listed.limits.l2_bytes;
    device.memory_bytes = listed.limits.memory_bytes;
    device.shared_bytes = listed.limits.shared_bytes;
    device.block_threads = listed.limits.block_threads;
    device.is_simulated = listed.limits.is_simulated;
    device.missing = listed.missing;
    all.push_back(std::move(device));
  }
  return all;
}

std::vector<LibraryInfo> libraries() {
  std::vector<LibraryInfo> all;
  for (const cuda::FoundLibrary& found : cuda::find_vendor_libraries()) all.push_back({found.name, found.file, found.missing});
  return all;
}

double measure_multiply_add_peak(const std::string& isa, unsigned threads) {
  return cpu::measure_peak(cpu::choose_isa(isa), base::thread_count(threads));
}

std::string version() { return LACUNA_VERSION; }

}  // namespace lacuna
