#include "kernel/templates/conv_epilogue.hpp"

namespace lacuna::kernel {
namespace {

/// Calls work(first, count) for vectors of at most `aligned` floats.
template <typename Work>
void for_each_vector(std::size_t floats, std::size_t aligned, const Work& work) {
  for (std::size_t first = 0; first < floats;) {
    std::size_t count = aligned;
    while (count > floats - first) count /= 2;
    work(first, count);
    first += count;
  }
}

}  // namespace

void add_skip(ThreadBuilder& b, std::span<const Register> sums, Register address, std::uint32_t offset, std::uint32_t aligned) {
  for_each_vector(sums.size(), aligned, [&](std::size_t first, std::size_t count) {
    std::vector<Register> values;
    for (std::size_t k = 0; k < count; ++k) values.push_back(b.variable(Type::f32));
    b.load(GpuSpace::global, Element::f32, values, address, offset + static_cast<std::uint32_t>(first * 4));
    for (std::size_t k = 0; k < count; ++k) b.compute_into(sums[first + k], Arithmetic::add, {sums[first + k], values[k]});
  });
}

void store_line(ThreadBuilder& b, std::span<const Register> sums, Register address, std::uint32_t offset, std::uint32_t aligned) {
  for_each_vector(sums.size(), aligned, [&](std::size_t first, std::size_t count) {
    b.store(GpuSpace::global, Element::f32, address, offset + static_cast<std::uint32_t>(first * 4),
            std::vector<Source>(sums.begin() + static_cast<std::ptrdiff_t>(first), sums.begin() + static_cast<std::ptrdiff_t>(first + count)));
  });
}

}  // namespace lacuna::kernel
