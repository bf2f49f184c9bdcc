#include "kernel/templates/activation.hpp"

namespace lacuna::kernel {
namespace {

constexpr float log2_e = 1.44269504f;

/// 1 / (1 + 2^(-x log2 e)): where the power overflows the quotient is 0, as it should be.
Register sigmoid(ThreadBuilder& b, Register x) {
  const Register power = b.compute(Arithmetic::exp2, {b.multiply(x, -log2_e)});
  return b.compute(Arithmetic::divide, {1.0f, b.add(power, 1.0f)});
}

/// (1 - t) / (1 + t) with t = 2^(-2 |x| log2 e), and the sign of x.
Register tanh(ThreadBuilder& b, Register x) {
  const Register size = b.compute(Arithmetic::absolute, {x});
  const Register t = b.compute(Arithmetic::exp2, {b.multiply(size, -2 * log2_e)});
  const Register y = b.compute(Arithmetic::divide, {b.subtract(1.0f, t), b.add(t, 1.0f)});
  return b.select(b.compare(Comparison::less, x, 0.0f), b.compute(Arithmetic::negate, {y}), y);
}

Register hard_sigmoid(ThreadBuilder& b, Register x, float slope, float middle) {
  return b.minimum(b.maximum(b.multiply_add(x, slope, middle), 0.0f), 1.0f);
}

}  // namespace

void apply_activation(ThreadBuilder& b, const Activation& activation, Register sum) {
  const auto at_least = [&](float low) { b.compute_into(sum, Arithmetic::maximum, {sum, low}); };
  const auto at_most = [&](float high) { b.compute_into(sum, Arithmetic::minimum, {sum, high}); };
  switch (activation.kind) {
    case ActivationKind::identity: return;
    case ActivationKind::relu: return at_least(0);
    case ActivationKind::clip: at_least(activation.first); return at_most(activation.second);
    case ActivationKind::leaky_relu: return b.set(sum, b.select(b.compare(Comparison::less, sum, 0.0f), b.multiply(sum, activation.first), sum));
    case ActivationKind::sigmoid: return b.set(sum, sigmoid(b, sum));
    case ActivationKind::tanh: return b.set(sum, tanh(b, sum));
    case ActivationKind::hard_sigmoid: return b.set(sum, hard_sigmoid(b, sum, activation.first, activation.second));
    case ActivationKind::hard_swish: return b.compute_into(sum, Arithmetic::multiply, {sum, hard_sigmoid(b, sum, 1.0f / 6, 0.5f)});
    case ActivationKind::swish: return b.compute_into(sum, Arithmetic::multiply, {sum, sigmoid(b, sum)});
  }
}

bool stays_within(const Activation& activation, float most) {
  switch (activation.kind) {
    case ActivationKind::clip: return activation.first >= -most && activation.second <= most;
    case ActivationKind::sigmoid:
    case ActivationKind::tanh:
    case ActivationKind::hard_sigmoid: return true;
    default: return false;
  }
}

}  // namespace lacuna::kernel
