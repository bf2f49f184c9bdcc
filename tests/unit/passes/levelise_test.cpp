#include <gtest/gtest.h>

#include <lacuna/lacuna.hpp>

#include "passes/pass_list.hpp"

namespace lacuna::tests {
namespace {

const char* const head = "lacuna network 1\ninput x 2\n";

std::string message_of(const std::string& text, const CompileOptions& options = {}) {
  try {
    compile(parse(text), options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Levelise, SortsNeuronsIntoLevelsAndDropsWhatReachesNoOutput) {
  const Network network = parse(std::string(head) +
                                "y = neurons x feed_forward outputs [2] names [a b out unread h1 h2] {\n"
                                "  2: relu sum bias 0 response 1 5*1 4*2\n"
                                "  3: relu sum bias 0 response 1 2*1\n"
                                "  4: tanh sum bias 0 response 1 0*1\n"
                                "  5: relu sum bias 0.5 response 1 4*3 1*4\n"
                                "}\noutput y\n");
  EXPECT_EQ(print(passes::levelise(network)),
            std::string(head) +
                "y = neurons x feed_forward outputs [4] names [a b h1 h2 out] levels [0 1 2 3] {\n"
                "  2: tanh sum bias 0 response 1 0*1\n"
                "  3: relu sum bias 0.5 response 1 2*3 1*4\n"
                "  4: relu sum bias 0 response 1 3*1 2*2\n"
                "}\noutput y\n");
}

TEST(Levelise, PutsRowsThatAreAlikeTogetherWithinALevel) {
  const Network network = parse(std::string(head) +
                                "y = neurons x feed_forward outputs [2 3 4 5] {\n"
                                "  2: relu sum bias 0 response 1 0*1\n"
                                "  3: tanh sum bias 0 response 1 0*1\n"
                                "  4: relu max bias 0 response 1 0*1\n"
                                "  5: relu sum bias 1 response 1 1*1\n"
                                "}\noutput y\n");
  const Network sorted = passes::levelise(network);
  const auto& graph = std::get<NeuronGraph>(sorted.operators[0].operation);
  EXPECT_EQ(std::vector<std::uint32_t>(graph.earlier.begin(), graph.earlier.end()), (std::vector<std::uint32_t>{0, 3, 1, 2}));
  EXPECT_EQ(std::vector<std::uint32_t>(graph.outputs.begin(), graph.outputs.end()), (std::vector<std::uint32_t>{2, 4, 5, 3}));
}

TEST(Levelise, NamesACycle) {
  EXPECT_EQ(message_of(std::string(head) +
                       "y = neurons x feed_forward outputs [2] names [a b out p q] {\n"
                       "  2: relu sum bias 0 response 1 4*1\n"
                       "  3: relu sum bias 0 response 1 4*1 0*1\n"
                       "  4: relu sum bias 0 response 1 3*1\n"
                       "}\noutput y\n"),
            "y: a feed-forward network with a cycle: q -> p -> q; load it as one that is updated step by step, or take an edge out");
  EXPECT_EQ(message_of(std::string(head) + "y = neurons x feed_forward outputs [2] {\n  2: relu sum bias 0 response 1 2*1\n}\noutput y\n"),
            "y: a feed-forward network with a cycle: 2 -> 2; load it as one that is updated step by step, or take an edge out");
}

TEST(Levelise, LeftOutKeepsEveryNeuronAndTheAnswer) {
  const Network network = parse(std::string(head) +
                                "y = neurons x feed_forward outputs [2] {\n"
                                "  2: identity sum bias 0 response 1 4*2\n"
                                "  3: relu sum bias 0 response 1 2*1\n"
                                "  4: identity sum bias 0 response 1 0*3 1*1\n"
                                "}\noutput y\n");
  const Program all = compile(network), none = compile(network, {.optimise = "none"});
  EXPECT_EQ(all.edges_left(), 3u);
  EXPECT_EQ(none.edges_left(), 4u);
  const Tensor x{{1, 2}, {1, 2}};
  EXPECT_EQ(all.open().run(x).to_tensor().values, (std::vector<float>{10}));
  EXPECT_EQ(none.open().run(x).to_tensor().values, (std::vector<float>{10}));
}

TEST(NeuronGraphTextForm, ReadsWhatItPrints) {
  const std::string text = std::string(head) +
                           "y = neurons x continuous steps 3 time_step 0.25 outputs [2 0] names [a \"b c\" out] {\n"
                           "  2: \"sine;slope:0.1;bend:2\" maxabs bias -0.1 response 0.3333333333333333 time_constant 2 2*1e-300 0*-1.5\n"
                           "}\noutput y\n";
  EXPECT_EQ(print(parse(text)), text);
}

TEST(NeuronGraphRules, AreToldInWords) {
  const auto graph = [](const std::string& line, const std::string& rest = "") {
    return std::string(head) + "y = neurons x feed_forward outputs [2] {\n  " + line + "\n}\n" + rest + "output y\n";
  };
  EXPECT_EQ(message_of(graph("2: relu sum bias 0 response 1 7*1")), "network: y: neuron 2 reads node 7, but there are 3");
  EXPECT_EQ(message_of(graph("2: relu sum bias nan response 1")), "network:4:20: a bias is nan; it must be finite");
  EXPECT_EQ(message_of(graph("2: bump sum bias 0 response 1")), "network:4:11: no function is called \"bump\"");
  EXPECT_EQ(message_of(graph("2: relu heap bias 0 response 1")), "network:4:16: no aggregation is called \"heap\"");
  EXPECT_EQ(message_of(graph("3: relu sum bias 0 response 1")), "network:4:4: neuron 3 where 2 is due; neurons stand in order and follow the inputs");
  EXPECT_EQ(message_of(graph("2: relu sum bias 0 response 1", "z = add y x relu\n")),
            "network: z: stands beside neuron graphs; a network has either these or other operators");
  EXPECT_EQ(message_of(graph("2: relu sum bias 0 response 1", "z = neurons y feed_forward outputs [0] {\n}\n")),
            "network: z: reads y, which another graph computes; a neuron graph reads inputs of the network");
  EXPECT_EQ(message_of(graph("2: relu sum bias 0 response 1"), {.precision = "f8"}),
            "no precision is called \"f8\"; give f32 (fast), f64 (neuron graphs: exact), bf16 (models, layers on GPUs: faster, rounded) or f16 (layers on GPUs)");
  EXPECT_EQ(message_of(graph("2: relu sum bias 0 response 1"), {.isa = "scalar", .panel_lanes = 3}), "a panel of 3 lanes; neuron graphs have 1, 1, 2, 4 or 8 here");
}

TEST(NeuronGraphRules, RefuseWhatIsNotHere) {
  const auto message = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const Unsupported& error) {
      return error.what();
    }
    return "";
  };
  const Network graph = parse(std::string(head) + "y = neurons x feed_forward outputs [2] {\n  2: relu sum bias 0 response 1 0*1e39\n}\noutput y\n");
  const Network layered = parse("lacuna network 1\ninput x 1\ny = linear x 1 relu {\n  0: 0*1\n}\noutput y\n");
  EXPECT_EQ(message([&] { compile(graph); }), "y: a weight or bias of 2 is beyond what a float holds; compile it in f64");
  EXPECT_EQ(message([&] { compile(graph, {.kernel = "baked", .precision = "f64"}); }), "kernel \"baked\": exact answers (f64) come from the table; ask for auto or table");
  EXPECT_EQ(message([&] { compile(layered, {.precision = "f64"}); }), "only neuron graphs are computed in f64");
  EXPECT_EQ(message([&] { compile(graph, {.precision = "f16"}); }), "neuron graphs are computed in f32 or f64, and not in f16");
  EXPECT_EQ(message([&] { compile(layered, {.precision = "bf16"}); }), "the cpu keeps the values of layers in f32; bf16 is for GPUs: --device cuda, opencl or sim:a100");
  EXPECT_EQ(message([&] { compile(layered).with_weights(layered); }), "only the weights of neuron graphs can be changed in a program");
  const Program exact = compile(graph, {.precision = "f64"});
  EXPECT_EQ(message([&] { exact.print_rows(false); }), "neuron graphs have no rows: print the network after levelise, or its plan with reasons (--explain)");
  EXPECT_EQ(message([&] { exact.open().run(Tensor{{1, 2}, {1, 1}}); }), "the network's output holds f64; run it with TypedTensors");
}

TEST(NeuronGraphRules, InputsThatDoNotFitAreNamed) {
  const Network graph = parse(std::string(head) + "y = neurons x feed_forward outputs [2] {\n  2: relu sum bias 0 response 1 0*1\n}\noutput y\n");
  const auto message = [&](const TypedTensor& input, std::size_t count = 1) -> std::string {
    try {
      compile(graph).open().run(std::vector<TypedTensor>(count, input));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const std::vector<float> six(6);
  const std::vector<std::int32_t> whole(2);
  EXPECT_EQ(message(make_tensor<float>({2, 3}, std::span<const float>(six))), "the input x has shape 2x3; expected inputs x 2, or steps x inputs x 2");
  EXPECT_EQ(message(make_tensor<float>({6}, std::span<const float>(six))), "the input x has shape 6; expected inputs x 2, or steps x inputs x 2");
  EXPECT_EQ(message(make_tensor<std::int32_t>({1, 2}, std::span<const std::int32_t>(whole))), "the input x holds i32; a neuron graph takes f32 or f64");
  EXPECT_EQ(message(make_tensor<float>({3, 2}, std::span<const float>(six)), 2), "2 inputs for a network of 1");
}

}  // namespace
}  // namespace lacuna::tests
