// The text form: print and parse are each other's reverse, and mistakes get a place and a sentence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <span>

#include <lacuna/error.hpp>
#include <lacuna/network.hpp>

#include "network/same_network.hpp"
#include "support/random_network.hpp"

namespace lacuna::tests {
namespace {

constexpr const char* small_network = R"(lacuna network 1
input x 4
h = linear x 3 bias [-0.1 0 0.2] clip(0,32) {
  0: 0*0.0625 3*0.0625
  2: 1*0.5
}
y = linear h add h 3 bias -0.3 leaky_relu(0.01) {
  1: 0*1e-20 1*-2
}
z = add y h x2 tanh
output z
)";

std::string without_x2(std::string text) {
  text.erase(text.find(" x2"), 3);
  return text;
}

TEST(TextForm, PrintIsTheReverseOfParse) {
  const std::string text = without_x2(small_network);
  EXPECT_EQ(print(parse(text)), text);
}

TEST(TextForm, RandomNetworksComeBackEqual) {
  for (unsigned seed = 1; seed < 8; ++seed) {
    const Network network = random_network(20, {{20, 0.3, Activation::relu(), true, true}, {9, 0.5, Activation::sigmoid(), false}}, seed);
    const Network again = parse(print(network));
    EXPECT_EQ(hash(network), hash(again)) << "seed " << seed;
    EXPECT_EQ(print(network), print(again)) << "seed " << seed;
  }
}

TEST(TextForm, CommentsBlankLinesAndPlaneShapesAreAccepted) {
  const Network network = parse("# made by hand\n\nlacuna network 1\ninput x 2x3 # planes\n\ny = linear x 1 relu {\n  0: 5*1\n}\n\noutput y\n");
  EXPECT_EQ(network.width(network.input), 6u);
  EXPECT_EQ(to_string(network.value(network.input).shape), "2x3");
}

struct Mistake {
  const char* text;
  const char* message;
};

TEST(TextForm, MistakesGetAPlaceAndASentence) {
  const std::string head = "lacuna network 1\ninput x 4\n";
  for (const Mistake& mistake : {
           Mistake{"y = linear q 1 relu {\n}\noutput y\n", "n.txt:3:12: no value is called \"q\" here"},
           Mistake{"y = linear x 1 swoosh {\n}\noutput y\n", "n.txt:3:16: expected an activation, found \"swoosh\""},
           Mistake{"y = linear x 1 relu {\n 0: 1*a\n}\noutput y\n", "n.txt:4:7: expected a weight, found \"a\""},
           Mistake{"y = linear x 1 relu {\n 0: 1*nan\n}\noutput y\n", "n.txt:4:7: a weight is nan; it must be finite"},
           Mistake{"y = linear x 1 relu {\n 0: 4*1\n}\noutput y\n", "n.txt:5:2: y: entry (0, 4) is outside the 1 x 4 matrix"},
           Mistake{"y = linear x 1 relu {\n 0: 1*1 1*2\n}\noutput y\n", "n.txt:5:2: y: entry (0, 1) is given twice"},
           Mistake{"y = conv x\noutput y\n",
                   "n.txt:3:5: \"conv\" is unknown in a layered network, which has linear, add and neurons; in a network of tensors every input has a type: input x f32 1x3x8x8"},
           Mistake{"y = linear x 1 relu {\n 0: 1*1\n", "n.txt:5:1: expected a row, found the end of the text"},
           Mistake{"y = linear x 1 relu {\n}\n", "n.txt:5:1: the text ends without an output line"},
           Mistake{"x = linear x 1 relu {\n}\noutput x\n", "n.txt:4:2: x is defined twice"},
           Mistake{"y = linear x 0 relu {\n}\noutput y\n", "n.txt:3:16: \"0\" is not a shape; write 1024 or 64x56x56"},
           Mistake{"y = linear x 2 bias [1 2 3] relu {\n}\noutput y\n", "n.txt: y: 3 biases for 2 neurons; give none, one, or one for each"},
           Mistake{"output q\n", "n.txt:3:8: no value is called \"q\" here"},
       }) {
    try {
      parse(head + mistake.text, "n.txt");
      ADD_FAILURE() << "accepted: " << mistake.text;
    } catch (const InputError& error) {
      EXPECT_STREQ(error.what(), mistake.message);
    }
  }
}

constexpr const char* tensor_network = R"(lacuna network 1
input x f32 1x2x2x2
input "input" i64 scalar
k = constant i64 2 [0 -1]
c = conv(x) f32 1x2x2x2 channels 2 from 1 groups 2 kernel 1x1 strides 1x1 dilations 1x1 pads 0x0 0x0 bias [0.5 -1] clip(0,6) weights [2 3]
"a:b c" = Split(c) f32 1x1x2x2 output 1 axis=1 num_outputs=2
limit = constant f32 scalar [6]
"output" = Clip("a:b c" - limit) f32 1x1x2x2
"\x0a" = "constant"("output") f32 1x1x2x2
r = Resize("output") f32 1x1x4x4 a=[] b=[.] cubic_coeff_a=-0.75 mode="line\\ar" scales=[1.0 1.0 2.0 2.0]
y = Reshape(r k) f32 1x16
output y
output "output"
)";

