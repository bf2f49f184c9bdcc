// The curves of neurons in thread programs, by the meaning of each statement, against their definitions in double.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <lacuna/lacuna.hpp>

#include "kernel/templates/neuron_curve.hpp"
#include "support/thread_interpreter.hpp"

namespace lacuna::tests {
namespace {

using namespace kernel;

constexpr float infinity = std::numeric_limits<float>::infinity();

/// values[thread] = ending(values[thread]); the record's address is that of `record`.
ThreadProgram one_curve(const Ending& ending) {
  ThreadBuilder b("one_curve");
  const Register values = b.address_parameter("values"), record = b.address_parameter("record", true, false), count = b.u32_parameter("count");
  const Register number = b.multiply_add(b.special(Special::block_x), 32u, b.special(Special::thread));
  b.return_if(b.compare(Comparison::less, number, count), false);
  const Register at = b.advance(values, number, 4);
  b.store_f32(at, 0, apply_ending(b, ending, {b.load_f32(at)}, record).front());
  return b.finish(32);
}

std::vector<float> places() {
  std::vector<float> all;
  for (int k = -2000; k <= 2000; ++k) all.push_back(static_cast<float>(k) / 128);
  for (const float far : {30.0f, 88.0f, 100.0f, 1e4f, 1e-4f, 1e-20f}) all.insert(all.end(), {far, -far});
  return all;
}

/// What a kernel makes of a function's argument u = slope * z + shift, which its weights and bias give it times the curve's factor.
std::vector<float> values_of(const NeuronFunction& function, bool reads_record, const std::vector<float>& z) {
  std::vector<float> values;
  for (const float place : z) values.push_back(static_cast<float>((function.slope * place + function.shift) * argument_factor(function.curve)));
  std::vector<float> record{limit_in_kernel(function.curve, function.limit), static_cast<float>(function.bend), static_cast<float>(function.gain), static_cast<float>(function.offset)};
  Ending ending{function.curve, {}, {}, {}, {}};
  if (!reads_record) ending = {function.curve, record[0], record[1], record[2], record[3]};
  interpret(one_curve(ending), static_cast<std::uint32_t>(values.size() / 32 + 1), 1,
            {std::as_writable_bytes(std::span(values)), std::as_writable_bytes(std::span(record)), static_cast<std::uint32_t>(values.size())});
  return values;
}

/// As for the kernels of the CPU (node_functions_test.cpp): sixteen units of the value's magnitude and scale, and what a rounded argument makes of it.
double bound_of(const NeuronFunction& function, double z) {
  constexpr double unit = 1.0 / (1 << 24);
  const double wanted = apply(function, z), argument = function.slope * z + function.shift;
  const double own = 16 * unit * (std::abs(wanted) + std::abs(function.gain) + std::abs(function.offset));
  double bound = own;
  for (const double moved : {z - 2 * unit * std::abs(argument), z + 2 * unit * std::abs(argument)}) bound = std::max(bound, 2 * std::abs(apply(function, moved) - wanted) + own);
  return bound;
}

TEST(NeuronCurves, AreWithinTheStatedBoundWithParametersInTheCodeOrInARecord) {
  const std::vector<float> z = places();
  for (const NamedFunction& named : named_functions())
    for (const bool reads_record : {false, true}) {
      const auto values = values_of(named.function, reads_record, z);
      for (std::size_t k = 0; k < z.size(); ++k) {
        const double wanted = apply(named.function, z[k]), bound = bound_of(named.function, z[k]);
        if (std::abs(wanted) > 1e38 || !std::isfinite(bound)) continue;
        EXPECT_NEAR(values[k], wanted, bound) << named.name << " of " << z[k];
      }
    }
}

TEST(NeuronCurves, GiveSensibleAnswersFarAway) {
  const auto far = [](Curve curve, float u) { return values_of({.curve = curve, .bend = 1}, false, {u})[0]; };
  EXPECT_EQ(far(Curve::logistic, -1e6f), 0.0f);
  EXPECT_EQ(far(Curve::logistic, 1e6f), 1.0f);
  EXPECT_EQ(far(Curve::tanh, -1e6f), -1.0f);
  EXPECT_EQ(far(Curve::exp, 1e6f), infinity);
  EXPECT_EQ(far(Curve::exp, -1e6f), 0.0f);
  EXPECT_NEAR(far(Curve::arc_sinh, 1e30f), std::asinh(1e30), 1e-4);
  EXPECT_NEAR(far(Curve::arc_tangent, -infinity), -std::atan(1) * 2, 1e-6);
  EXPECT_EQ(far(Curve::polynomial_logistic, -1e12f), 0.0f);
  EXPECT_EQ(far(Curve::softplus, 1e6f), 1e6f);
  EXPECT_EQ(far(Curve::step, -1e-30f), 0.0f);
  EXPECT_EQ(far(Curve::step, 0.0f), 1.0f);
}

TEST(NeuronCurves, LimitsThatOnlySaturateCostNothing) {
  EXPECT_EQ(limit_in_kernel(Curve::logistic, 60), infinity);
  EXPECT_EQ(limit_in_kernel(Curve::sine, 60), 60.0f);
  EXPECT_FLOAT_EQ(limit_in_kernel(Curve::logistic, 2), 2 * 1.44269504f);
}

}  // namespace
}  // namespace lacuna::tests
