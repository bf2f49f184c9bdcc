// Sums of a convolution and another value: the convolution adds it itself.
#include "passes/absorb.hpp"
#include "passes/pass_list.hpp"

namespace lacuna::passes {

Network fuse_skips(Network network, const PassSettings&) {
  return absorb_into_convs(std::move(network), [](const Network& all, Operator& op, const Operator& reader, std::size_t at) {
    const auto* call = std::get_if<Call>(&reader.operation);
    if (call == nullptr || (call->name != "Add" && call->name != "Sum") || reader.inputs.size() != 2 || op.inputs.size() > 1) return false;
    if (std::get<Conv>(op.operation).activation != Activation::identity()) return false;
    const ValueId other = reader.inputs[1 - at];
    const Value& sum = all.value(reader.output);
    if (all.value(other).is_constant || all.value(other).shape != sum.shape || all.value(op.output).shape != sum.shape) return false;
    op.inputs.push_back(other);
    return true;
  });
}

}  // namespace lacuna::passes
