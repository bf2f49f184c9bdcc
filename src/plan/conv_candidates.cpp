#include "plan/sparse_conv.hpp"

namespace lacuna::plan {

std::vector<ConvKernelChoice> conv_candidates(const Conv&, const rows::Planes&, const rows::Planes&, cpu::Isa, unsigned) {
  return {{ConvKernelKind::table, 8, 64, 8, 1}, {ConvKernelKind::table, 8, 64, 1, 8}};
}

}  // namespace lacuna::plan
