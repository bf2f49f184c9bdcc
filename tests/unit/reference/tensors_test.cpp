// Networks of tensors through the reference, from their text form.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lacuna/error.hpp>

#include "reference/reference.hpp"
#include "support/run_operator.hpp"

namespace lacuna::tests {
namespace {

using testing::ElementsAre;

constexpr const char* small_network = R"(lacuna network 1
input x f32 1x1x2x2
input shift f32 scalar
k = constant i64 2 [1 -1]
c = conv(x) f32 1x2x2x2 channels 2 from 1 groups 1 kernel 1x1 strides 1x1 dilations 1x1 pads 0x0 0x0 bias [0 -1] relu weights [2 1]
limit = constant f32 scalar [6]
s = Clip(c - limit) f32 1x2x2x2
a = Add(s shift) f32 1x2x2x2
y = Reshape(a k) f32 1x8
output y
)";

TEST(ReferenceTensors, RunsOperatorsOneAfterAnother) {
  const TypedTensor inputs[] = {floats({1, 1, 2, 2}, {1, 2, 3, 4}), scalar(10)};
  const std::vector<TypedTensor> outputs = reference::evaluate(parse(small_network), inputs);
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs[0].shape, (std::vector<std::size_t>{1, 8}));
  EXPECT_THAT(values_of(outputs[0]), ElementsAre(12, 14, 16, 16, 10, 11, 12, 13));
}

TEST(ReferenceTensors, RefusesShapesThatItsOperatorsDoNotGive) {
  for (const auto& [line, message] : std::vector<std::pair<std::string, std::string>>{
           {"y = Relu(x) f32 5", "y: its operator gives f32 4, but the network says f32 5"},
           {"y = Relu(x) i64 4", "y: its operator gives f32 4, but the network says i64 4"},
           {"y = conv(-) f32 4 channels 1 from 1 groups 1 relu weights [1]", "y: Conv: an input is missing or not of f32"},
           {"y = Frob(x) f32 4", "y: the operator Frob is not known"},
       }) {
    const TypedTensor input = floats({4}, {1, 2, 3, 4});
    try {
      reference::evaluate(parse("lacuna network 1\ninput x f32 4\n" + line + "\noutput y\n"), std::span(&input, 1));
      ADD_FAILURE() << "accepted: " << line;
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), message);
    }
  }
}

TEST(ReferenceTensors, RefusesInputsOfAnotherShapeOrNumber) {
  const Network network = parse(small_network);
  const TypedTensor wrong[] = {floats({1, 1, 4}, {1, 2, 3, 4}), scalar(10)};
  try {
    reference::evaluate(network, wrong);
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "the input x is f32 1x1x4 of 16 bytes; expected f32 1x1x2x2");
  }
  EXPECT_THROW(reference::evaluate(network, std::span(wrong, 1)), InputError);
}

}  // namespace
}  // namespace lacuna::tests
