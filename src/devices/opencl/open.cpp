#include "devices/opencl/open.hpp"

#include <lacuna/error.hpp>

#include "devices/opencl/device.hpp"

namespace lacuna::opencl {

std::shared_ptr<gpu::Device> open(std::string_view wish) {
  std::shared_ptr<const Library> library = Library::open();
  FoundDevice device = choose_device(*library, wish);
  return std::make_shared<OpenClDevice>(std::make_shared<const Context>(std::move(library), std::move(device)));
}

Listing list() {
  Listing listing;
  try {
    for (FoundDevice& found : find_devices(*Library::open())) listing.devices.push_back(std::move(found.limits));
    if (listing.devices.empty()) listing.missing = std::string(no_device);
  } catch (const DeviceError& error) {
    listing.missing = error.what();
  }
  return listing;
}

}  // namespace lacuna::opencl
