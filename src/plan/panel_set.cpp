#include "plan/panel_set.hpp"

namespace lacuna::plan {

void run_set(const PackedTable& table, const PackedTable* next, std::span<const PanelView> panels, const cpu::Kernels& kernels) {
  cpu::Table view = table.view();
  for (std::size_t k = 0; k < panels.size(); ++k) {
    if (next != nullptr) view.ahead = next->stream(k, panels.size());
    kernels.run_table(view, panels[k].lanes, panels[k].arena);
  }
}

}  // namespace lacuna::plan
