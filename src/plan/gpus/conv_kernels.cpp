#include "plan/gpus/conv_kernels.hpp"

#include <algorithm>

#include "plan/gpus/conv_parts.hpp"
#include "plan/gpus/places.hpp"

namespace lacuna::plan::gpus {
namespace {

ConvParts parts_of(const std::string& name, const Conv& conv, const rows::Planes& in, const rows::Planes& out, const rows::Planes* skip) {
  ConvParts parts;
  parts.name = name;
  parts.rows = rows::lower_conv(conv, in, out, rows::Strides::in_place);
  parts.grid.images = out.batch;
  parts.grid.height = out.height;
  parts.grid.width = out.width;
  parts.source = view_of(in);
  parts.source.row *= parts.rows.step_y;
  parts.source.column *= parts.rows.step_x;
  parts.output = view_of(out);
  parts.has_skip = skip != nullptr;
  if (skip != nullptr) parts.skip = view_of(*skip);
  parts.activation = conv.activation;
  parts.edges.reserve(parts.rows.nonzeros.size());
  for (const auto& nonzero : parts.rows.nonzeros) parts.edges.push_back({nonzero.offset, nonzero.weight});
  return parts;
}

}  // namespace

double clocks(const WarpWork& work, unsigned multiprocessors) {
  const double idle = std::max(1.0, work.warps_of_multiprocessor * multiprocessors / static_cast<double>(work.warps));
  // What binds hides half of the other.
  const double issue = work.instructions / 4, memory = work.lines, of_a_warp = std::max(issue, memory) + std::min(issue, memory) / 2;
  return of_a_warp * static_cast<double>(work.warps) * idle / multiprocessors;
}

ConvKernels plan_conv(const std::string& name, const Conv& conv, const rows::Planes& in, const rows::Planes& out, const rows::Planes* skip, const ConvOptions& options) {
  const ConvParts parts = parts_of(name, conv, in, out, skip);
  switch (options.kernel) {
    case ConvKernel::dot: return plan_dot(parts);
    case ConvKernel::baked: return plan_baked(parts, options);
    case ConvKernel::table: break;
  }
  return plan_table(parts, options);
}

std::uint64_t count_nonzeros(const Conv& conv) {
  return conv.weights.size() - static_cast<std::uint64_t>(std::count(conv.weights.begin(), conv.weights.end(), 0.0f));
}

}  // namespace lacuna::plan::gpus
