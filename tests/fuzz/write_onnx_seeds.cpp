// Writes small models into the folder given: the seeds of fuzz_onnx.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "support/onnx_writer.hpp"

namespace {

using namespace lacuna::tests::onnx;
using Integers = std::vector<std::int64_t>;

void write(const std::filesystem::path& file, const Model& model) {
  const std::string bytes = model.file();
  std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: write_onnx_seeds FOLDER\n");
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  write(folder / "conv.onnx", Model()
                                  .input("x", {1, 2, 5, 5})
                                  .initializer(floats("w", {3, 2, 3, 3}, std::vector<float>(54, 0.5f)))
                                  .node("Conv", {"x", "w"}, {"c"}, {attribute("auto_pad", std::string("SAME_UPPER")), attribute("strides", Integers{2, 2})})
                                  .node("Relu", {"c"}, {"r"})
                                  .node("MaxPool", {"r"}, {"y"}, {attribute("kernel_shape", Integers{2, 2})})
                                  .output("y"));
  write(folder / "shapes.onnx", Model(12)
                                    .input("x", {0, 3, 4})
                                    .initializer(integers("zero", {0}))
                                    .initializer(integers("rest", {-1}))
                                    .node("Shape", {"x"}, {"shape"})
                                    .node("Gather", {"shape", "zero"}, {"batch"}, {attribute("axis", std::int64_t{0})})
                                    .node("Concat", {"batch", "rest"}, {"target"}, {attribute("axis", std::int64_t{0})})
                                    .node("Reshape", {"x", "target"}, {"f"})
                                    .node("Softmax", {"f"}, {"y"})
                                    .output("y"));
  write(folder / "sparse.onnx", Model(9)
                                    .input("x", {2, 3})
                                    .sparse_initializer(floats("w", {2}, {5, 7}), integers("", {1, 4}), {3, 2})
                                    .node("Gemm", {"x", "w"}, {"g"}, {attribute("alpha", 2.0f)})
                                    .node("Clip", {"g"}, {"c"}, {attribute("min", -1.0f), attribute("max", 2.0f)})
                                    .node("Slice", {"c"}, {"s"}, {attribute("starts", Integers{0}), attribute("ends", Integers{1}), attribute("axes", Integers{1})})
                                    .node("Unsqueeze", {"s"}, {"u"}, {attribute("axes", Integers{0, 1})})
                                    .node("Split", {"u"}, {"y", "z"}, {attribute("axis", std::int64_t{2})})
                                    .output("y")
                                    .output("z"));
  write(folder / "constants.onnx", Model()
                                       .input("x", {2, 3})
                                       .initializer(integers("s", {2, 3}))
                                       .node("ConstantOfShape", {"s"}, {"c"}, {tensor_attribute("value", floats("", {1}, {2}))})
                                       .node("Constant", {}, {"k"}, {tensor_attribute("value", floats("", {3}, {1, 2, 3}))})
                                       .node("Add", {"c", "k"}, {"a"})
                                       .node("Mul", {"a", "x"}, {"m"})
                                       .node("Identity", {"m"}, {"y"})
                                       .output("y"));
}