TEST(TextForm, NetworksOfTensorsComeBackEqual) {
  const Network network = parse(tensor_network);
  EXPECT_EQ(print(network), tensor_network);
  EXPECT_TRUE(network.has_batch_in_shapes);
  EXPECT_EQ(network.other_inputs.size(), 1u);
  EXPECT_EQ(network.other_outputs.size(), 1u);
  EXPECT_EQ(network.value(network.other_outputs[0]).name, "output");
  const auto& clip = network.operators[2];
  EXPECT_EQ(clip.inputs[1], no_value);
  EXPECT_EQ(std::get<Call>(network.operators[1].operation).which_output, 1u);
  const auto& attributes = std::get<Call>(network.operators[4].operation).attributes;
  EXPECT_TRUE(std::holds_alternative<std::vector<std::int64_t>>(attributes[0].second));
  EXPECT_TRUE(std::holds_alternative<std::vector<float>>(attributes[1].second));
  EXPECT_EQ(std::get<std::string>(attributes[3].second), "line\\ar");
  EXPECT_EQ(std::get<std::vector<float>>(attributes[4].second), (std::vector<float>{1, 1, 2, 2}));
}

template <typename T>
void add_constant(Network& network, const std::string& name, ElementType type, const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  const auto extent = static_cast<std::uint32_t>(values.size());
  network.values.push_back({.name = name, .shape = {{extent}}, .type = type, .is_constant = true, .constant = std::vector<std::byte>(bytes.begin(), bytes.end())});
}

TEST(TextForm, ConstantsOfEveryTypeKeepTheirBits) {
  Network network;
  network.has_batch_in_shapes = true;
  network.input = network.output = network.add_value("#\n\"name\"", {{0, 3}});
  const float infinity = std::numeric_limits<float>::infinity();
  add_constant<float>(network, "f32", ElementType::f32, {0.1f, -0.0f, infinity, -infinity, std::bit_cast<float>(0xffc00123u), 1e-45f});
  add_constant<double>(network, "f64", ElementType::f64, {0.1, 1e300, std::bit_cast<double>(0x7ff8000000000001u)});
  add_constant<std::uint16_t>(network, "f16", ElementType::f16, {0x3c00, 0xffff, 0});
  add_constant<std::uint16_t>(network, "bf16", ElementType::bf16, {0x3f80});
  add_constant<std::int8_t>(network, "i8", ElementType::i8, {-128, 127});
  add_constant<std::uint8_t>(network, "u8", ElementType::u8, {0, 255});
  add_constant<std::int64_t>(network, "i64", ElementType::i64, {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()});
  add_constant<std::uint64_t>(network, "u64", ElementType::u64, {std::numeric_limits<std::uint64_t>::max()});
  add_constant<std::uint8_t>(network, "bool", ElementType::boolean, {0, 1});
  add_constant<std::int32_t>(network, "none", ElementType::i32, {});
  EXPECT_TRUE(network::is_same(parse(print(network)), network)) << print(network);
}

TEST(TextForm, MistakesInNetworksOfTensors) {
  for (const Mistake& mistake : {
           Mistake{"y = frob x\n", "n.txt:3:10: unknown operator \"frob\"; write linear, add, constant, conv(x) or an operator of ONNX with its inputs, such as Relu(x)"},
           Mistake{"y = Relu(q) f32 4\n", "n.txt:3:10: no value is called \"q\" here"},
           Mistake{"y = Relu(x) 4\n", "n.txt:3:13: expected a type of elements, found \"4\""},
           Mistake{"y = Relu(x) f32 4 b=1 a=2\n", "n.txt:3:24: the attribute a after b; names must ascend"},
           Mistake{"y = Relu(x) f32 4 a=b\n", "n.txt:3:21: expected a number, a text in quotes or a list, found \"b\""},
           Mistake{"y = constant i64 2 [1 2.5]\n", "n.txt:3:23: expected an element of i64, found \"2.5\""},
           Mistake{"y = constant i64 2 [1]\noutput y\n", "n.txt: y has 8 bytes for 2 elements of i64"},
           Mistake{"y = constant i64 4294967295x4294967295 [1]\n", "n.txt:3:40: 4294967295x4294967295 is more than 1099511627776 elements"},
           Mistake{"\"y = Relu(x) f32 4\n", "n.txt:3:1: quotes that are not closed in their line"},
           Mistake{"y = linear x 1 relu {\n}\n", "n.txt:3:5: linear belongs to a layered network, whose input has no type"},
       }) {
    try {
      parse(std::string("lacuna network 1\ninput x f32 4\n") + mistake.text, "n.txt");
      ADD_FAILURE() << "accepted: " << mistake.text;
    } catch (const InputError& error) {
      EXPECT_STREQ(error.what(), mistake.message);
    }
  }
}

}  // namespace
}  // namespace lacuna::tests
