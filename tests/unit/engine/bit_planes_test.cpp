// Inputs as planes of bits: from compressed rows and from packed bits, for awkward widths and counts.
#include "engine/bit_planes.hpp"

#include <gtest/gtest.h>

#include "support/random_bits.hpp"

namespace lacuna::engine {
namespace {

TEST(BitPlanes, HoldTheBitsOfTheInputsAndAPlaneOfZeros) {
  for (cpu::Isa isa : cpu::available_isas())
    for (std::uint32_t width : {1u, 15u, 16u, 100u, 128u, 1000u, 5000u, 70000u}) {
      if (width > 5000 && isa == cpu::Isa::scalar) continue;  // slow, and the same code as below
      const SparseMatrix inputs = tests::random_on_off(260, width, width > 5000 ? 0.001 : 0.3, width);
      const BitMatrix packed = pack_bits(inputs, 1);
      BitPlanes from_rows(width), from_bits(width);
      for (std::uint32_t count : {256u, 1u, 33u}) {
        constexpr std::uint32_t first = 3;
        from_rows.lay(inputs, first, count, cpu::kernels_for(isa));
        from_bits.lay(packed, first, count, cpu::kernels_for(isa));
        for (const BitPlanes* planes : {&from_rows, &from_bits})
          for (std::uint32_t plane = 0; plane <= width; ++plane)
            for (std::uint32_t lane = 0; lane < count; ++lane) {
              const bool on = (planes->data()[std::size_t{plane} * cpu::bit_plane_bytes + lane / 8] >> lane % 8 & 1) != 0;
              const bool expected = plane < width && packed.is_on(first + lane, plane);
              if (on != expected) FAIL() << cpu::name(isa) << " width " << width << " plane " << plane << " lane " << lane;
            }
      }
    }
}

}  // namespace
}  // namespace lacuna::engine
