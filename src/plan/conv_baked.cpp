#include <lacuna/error.hpp>

#include "plan/conv_body.hpp"

namespace lacuna::plan {

std::unique_ptr<ConvBody> make_baked_body(const rows::ConvRows&, const ConvBlocks&, cpu::Isa, unsigned) { throw InternalError("no baked convolutions yet"); }

}  // namespace lacuna::plan
