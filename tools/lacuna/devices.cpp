// `lacuna devices`: what this machine offers.
#include <fmt/format.h>

#include "command.hpp"

namespace cli {
namespace {

Json to_json(const lacuna::DeviceInfo& device, double peak) {
  if (!device.missing.empty()) return {{"name", device.name}, {"missing", device.missing}};
  Json json{{"name", device.name}, {"description", device.description}, {"cores", device.cores}, {"l2_bytes", device.l2_bytes}};
  if (!device.isas.empty()) {
    json["l1_bytes"] = device.l1_bytes;
    json["isas"] = device.isas;
    json["fma_peak_per_s"] = peak;
  } else {
    json["memory_bytes"] = device.memory_bytes;
    json["shared_bytes"] = device.shared_bytes;
    json["block_threads"] = device.block_threads;
    json["simulated"] = device.is_simulated;
  }
  return json;
}

void print(const lacuna::DeviceInfo& device, double peak) {
  if (!device.missing.empty()) {
    fmt::print("{}\n", device.missing);
    return;
  }
  fmt::print("{}: {}\n", device.name, device.description);
  if (device.isas.empty())
    fmt::print("  {} multiprocessors, {:.1f} GiB, L2 {:.1f} MiB, blocks of {} threads and {} KiB of shared memory at most\n", device.cores,
               static_cast<double>(device.memory_bytes) / (1 << 30), static_cast<double>(device.l2_bytes) / (1 << 20), device.block_threads, device.shared_bytes >> 10);
  else
    fmt::print("  {} cores, L1 {} KiB, L2 {} KiB a core\n  instruction sets {} (LACUNA_ISA chooses; default the last)\n  {} float32 multiply-adds/s measured\n", device.cores,
               device.l1_bytes >> 10, device.l2_bytes >> 10, fmt::join(device.isas, ", "), in_words(peak));
}

}  // namespace

void add_devices(CLI::App& app) {
  auto options = std::make_shared<CommonOptions>();
  CLI::App& command = *app.add_subcommand("devices", "Show what this machine offers, what is missing and how to get it");
  add_json_flag(command, *options);
  command.callback([options] {
    Json list = Json::array();
    for (const lacuna::DeviceInfo& device : lacuna::devices()) {
      const double peak = device.isas.empty() ? 0 : lacuna::measure_multiply_add_peak();
      if (options->json)
        list.push_back(to_json(device, peak));
      else
        print(device, peak);
    }
    Json libraries = Json::array();
    for (const lacuna::LibraryInfo& library : lacuna::libraries()) {
      if (options->json)
        libraries.push_back(library.missing.empty() ? Json{{"name", library.name}, {"file", library.file}} : Json{{"name", library.name}, {"missing", library.missing}});
      else
        fmt::print("{}\n", library.missing.empty() ? fmt::format("{}: {}", library.name, library.file) : library.missing);
    }
    if (options->json) print_json({{"devices", list}, {"libraries", libraries}});
  });
}

}  // namespace cli
