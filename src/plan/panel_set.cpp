#include "plan/panel_set.hpp"

#include "devices/cpu/cpu_info.hpp"

namespace lacuna::plan {
namespace {

// A table that L2 does not hold comes from afar with every pass. Its own lines a little further on are asked for then, at the pace it is read: some rows ahead, far enough
// for memory, near enough to be there still.
constexpr std::size_t nonzeros_ahead = 512;

bool comes_from_afar(const PackedTable& table) { return table.stream_bytes() > cpu::cpu_info().l2_bytes / 2; }

}  // namespace

void run_set(const PackedTable& table, const PackedTable* next, std::span<const PanelView> panels, const cpu::Kernels& kernels) {
  cpu::Table view = table.view();
  if (next == nullptr && comes_from_afar(table)) view.ahead = table.stream_beyond(nonzeros_ahead);
  for (std::size_t k = 0; k < panels.size(); ++k) {
    if (next != nullptr) view.ahead = next->stream(k, panels.size());
    kernels.run_table(view, panels[k].lanes, panels[k].arena);
  }
}

}  // namespace lacuna::plan
