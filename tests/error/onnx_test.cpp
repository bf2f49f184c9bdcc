// Wrong and hostile ONNX files: the exact message for each.
#include <gtest/gtest.h>

#include <lacuna/error.hpp>

#include "frontends/onnx/read_onnx.hpp"
#include "support/onnx_writer.hpp"
#include "support/temp_folder.hpp"

namespace lacuna::tests {
namespace {

using onnx::Model;
using namespace std::string_literals;

std::string message(const std::string& file, const LoadOptions& options = {}) {
  return message_of<Error>([&] { frontends::read_onnx({.bytes = file, .name = "m.onnx", .growth = 1 << 20}, options); });
}
std::string message(const Model& model, const LoadOptions& options = {}) { return message(model.file(), options); }

TEST(OnnxErrors, NoModelAtAll) {
  EXPECT_EQ(message(""s), "m.onnx: is no ONNX model, or it is cut short or damaged: there is no graph in it");
  EXPECT_EQ(message("lacuna network 1\n"s), "m.onnx: is no ONNX model, or it is cut short or damaged: unknown pbf field type exception (its 17 bytes)");
  EXPECT_EQ(message("\x3d\x01\x02\x03\x04"s), "m.onnx: is no ONNX model, or it is cut short or damaged: field 7 is of wire type 5, but 2 was expected");
}

TEST(OnnxErrors, EveryCutIsRefused) {
  const std::string file = Model().input("x", {1, 2}).initializer(onnx::floats("w", {2, 1}, {3, 4})).node("MatMul", {"x", "w"}, {"y"}).output("y").file();
  const std::size_t graph_ends = file.find("lacuna's tests") - 2;
  for (std::size_t length = 0; length < graph_ends; ++length) EXPECT_NE(message(file.substr(0, length)), "") << length;
  EXPECT_EQ(message(file), "");
}

TEST(OnnxErrors, ValuesNobodyGives) {
  EXPECT_EQ(message(Model().input("x", {1}).node("Add", {"x", "b"}, {"y"}).output("y")),
            "m.onnx: node \"y\" (Add): it reads \"b\", which is no input, no initialiser and no node's output");
  EXPECT_EQ(message(Model().input("x", {1}).node("Add", {"x", "b"}, {"/features/features.0/features.0.1/Add_output"}).output("/features/features.0/features.0.1/Add_output")),
            "m.onnx: node \"/features/features.0/features.0.1/Add_output\" (Add): it reads \"b\", which is no input, no initialiser and no node's output")
      << "long names are shown whole";
  EXPECT_EQ(message(Model().input("x", {1}).output("y")), "m.onnx: output \"y\": it reads \"y\", which is no input, no initialiser and no node's output");
  EXPECT_EQ(message(Model().input("x", {1}).node("Relu", {"x"}, {"y"})), "m.onnx: the graph has no output");
}

TEST(OnnxErrors, CyclesAndDoubles) {
  EXPECT_EQ(message(Model().input("x", {1}).node("Add", {"x", "b"}, {"a"}).node("Relu", {"a"}, {"b"}).node("Neg", {"b"}, {"y"}).output("y")),
            "m.onnx: node \"b\" (Relu) is part of a cycle: it needs its own output");
  EXPECT_EQ(message(Model().input("x", {1}).node("Relu", {"x"}, {"y"}).node("Neg", {"x"}, {"y"}).output("y")),
            "m.onnx: node \"y\" (Relu) and node \"y\" (Neg) both give the value \"y\"");
  EXPECT_EQ(message(Model().input("x", {1}).node("Relu", {"x"}, {"x"}).output("x")), "m.onnx: node \"x\" (Relu) is part of a cycle: it needs its own output");
  EXPECT_EQ(message(Model().input("x", {1}).input("x", {1}).node("Relu", {"x"}, {"y"}).output("y")), "m.onnx: two values are called \"x\"");
  EXPECT_EQ(message(Model().input("x", {1}).initializer(onnx::floats("w", {1}, {1})).initializer(onnx::floats("w", {1}, {1})).node("Add", {"x", "w"}, {"y"}).output("y")),
            "m.onnx: two initialisers are called \"w\"");
}

TEST(OnnxErrors, ElementsThatDoNotFitTheShape) {
  const auto with = [](const std::string& weights) { return Model().input("x", {1, 2}).initializer(weights).node("MatMul", {"x", "w"}, {"y"}).output("y"); };
  EXPECT_EQ(message(with(onnx::floats("w", {2, 2}, {1, 2, 3}))),
            "m.onnx: node \"y\" (MatMul): initialiser \"w\": its data has 12 bytes, but 4 elements of f32 take 16");
  EXPECT_EQ(message(with(onnx::floats("w", {-2, 2}, {1}))),
            "m.onnx: node \"y\" (MatMul): initialiser \"w\": the shape [-2, 2] has an extent that is negative or beyond 32 bits");
  EXPECT_EQ(message(with(onnx::floats("w", {4000000000, 4000000000}, {1}))),
            "m.onnx: node \"y\" (MatMul): initialiser \"w\": the shape 4000000000x4000000000 has more than 2^40 elements");
  EXPECT_EQ(message(with(onnx::floats("w", {1000000, 1000000}, {}))),
            "m.onnx: node \"y\" (MatMul): initialiser \"w\": 0 elements are given, but its shape has 1000000000000");
  EXPECT_EQ(message(with(onnx::tensor("w", 8, {2, 2}, ""))), "m.onnx: node \"y\" (MatMul): initialiser \"w\": elements that are strings are not supported");
}

TEST(OnnxErrors, ConstantsThatGrowBeyondAllMeasure) {
  EXPECT_EQ(message(Model().input("x", {1}).initializer(onnx::integers("s", {1000, 1000})).node("ConstantOfShape", {"s"}, {"c"}).node("Add", {"x", "c"}, {"y"}).output("y")),
            "m.onnx: node \"c\" (ConstantOfShape): constants of this model grow beyond all measure: 4000000 more bytes are asked for, 1048576 are left");
  EXPECT_EQ(message(Model().input("x", {1, 9}).sparse_initializer(onnx::floats("w", {0}, {}), onnx::integers("", {}), {100000, 100000}).node("MatMul", {"x", "w"}, {"y"}).output("y")),
            "m.onnx: node \"y\" (MatMul): initialiser \"w\": constants of this model grow beyond all measure: 40000000000 more bytes are asked for, 1048576 are left");
}

TEST(OnnxErrors, BytesThatDoNotPrintAreShownAsNumbers) {
  const std::string shown = message(Model().input("x", {1}).node("Re\nlu\xff", {"x"}, {"y"}).output("y"));
  EXPECT_EQ(shown, "m.onnx: node \"y\" (Re\\x0alu\\xff): the operator Re\\x0alu\\xff is not known");
}

TEST(OnnxErrors, SparseIndices) {
  const auto with = [](std::vector<std::int64_t> indices) {
    return Model().input("x", {1, 3}).sparse_initializer(onnx::floats("w", {2}, {5, 7}), onnx::integers("", std::move(indices)), {3, 2}).node("MatMul", {"x", "w"}, {"y"}).output("y");
  };
  EXPECT_EQ(message(with({1, 6})), "m.onnx: node \"y\" (MatMul): initialiser \"w\": index 6 is not below 6");
  EXPECT_EQ(message(with({1})),
            "m.onnx: node \"y\" (MatMul): initialiser \"w\": a sparse tensor of 2 values has indices of shape 1 and type i64; expected one int64 for each value, or one for each axis");
}

TEST(OnnxErrors, OpenDimensions) {
  const Model model = Model().input("x", {0, 3, 0}).node("Relu", {"x"}, {"y"}).output("y");
  EXPECT_EQ(message(model),
            "m.onnx: dimension 2 of input \"x\" is not fixed by the file (it is called \"n\"); give the shape of the input (--input-shape x=..., LoadOptions::input_shapes), which is "
            "[n, 3, n]");
  EXPECT_EQ(message(model, {.input_shapes = {{"z", {1}}}}), "m.onnx: a shape was given for the input \"z\", but the inputs are \"x\"");
  EXPECT_EQ(message(model, {.input_shapes = {{"x", {1, 4, 4}}}}), "m.onnx: input \"x\" is [n, 3, n], which the shape [1, 4, 4] that was given does not fit");
}

TEST(OnnxErrors, WhatIsNotSupported) {
  const auto with = [](std::string_view operation, std::string_view domain) { return Model().input("x", {1}).node(operation, {"x"}, {"y"}, {}, domain).output("y"); };
  EXPECT_EQ(message(with("Loop", "")),
            "m.onnx: node \"y\" (Loop): Loop chooses what to compute while it runs, which is not supported; export the model without control flow");
  EXPECT_EQ(message(with("ZipMap", "ai.onnx.ml")), "m.onnx: node \"y\" (ZipMap): operators of the domain \"ai.onnx.ml\" are not supported; export with the operators of ai.onnx");
  EXPECT_EQ(message(Model(6).input("x", {1}).node("Relu", {"x"}, {"y"}).output("y")),
            "m.onnx: it is written in operator set 6; 7 and newer are read (convert it with onnx.version_converter)");
}

TEST(OnnxErrors, ExternalDataStaysInTheFolder) {
  const auto with = [](std::string_view location) {
    std::string entry;
    protozero::pbf_writer entry_writer(entry);
    entry_writer.add_string(1, "location");
    entry_writer.add_string(2, location.data(), location.size());
    std::string weights;
    protozero::pbf_writer writer(weights);
    writer.add_int64(1, 1);
    writer.add_int32(2, onnx::f32);
    writer.add_string(8, "w");
    writer.add_bytes(13, entry);
    writer.add_int32(14, 1);
    return Model().input("x", {1}).initializer(weights).node("Add", {"x", "w"}, {"y"}).output("y");
  };
  for (const char* location : {"../w.bin", "a/../../w.bin", "/etc/passwd"})
    EXPECT_EQ(message(with(location)), "m.onnx: node \"y\" (Add): initialiser \"w\": its external data is at \""s + location + "\"; only files in the model's own folder are read");
  const TempFolder folder;
  const auto file = folder.write("m.onnx", with("w.bin").file());
  EXPECT_NE(message_of<InputError>([&] { load(file); }).find("its external data \"w.bin\" cannot be found"), std::string::npos);
}

TEST(OnnxErrors, WindowsThatDoNotFit) {
  const auto with = [](const std::vector<std::string>& attributes) {
    return Model().input("x", {1, 1, 4, 4}).initializer(onnx::floats("w", {1, 1, 3, 3}, std::vector<float>(9))).node("Conv", {"x", "w"}, {"y"}, attributes).output("y");
  };
  EXPECT_EQ(message(with({onnx::attribute("strides", std::vector<std::int64_t>{0, 1})})), "m.onnx: node \"y\" (Conv): its strides [0, 1] are not all at least 1 and below 2^31");
  EXPECT_EQ(message(with({onnx::attribute("pads", std::vector<std::int64_t>{0, 1})})), "m.onnx: node \"y\" (Conv): its pads [0, 1] are not two for each of 2 spatial axes");
  EXPECT_EQ(message(with({onnx::attribute("kernel_shape", std::vector<std::int64_t>{2, 3})})), "m.onnx: node \"y\" (Conv): its kernel_shape is [2, 3], but its weights are for [3, 3]");
}

}  // namespace
}  // namespace lacuna::tests
