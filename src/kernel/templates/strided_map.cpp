#include "kernel/templates/strided_map.hpp"

#include <fmt/format.h>

#include <lacuna/error.hpp>

#include "kernel/templates/activation.hpp"

namespace lacuna::kernel {
namespace {

Arithmetic arithmetic_of(StridedMap::Operation operation) {
  switch (operation) {
    case StridedMap::Operation::first: return Arithmetic::copy;
    case StridedMap::Operation::add: return Arithmetic::add;
    case StridedMap::Operation::subtract: return Arithmetic::subtract;
    case StridedMap::Operation::multiply: return Arithmetic::multiply;
    case StridedMap::Operation::divide: return Arithmetic::divide;
    case StridedMap::Operation::minimum: return Arithmetic::minimum;
    case StridedMap::Operation::maximum: return Arithmetic::maximum;
  }
  throw InternalError("a strided map with an unknown operation");
}

}  // namespace

Register operand_address(ThreadBuilder& b, Register base, const StridedOperand& operand, Register k) {
  Source index = operand.origin;
  Register rest = k;
  std::uint32_t pending = 1;  // extents that were skipped: neighbouring axes whose elements stand side by side are one axis
  std::uint32_t pending_stride = 0;
  const auto take = [&](std::uint32_t extent, std::uint32_t stride, bool is_last) {
    Register digit = rest;
    if (!is_last) {
      const Register quotient = b.compute(Arithmetic::divide, {rest, extent});
      if (stride != 0) digit = b.subtract(rest, b.multiply(quotient, extent));
      rest = quotient;
    }
    if (stride != 0) index = stride == 1 ? b.add(digit, index) : b.multiply_add(digit, stride, index);
  };
  int outermost = 3;
  for (int axis = 3; axis >= 0; --axis)
    if (operand.extents[static_cast<std::size_t>(axis)] > 1) outermost = axis;
  for (int axis = 3; axis >= outermost; --axis) {
    const std::uint32_t extent = operand.extents[static_cast<std::size_t>(axis)], stride = operand.strides[static_cast<std::size_t>(axis)];
    if (extent == 1 && axis != outermost) continue;
    if (pending > 1 && stride != pending_stride * pending) {
      take(pending, pending_stride, false);
      pending = 1;
    }
    if (pending == 1) pending_stride = stride;
    pending *= extent;
    if (axis == outermost) take(pending, pending_stride, true);
  }
  return b.advance(base, index, 4);
}

ThreadProgram build(const StridedMap& map) {
  ThreadBuilder b(map.name, fmt::format("strided map: {} elements, operation {}, {}", map.elements, static_cast<int>(map.operation), to_string(map.activation)));
  const Register first = b.address_parameter("a", true, false);
  const Register second = map.b ? b.address_parameter("b", true, false) : first;
  const Register output = b.address_parameter("output", false, true);
  const Register k = b.multiply_add(b.special(Special::block_x), map.block_threads, b.special(Special::thread));
  b.return_if(b.compare(Comparison::greater_equal, k, map.elements));
  const Register value = b.load_f32(operand_address(b, first, map.a, k));
  if (map.b) b.compute_into(value, arithmetic_of(map.operation), {value, b.load_f32(operand_address(b, second, *map.b, k))});
  apply_activation(b, map.activation, value);
  b.store_f32(operand_address(b, output, map.output, k), 0, value);
  return b.finish(map.block_threads, 40);
}

}  // namespace lacuna::kernel
