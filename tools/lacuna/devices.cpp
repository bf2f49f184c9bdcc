// `lacuna devices`: what this machine offers.
#include <fmt/format.h>

#include "command.hpp"

namespace cli {

void add_devices(CLI::App& app) {
  auto options = std::make_shared<CommonOptions>();
  CLI::App& command = *app.add_subcommand("devices", "Show what this machine offers");
  add_json_flag(command, *options);
  command.callback([options] {
    Json list = Json::array();
    for (const lacuna::DeviceInfo& device : lacuna::devices()) {
      const double peak = lacuna::measure_multiply_add_peak();
      if (options->json) {
        list.push_back({{"name", device.name}, {"description", device.description}, {"cores", device.cores}, {"l1_bytes", device.l1_bytes},
                        {"l2_bytes", device.l2_bytes}, {"isas", device.isas}, {"fma_peak_per_s", peak}});
        continue;
      }
      fmt::print("{}: {}\n  {} cores, L1 {} KiB, L2 {} KiB a core\n  instruction sets {} (LACUNA_ISA chooses; default the last)\n"
                 "  {} float32 multiply-adds/s measured\n",
                 device.name, device.description, device.cores, device.l1_bytes >> 10, device.l2_bytes >> 10, fmt::join(device.isas, ", "), in_words(peak));
    }
    if (options->json) print_json({{"devices", list}});
  });
}

}  // namespace cli
