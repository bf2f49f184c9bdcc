#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontends/onnx/read_onnx.hpp"
#include "support/onnx_writer.hpp"
#include "support/temp_folder.hpp"

namespace lacuna::tests {
namespace {

using onnx::Model;
using testing::ElementsAre;

Network read(const Model& model, const LoadOptions& options = {}) {
  const std::string file = model.file();
  return frontends::read_onnx({.bytes = file}, options);
}

const Call& call(const Network& network, std::size_t k) { return std::get<Call>(network.operators.at(k).operation); }
const Conv& conv(const Network& network, std::size_t k) { return std::get<Conv>(network.operators.at(k).operation); }
std::vector<float> list(const Array<float>& values) { return {values.begin(), values.end()}; }
std::vector<std::uint32_t> output_shape(const Network& network) { return network.value(network.output).shape.extents; }

template <typename T>
std::vector<T> constant(const Network& network, std::size_t op, std::size_t input) {
  const Value& value = network.value(network.operators.at(op).inputs.at(input));
  EXPECT_TRUE(value.is_constant);
  EXPECT_EQ(value.type, element_type_of<T>);
  const auto* elements = reinterpret_cast<const T*>(value.constant.data());
  return {elements, elements + value.shape.size()};
}

TEST(Onnx, ConvBecomesALayerWithItsPads) {
  const Network network = read(Model()
                                   .input("x", {1, 2, 5, 6})
                                   .initializer(onnx::floats("w", {3, 2, 3, 3}, std::vector<float>(54, 0.5f)))
                                   .initializer(onnx::floats("b", {3}, {1, 2, 3}))
                                   .node("Conv", {"x", "w", "b"}, {"y"}, {onnx::attribute("auto_pad", std::string("SAME_UPPER")), onnx::attribute("strides", std::vector<std::int64_t>{2, 2})})
                                   .output("y"));
  ASSERT_EQ(network.operators.size(), 1u);
  EXPECT_TRUE(network.has_batch_in_shapes);
  EXPECT_EQ(network.values.size(), 2u) << "weights are no values any more";
  EXPECT_THAT(conv(network, 0).pads_begin, ElementsAre(1, 0));
  EXPECT_THAT(conv(network, 0).pads_end, ElementsAre(1, 1));
  EXPECT_THAT(list(conv(network, 0).bias), ElementsAre(1, 2, 3));
  EXPECT_THAT(output_shape(network), ElementsAre(1, 3, 3, 3));
  EXPECT_EQ(network.value(network.input).name, "x");
  EXPECT_EQ(network.value(network.output).name, "y");
}

TEST(Onnx, GemmTransposesAndScalesItsWeights) {
  const Network network = read(Model()
                                   .input("x", {4, 2})
                                   .initializer(onnx::floats("w", {2, 3}, {1, 2, 3, 4, 5, 6}))
                                   .initializer(onnx::floats("c", {1, 3}, {1, 2, 3}))
                                   .node("Gemm", {"x", "w", "c"}, {"y"}, {onnx::attribute("alpha", 2.0f), onnx::attribute("beta", 0.5f)})
                                   .output("y"));
  EXPECT_THAT(list(conv(network, 0).weights), ElementsAre(2, 8, 4, 10, 6, 12));
  EXPECT_THAT(list(conv(network, 0).bias), ElementsAre(0.5f, 1, 1.5f));
  EXPECT_THAT(output_shape(network), ElementsAre(4, 3));
}

TEST(Onnx, QuantisedConvolutionsAreTakenApart) {
  const auto byte = [](std::string_view name, int type, std::vector<std::int8_t> values, std::vector<std::int64_t> dims = {}) { return onnx::tensor(name, type, dims, onnx::raw(values)); };
  const Network network = read(Model()
                                   .input("x", {1, 1, 2, 2}, onnx::u8)
                                   .initializer(onnx::floats("xs", {}, {0.5f}))
                                   .initializer(byte("xz", onnx::u8, {7}))
                                   .initializer(byte("w", onnx::i8, {3, -2}, {2, 1, 1, 1}))
                                   .initializer(onnx::floats("ws", {2}, {0.25f, 2}))
                                   .initializer(byte("wz", onnx::i8, {0, 0}, {2}))
                                   .initializer(onnx::floats("ys", {}, {4}))
                                   .initializer(byte("yz", onnx::u8, {1}))
                                   .initializer(onnx::tensor("b", onnx::i32, {2}, onnx::raw(std::vector<std::int32_t>{16, -3})))
                                   .node("QLinearConv", {"x", "xs", "xz", "w", "ws", "wz", "ys", "yz", "b"}, {"y"})
                                   .output("y"));
  ASSERT_EQ(network.operators.size(), 3u);
  EXPECT_EQ(call(network, 0).name, "DequantizeLinear");
  EXPECT_THAT(list(conv(network, 1).weights), ElementsAre(0.75f, -4));
  EXPECT_THAT(list(conv(network, 1).bias), ElementsAre(2, -3));
  EXPECT_EQ(call(network, 2).name, "QuantizeLinear");
  EXPECT_EQ(network.value(network.output).name, "y");
  EXPECT_EQ(network.value(network.output).type, ElementType::u8);
}

TEST(Onnx, MatMulIsALayerOnlyWithTwoAxesAndConstantWeights) {
  const Model model = Model().initializer(onnx::floats("w", {2, 2}, {1, 2, 3, 4})).node("MatMul", {"x", "w"}, {"y"}).output("y");
  EXPECT_THAT(list(conv(read(Model(model).input("x", {3, 2})), 0).weights), ElementsAre(1, 3, 2, 4));
  EXPECT_EQ(call(read(Model(model).input("x", {5, 3, 2})), 0).name, "MatMul");
}

TEST(Onnx, ChainsOfShapesVanish) {
  const Network network = read(Model(12)
                                   .input("x", {0, 3, 4})
                                   .initializer(onnx::integers("zero", {0}))
                                   .initializer(onnx::integers("rest", {-1}))
                                   .node("Shape", {"x"}, {"shape"})
                                   .node("Gather", {"shape", "zero"}, {"batch"}, {onnx::attribute("axis", std::int64_t{0})})
                                   .node("Concat", {"batch", "rest"}, {"target"}, {onnx::attribute("axis", std::int64_t{0})})
                                   .node("Reshape", {"x", "target"}, {"y"})
                                   .output("y"),
                               {.batch = 5});
  ASSERT_EQ(network.operators.size(), 1u);
  EXPECT_THAT(constant<std::int64_t>(network, 0, 1), ElementsAre(5, -1));
  EXPECT_THAT(output_shape(network), ElementsAre(5, 12));
}

TEST(Onnx, AttributesOfOldSetsBecomeInputs) {
  const Network network = read(Model(9)
                                   .input("x", {2, 6})
                                   .node("Clip", {"x"}, {"c"}, {onnx::attribute("min", -1.0f), onnx::attribute("max", 2.0f)})
                                   .node("Slice", {"c"}, {"s"}, {onnx::attribute("starts", std::vector<std::int64_t>{1}), onnx::attribute("ends", std::vector<std::int64_t>{5}), onnx::attribute("axes", std::vector<std::int64_t>{1})})
                                   .node("Unsqueeze", {"s"}, {"u"}, {onnx::attribute("axes", std::vector<std::int64_t>{0})})
                                   .node("ReduceMean", {"u"}, {"y"}, {onnx::attribute("axes", std::vector<std::int64_t>{2})})
                                   .output("y"));
  EXPECT_THAT(constant<float>(network, 0, 1), ElementsAre(-1));
  EXPECT_THAT(constant<float>(network, 0, 2), ElementsAre(2));
  EXPECT_THAT(constant<std::int64_t>(network, 1, 1), ElementsAre(1));
  EXPECT_THAT(constant<std::int64_t>(network, 2, 1), ElementsAre(0));
  EXPECT_THAT(constant<std::int64_t>(network, 3, 1), ElementsAre(2));
  EXPECT_TRUE(call(network, 1).attributes.empty());
  EXPECT_THAT(output_shape(network), ElementsAre(1, 2, 1));
}

TEST(Onnx, OldSoftmaxTakesAllAxesFromItsOwnOn) {
  const Network flattened = read(Model(11).input("x", {2, 3, 4}).node("Softmax", {"x"}, {"y"}).output("y"));
  ASSERT_EQ(flattened.operators.size(), 3u);
  EXPECT_EQ(call(flattened, 0).name, "Flatten");
  EXPECT_EQ(call(flattened, 2).name, "Reshape");
  EXPECT_THAT(output_shape(flattened), ElementsAre(2, 3, 4));
  const Network alone = read(Model(11).input("x", {2, 1, 4, 1}).node("Softmax", {"x"}, {"y"}).output("y"));
  ASSERT_EQ(alone.operators.size(), 1u);
  EXPECT_EQ(std::get<std::int64_t>(call(alone, 0).attributes[0].second), 2);
  EXPECT_EQ(std::get<std::int64_t>(call(read(Model(13).input("x", {2, 3}).node("Softmax", {"x"}, {"y"}).output("y")), 0).attributes[0].second), -1);
}

TEST(Onnx, SplitBecomesASliceForEachOutputThatIsRead) {
  const Network network = read(Model(13).input("x", {2, 7}).initializer(onnx::integers("sizes", {3, 4})).node("Split", {"x", "sizes"}, {"a", "b"}, {onnx::attribute("axis", std::int64_t{1})}).node("Relu", {"b"}, {"y"}).output("y"));
  ASSERT_EQ(network.operators.size(), 2u);
  EXPECT_EQ(call(network, 0).name, "Slice");
  EXPECT_THAT(constant<std::int64_t>(network, 0, 1), ElementsAre(3));
  EXPECT_THAT(constant<std::int64_t>(network, 0, 2), ElementsAre(7));
}

TEST(Onnx, IdentityAndDropoutVanishAndOutputsKeepTheirNames) {
  const Network network = read(Model(11).input("x", {2, 3}).node("Relu", {"x"}, {"a"}).node("Identity", {"a"}, {"b"}).node("Dropout", {"b"}, {"y"}).output("y"));
  ASSERT_EQ(network.operators.size(), 1u);
  EXPECT_EQ(network.value(network.output).name, "y");
  const Network both = read(Model(11).input("x", {2, 3}).node("Identity", {"x"}, {"y"}).node("Identity", {"x"}, {"z"}).output("y").output("z"));
  EXPECT_EQ(both.value(both.output).name, "y");
  EXPECT_EQ(both.value(both.other_outputs.at(0)).name, "z");
}

TEST(Onnx, PoolingOfSingleElementsVanishes) {
  const auto pooled = [](const char* operation, std::int64_t kernel, std::int64_t stride) {
    const auto both = [](std::int64_t number) { return std::vector<std::int64_t>{number, number}; };
    return read(Model().input("x", {1, 2, 6, 6}).node("Relu", {"x"}, {"a"}).node(operation, {"a"}, {"y"}, {onnx::attribute("kernel_shape", both(kernel)), onnx::attribute("strides", both(stride))}).output("y"));
  };
  for (const char* operation : {"AveragePool", "MaxPool"}) {
    EXPECT_EQ(pooled(operation, 1, 1).operators.size(), 1u);
    EXPECT_EQ(pooled(operation, 1, 2).operators.size(), 2u);
    EXPECT_EQ(pooled(operation, 2, 1).operators.size(), 2u);
  }
  EXPECT_EQ(pooled("LpPool", 1, 1).operators.size(), 2u) << "it takes the magnitude";
}

TEST(Onnx, NodesMayStandInAnyOrderAndDeadOnesDoNotCount) {
  const Network network = read(Model().input("x", {2}).node("NoSuchOperator", {"x"}, {"dead"}).node("Relu", {"a"}, {"y"}).node("Neg", {"x"}, {"a"}).output("y"));
  ASSERT_EQ(network.operators.size(), 2u);
  EXPECT_EQ(call(network, 0).name, "Neg");
}

TEST(Onnx, SparseInitialisersInBothForms) {
  const auto model = [](const std::string& indices) {
    return Model().input("x", {1, 3}).sparse_initializer(onnx::floats("w", {2}, {5, 7}), indices, {3, 2}).node("MatMul", {"x", "w"}, {"y"}).output("y");
  };
  EXPECT_THAT(list(conv(read(model(onnx::integers("", {1, 4}))), 0).weights), ElementsAre(0, 0, 7, 5, 0, 0));
  EXPECT_THAT(list(conv(read(model(onnx::tensor("", onnx::i64, {2, 2}, onnx::raw<std::int64_t>({0, 1, 2, 0})))), 0).weights), ElementsAre(0, 0, 7, 5, 0, 0));
}

TEST(Onnx, ElementsFromTypedFields) {
  std::string weights;
  protozero::pbf_writer writer(weights);
  writer.add_int64(1, 2);  // not packed
  writer.add_int64(1, 1);
  writer.add_int32(2, onnx::f32);
  writer.add_string(8, "w");
  const std::vector<float> values{3, 4};
  writer.add_packed_float(4, values.begin(), values.end());
  EXPECT_THAT(list(conv(read(Model().input("x", {1, 2}).initializer(weights).node("MatMul", {"x", "w"}, {"y"}).output("y")), 0).weights), ElementsAre(3, 4));
}

TEST(Onnx, InitialisersThatAreInputsTooAreConstants) {
  const Network network = read(Model().input("x", {1, 2}).input("w", {2, 1}).initializer(onnx::floats("w", {2, 1}, {3, 4})).node("MatMul", {"x", "w"}, {"y"}).output("y"));
  EXPECT_TRUE(network.other_inputs.empty());
  EXPECT_THAT(list(conv(network, 0).weights), ElementsAre(3, 4));
}

TEST(Onnx, AnotherBatchIsFollowedByReshapesThatHaveTheOldOneWrittenIn) {
  const auto model = [](std::vector<std::int64_t> target) {
    return Model().input("x", {2, 3, 4}).initializer(onnx::integers("t", target)).node("Reshape", {"x", "t"}, {"y"}).output("y");
  };
  EXPECT_THAT(output_shape(read(model({2, 12}), {.batch = 5})), ElementsAre(5, 12));
  EXPECT_THAT(output_shape(read(model({2, -1}), {.batch = 4})), ElementsAre(4, 12));
  EXPECT_THAT(output_shape(read(model({2, 12}))), ElementsAre(2, 12));
}

TEST(Onnx, ShapesByNameOrInOrder) {
  const Model model = Model().input("x", {0, 3, 0}).input("z", {0, 3, 0}).node("Add", {"x", "z"}, {"y"}).output("y");
  EXPECT_THAT(output_shape(read(model, {.input_shapes = {{"x", {2, 3, 4}}, {"z", {2, 3, 4}}}})), ElementsAre(2, 3, 4));
  EXPECT_THAT(output_shape(read(model, {.shapes_in_order = {{2, 3, 4}, {2, 3, 1}}})), ElementsAre(2, 3, 4));
}

TEST(Onnx, ExternalDataIsReadFromTheModelsFolder) {
  const TempFolder folder;
  folder.write("weights/w.bin", "12345678" + onnx::raw<float>({3, 4}));
  std::string weights;
  protozero::pbf_writer writer(weights);
  const std::vector<std::int64_t> dims{2, 1};
  writer.add_packed_int64(1, dims.begin(), dims.end());
  writer.add_int32(2, onnx::f32);
  writer.add_string(8, "w");
  writer.add_int32(14, 1);
  for (const auto& [key, text] : {std::pair{"location", "weights/w.bin"}, {"offset", "8"}, {"length", "8"}}) {
    std::string entry;
    protozero::pbf_writer entry_writer(entry);
    entry_writer.add_string(1, key);
    entry_writer.add_string(2, text);
    writer.add_bytes(13, entry);
  }
  const auto file = folder.write("m.onnx", Model().input("x", {1, 2}).initializer(weights).node("MatMul", {"x", "w"}, {"y"}).output("y").file());
  EXPECT_THAT(list(conv(load(file), 0).weights), ElementsAre(3, 4));
}

TEST(Onnx, UpsampleIsAResize) {
  const Network network = read(Model(9).input("x", {1, 1, 2, 2}).initializer(onnx::floats("s", {4}, {1, 1, 2, 2})).node("Upsample", {"x", "s"}, {"y"}).output("y"));
  EXPECT_EQ(call(network, 0).name, "Resize");
  EXPECT_THAT(output_shape(network), ElementsAre(1, 1, 4, 4));
}

}  // namespace
}  // namespace lacuna::tests
