// The text form: print and parse are each other's reverse, and mistakes get a place and a sentence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <lacuna/error.hpp>
#include <lacuna/network.hpp>

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
           Mistake{"y = linear x 1 swish {\n}\noutput y\n", "n.txt:3:16: expected an activation, found \"swish\""},
           Mistake{"y = linear x 1 relu {\n 0: 1*a\n}\noutput y\n", "n.txt:4:7: expected a weight, found \"a\""},
           Mistake{"y = linear x 1 relu {\n 0: 1*nan\n}\noutput y\n", "n.txt:4:7: a weight is nan; it must be finite"},
           Mistake{"y = linear x 1 relu {\n 0: 4*1\n}\noutput y\n", "n.txt:5:2: y: entry (0, 4) is outside the 1 x 4 matrix"},
           Mistake{"y = linear x 1 relu {\n 0: 1*1 1*2\n}\noutput y\n", "n.txt:5:2: y: entry (0, 1) is given twice"},
           Mistake{"y = conv x\noutput y\n", "n.txt:3:5: unknown operator \"conv\"; this release knows linear and add"},
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

}  // namespace
}  // namespace lacuna::tests
