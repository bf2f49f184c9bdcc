#include <algorithm>
#include <functional>

#include "base/aligned_buffer.hpp"
#include "devices/cpu/kernels.hpp"
#include "plan/choose.hpp"
#include "plan/measure.hpp"

namespace lacuna::plan {
namespace {

/// Groups to time: enough to see the weights stream, few enough to be done in milliseconds.
std::vector<const PackedTable*> sample_groups(const std::vector<PackedTable>& groups) {
  constexpr std::size_t most = 16;
  std::vector<const PackedTable*> sample;
  const std::size_t step = std::max<std::size_t>(1, groups.size() / most);
  for (std::size_t k = 0; k < groups.size() && sample.size() < most; k += step) sample.push_back(&groups[k]);
  return sample;
}

}  // namespace

void choose_lanes(Plan& plan, std::uint32_t planes) {
  const cpu::Kernels& kernels = cpu::kernels_for(plan.isa);
  const std::vector<const PackedTable*> sample = sample_groups(plan.groups);
  std::uint64_t nnz = 0;
  for (const PackedTable* group : sample) nnz += group->nnz();

  constexpr std::size_t largest_arena = std::size_t{256} << 20;
  std::vector<unsigned> widths;
  for (unsigned vectors : cpu::panel_vectors) {
    const unsigned lanes = vectors * kernels.vector_lanes;
    if (vectors > 1 && std::size_t{planes} * lanes * sizeof(float) > largest_arena) break;
    widths.push_back(lanes);
  }
  base::AlignedFloats arena(std::size_t{planes} * widths.back());
  std::fill_n(arena.data(), arena.size(), 0.25f);

  std::vector<std::function<void()>> rivals;
  for (unsigned lanes : widths)
    rivals.emplace_back([&, lanes] {
      for (const PackedTable* group : sample) kernels.run_table(group->view(), lanes, arena.data());
    });
  const std::vector<double> seconds = fewest_seconds(rivals, 0.004 * static_cast<double>(rivals.size()));
  for (std::size_t k = 0; k < widths.size(); ++k) plan.candidates.push_back({widths[k], static_cast<double>(nnz) * widths[k] / seconds[k]});
  plan.panel_lanes = std::max_element(plan.candidates.begin(), plan.candidates.end(),
                                      [](const Candidate& a, const Candidate& b) { return a.edges_per_s < b.edges_per_s; })
                         ->lanes;
}

}  // namespace lacuna::plan
