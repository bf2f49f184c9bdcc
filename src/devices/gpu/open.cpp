#include "devices/gpu/open.hpp"

#include <fmt/format.h>

#include <array>
#include <lacuna/error.hpp>

#include "base/text.hpp"
#include "devices/cuda/open.hpp"
#include "devices/opencl/open.hpp"

namespace lacuna::gpu {
namespace {

std::vector<DevicePointer> open_opencl(std::string_view name) { return {opencl::open(name)}; }

std::vector<Listed> list_opencl() {
  const opencl::Listing listing = opencl::list();
  std::vector<Listed> all;
  for (const auto& device : listing.devices) all.push_back({"opencl:" + device.name, device, {}});
  if (all.empty()) all.push_back({"opencl", Limits(), listing.missing});
  return all;
}

struct Family {
  std::string_view name;
  std::string_view example;
  std::vector<DevicePointer> (*open)(std::string_view rest);
  std::vector<Listed> (*list)();
};
constexpr std::array families = {
    Family{"cuda", "cuda, cuda:0,1", &cuda::open, &cuda::list},
    Family{"opencl", "opencl, opencl:NAME", &open_opencl, &list_opencl},
    Family{"sim", "sim:a100, sim:v100:2", &cuda::open_simulated, &cuda::list_simulated},
};

const Family* family_of(std::string_view name) {
  for (const Family& family : families)
    if (name.substr(0, name.find(':')) == family.name) return &family;
  return nullptr;
}

}  // namespace

bool is_gpu_name(std::string_view name) { return family_of(name) != nullptr; }

std::vector<DevicePointer> open_devices(std::string_view name) {
  if (const Family* const family = family_of(name)) return family->open(name.size() > family->name.size() ? name.substr(family->name.size() + 1) : std::string_view());
  std::string examples;
  for (const Family& family : families) examples += (examples.empty() ? "" : ", ") + std::string(family.example);
  throw Unsupported(fmt::format("no kind of device is called {}; devices are named like cpu, {} (lacuna devices lists what is here)", base::quote(name), examples));
}

std::vector<Listed> list_devices() {
  std::vector<Listed> all;
  for (const Family& family : families)
    for (Listed& listed : family.list()) all.push_back(std::move(listed));
  return all;
}

}  // namespace lacuna::gpu
