#include "kernel/templates/layer_ending.hpp"

#include <fmt/format.h>

#include "kernel/templates/activation.hpp"

namespace lacuna::kernel {

ThreadProgram build(const LayerEnding& ending) {
  ThreadBuilder b(ending.name, fmt::format("layer ending: {} elements{}{}, {}", ending.elements, ending.bias ? ", bias" : "", ending.skip ? ", skip" : "", to_string(ending.activation)));
  const Register output = b.address_parameter("output");
  const Register bias = ending.bias ? b.address_parameter("bias", true, false) : output;
  const Register skip = ending.skip ? b.address_parameter("skip", true, false) : output;
  const Register block = b.special(Special::block_x), thread = b.special(Special::thread);
  const Register k = b.multiply_add(block, ending.block_threads, thread);
  b.return_if(b.compare(Comparison::greater_equal, k, ending.elements));
  const Register at = operand_address(b, output, ending.output, k), sum = b.load_f32(at);
  if (ending.bias) b.compute_into(sum, Arithmetic::add, {sum, b.load_f32(operand_address(b, bias, *ending.bias, k))});
  if (ending.skip) b.compute_into(sum, Arithmetic::add, {sum, b.load_f32(operand_address(b, skip, *ending.skip, k))});
  apply_activation(b, ending.activation, sum);
  b.store_f32(at, 0, sum);
  return b.finish(ending.block_threads, 40);
}

}  // namespace lacuna::kernel
