#include "devices/cuda/open.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <lacuna/error.hpp>

#include "base/text.hpp"
#include "devices/cuda/advice.hpp"
#include "devices/cuda/device.hpp"

namespace lacuna::cuda {
namespace {

constexpr int most_simulated = 64;

/// The number that is all of the text, or one below 0.
int number_in(std::string_view text) {
  int value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : -1;
}

int count_devices(const DriverLibrary& library) {
  int count = 0;
  const Result result = library.api.device_count(&count);
  if (result != Result::success) throw DeviceError(fmt::format("cuda: cuDeviceGetCount gives {}: {}", library.describe(result), advice(result)));
  if (count == 0) throw DeviceError(fmt::format("cuda: the driver ({}) sees no GPU: {}", library.file, advice(Result::no_device)));
  return count;
}

/// What a device tells without a context.
gpu::Limits limits_of(const DriverLibrary& library, int number) {
  const DriverApi& api = library.api;
  gpu::Limits limits;
  std::array<char, 256> name{};
  DeviceNumber device = number;
  const auto check = [&](Result result, const char* call) {
    if (result != Result::success) throw DeviceError(fmt::format("cuda:{}: {} gives {}: {}", number, call, library.describe(result), advice(result)));
  };
  const auto attribute = [&](DeviceAttribute wanted) {
    int value = 0;
    check(api.device_attribute(&value, wanted, device), api.device_attribute.name);
    return static_cast<unsigned>(value);
  };
  check(api.device(&device, number), api.device.name);
  check(api.device_name(name.data(), static_cast<int>(name.size() - 1), device), api.device_name.name);
  check(api.device_memory(&limits.memory_bytes, device), api.device_memory.name);
  limits.name = name.data();
  limits.largest_buffer_bytes = limits.memory_bytes;
  limits.multiprocessors = attribute(DeviceAttribute::multiprocessors);
  limits.block_threads = attribute(DeviceAttribute::block_threads);
  limits.shared_bytes = attribute(DeviceAttribute::largest_shared_bytes);
  limits.l2_bytes = attribute(DeviceAttribute::l2_bytes);
  limits.is_simulated = library.is_simulated;
  return limits;
}

std::shared_ptr<const DriverLibrary> open_simulator() {
  const std::filesystem::path file = find_simulated_library();
  if (file.empty())
    throw DeviceError("sim: liblacuna_simcuda.so is neither beside this program nor where it would be installed: build the target lacuna_simcuda, or name the file with LACUNA_SIM_LIBRARY");
  std::shared_ptr<const DriverLibrary> library;
  try {
    library = open_library(file.string());
  } catch (const DeviceError& error) {
    throw DeviceError(fmt::format("sim: {} does not work: {}", file.string(), error.what()));
  }
  if (!library->is_simulated) throw DeviceError(fmt::format("sim: {} is no simulated driver: LACUNA_SIM_LIBRARY must name liblacuna_simcuda.so", file.string()));
  return library;
}

std::vector<std::string> model_names(const DriverLibrary& library) {
  std::vector<std::string> names{""};
  for (const char* letter = library.simulated.models(); *letter != '\0'; ++letter)
    if (*letter == ',')
      names.emplace_back();
    else
      names.back() += *letter;
  return names;
}

gpu::Listed missing_family(const char* name, const DeviceError& error) {
  gpu::Listed listed;
  listed.name = name;
  listed.missing = error.what();
  return listed;
}

class DeviceSimulation final : public Simulation {
 public:
  explicit DeviceSimulation(Device& device) : device_(device), api_(device.context().library().simulated), number_(device.context().number()) {}

  std::string json() override {
    device_.finish();
    std::string text(api_.counters(number_, nullptr, 0), '\0');
    api_.counters(number_, text.data(), text.size());
    text.pop_back();
    return text;
  }
  double figure(const std::string& name, const std::string& kernel) override {
    device_.finish();
    const double value = api_.figure(number_, kernel.empty() ? nullptr : kernel.c_str(), name.c_str());
    if (value != value) throw InternalError(fmt::format("the simulator counts no {} of {}", base::quote(name), kernel.empty() ? "all kernels" : base::quote(kernel)));
    return value;
  }
  void reset() override {
    device_.finish();
    api_.reset_counters(number_);
  }

 private:
  Device& device_;
  const SimulatedApi& api_;
  int number_;
};

}  // namespace

std::vector<gpu::DevicePointer> open(std::string_view numbers) {
  const std::shared_ptr<const DriverLibrary> library = open_library(cuda_library_name());
  const int count = count_devices(*library);
  std::vector<gpu::DevicePointer> devices;
  std::string_view rest = numbers.empty() ? "0" : numbers;
  while (true) {
    const std::string_view wish = rest.substr(0, rest.find(','));
    const int number = number_in(wish);
    if (number < 0 || number >= count)
      throw Unsupported(fmt::format("cuda:{}: {} is not the number of a GPU; there {} (cuda:0,1 takes two)", numbers, base::quote(wish),
                                    count == 1 ? std::string("is only 0") : fmt::format("are 0 to {}", count - 1)));
    devices.push_back(std::make_shared<Device>(library, number, fmt::format("cuda:{}", number)));
    if (wish.size() == rest.size()) return devices;
    rest.remove_prefix(wish.size() + 1);
  }
}

std::vector<gpu::Listed> list() {
  std::vector<gpu::Listed> listed;
  try {
    const std::shared_ptr<const DriverLibrary> library = open_library(cuda_library_name());
    const int count = count_devices(*library);
    for (int number = 0; number < count; ++number) listed.push_back({fmt::format("cuda:{}", number), limits_of(*library, number), {}});
  } catch (const DeviceError& error) {
    listed.push_back(missing_family("cuda", error));
  }
  return listed;
}

std::vector<gpu::DevicePointer> open_simulated(std::string_view model_and_count) {
  const std::shared_ptr<const DriverLibrary> library = open_simulator();
  const std::string model(model_and_count.substr(0, model_and_count.find(':')));
  const int count = model.size() == model_and_count.size() ? 1 : number_in(model_and_count.substr(model.size() + 1));
  if (count < 1 || count > most_simulated)
    throw Unsupported(fmt::format("sim:{}: after the model stands how many GPUs, 1 to {}, as in sim:{}:2", model_and_count, most_simulated, model));
  const int first = library->simulated.configure(model.c_str(), count);
  if (first < 0)
    throw Unsupported(fmt::format("sim:{}: no simulated GPU is called {}; there are {}", model_and_count, base::quote(model), fmt::join(model_names(*library), ", ")));
  std::vector<gpu::DevicePointer> devices;
  for (int i = 0; i < count; ++i)
    devices.push_back(std::make_shared<Device>(library, first + i, count == 1 ? fmt::format("sim:{}", model) : fmt::format("sim:{} number {}", model, i)));
  return devices;
}

std::vector<gpu::Listed> list_simulated() {
  std::vector<gpu::Listed> listed;
  try {
    const std::shared_ptr<const DriverLibrary> library = open_simulator();
    for (const std::string& model : model_names(*library)) {
      const int number = library->simulated.configure(model.c_str(), 1);
      listed.push_back({"sim:" + model, limits_of(*library, number), {}});
    }
  } catch (const DeviceError& error) {
    listed.push_back(missing_family("sim", error));
  }
  return listed;
}

std::unique_ptr<Simulation> simulation_of(gpu::Device& device) {
  auto* const own = dynamic_cast<Device*>(&device);
  if (own == nullptr || !own->limits().is_simulated) return nullptr;
  return std::make_unique<DeviceSimulation>(*own);
}

}  // namespace lacuna::cuda
