// The checks can fail: a benchmark that says "verified" has been compared with something.
#include <lacuna/check.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lacuna/compile.hpp>
#include <lacuna/error.hpp>

#include "support/random_network.hpp"

namespace lacuna::tests {
namespace {

struct Case {
  Network network = random_network(30, {{30, 0.3, Activation::relu()}, {10, 0.5, Activation::relu()}}, 2);
  SparseMatrix inputs = random_inputs(50, 30, 3);
  Outputs outputs = compile(network).open().run(inputs);
};

TEST(CheckOutputs, ARightAnswerIsRight) {
  const Case c;
  const Verdict verdict = check_outputs(c.network, c.inputs, c.outputs, 50, 1e-5);
  EXPECT_TRUE(verdict.right) << verdict.sentence;
  EXPECT_EQ(verdict.checked, 50u);
}

TEST(CheckOutputs, OneWrongValueIsSeen) {
  Case c;
  c.outputs.values[c.outputs.width * 7 + 3] += 0.01f;
  const Verdict verdict = check_outputs(c.network, c.inputs, c.outputs, 50, 1e-3);
  EXPECT_FALSE(verdict.right);
  EXPECT_THAT(verdict.sentence, testing::HasSubstr("differs from the reference by"));
}

TEST(CheckOutputs, AMissingSurvivorAndANanAreSeen) {
  Case c;
  Outputs missing = c.outputs;
  missing.survivors.erase(missing.survivors.begin());
  missing.values.erase(missing.values.begin(), missing.values.begin() + static_cast<std::ptrdiff_t>(missing.width));
  EXPECT_FALSE(check_outputs(c.network, c.inputs, missing, 50, 1e-3).right);
  c.outputs.values[5] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(check_outputs(c.network, c.inputs, c.outputs, 50, 1e-3).right);
}

TEST(CheckSurvivors, ComparesTheFullSets) {
  const std::vector<std::uint32_t> truth{1, 5, 9};
  EXPECT_TRUE(check_survivors(truth, truth).right);
  const std::vector<std::uint32_t> other{1, 6, 9};
  EXPECT_EQ(check_survivors(other, truth).sentence,
            "3 survivors, but the truth file has 3; input 6 is missing (1 in all); input 7 should not survive (1 in all)");
}

TEST(Session, RefusesInputsOfAnotherWidth) {
  const Case c;
  try {
    compile(c.network).open().run(random_inputs(2, 31, 1));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "the inputs have 31 values each, but the network's input has 30 neurons");
  }
}

TEST(Compile, NamesAnUnknownDeviceAndAnImpossiblePanel) {
  const Case c;
  CompileOptions options;
  options.device = "tpu";
  EXPECT_THROW(compile(c.network, options), Unsupported);
  options.device = "cpu";
  options.panel_lanes = 5;
  options.isa = "sse4";
  try {
    compile(c.network, options);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "a panel of 5 lanes does not exist for sse4; give one of 4, 8, 12, 16, 24, 32");
  }
}

}  // namespace
}  // namespace lacuna::tests
