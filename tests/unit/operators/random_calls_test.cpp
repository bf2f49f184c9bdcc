// Every operator on random inputs and attributes: it answers or refuses, and never breaks a promise (InternalError), reads outside its inputs or writes outside
// its output (the sanitizers watch; the output is surrounded by bytes that must stay).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <lacuna/error.hpp>

#include "support/run_operator.hpp"

namespace lacuna::tests {
namespace {

class RandomCalls {
 public:
  explicit RandomCalls(unsigned seed) : random_(seed) {}

  std::size_t below(std::size_t bound) { return random_() % bound; }
  bool one_in(std::size_t n) { return below(n) == 0; }

  std::int64_t integer() {
    constexpr std::int64_t special[] = {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(), std::int64_t{1} << 32, -100, 100};
    return one_in(40) ? special[below(std::size(special))] : static_cast<std::int64_t>(below(8)) - 2;
  }
  float number() {
    constexpr float special[] = {NAN, INFINITY, -INFINITY, 1e30f, 0.5f};
    return one_in(10) ? special[below(std::size(special))] : static_cast<float>(integer());
  }

  TypedTensor input(ElementType type) {
    return input(type, [&](std::vector<std::size_t>& shape) {
      shape.resize(below(5));
      for (std::size_t& extent : shape) extent = one_in(15) ? 0 : 1 + below(4);
    });
  }
  template <typename MakeShape>
  TypedTensor input(ElementType type, MakeShape make_shape) {
    std::vector<std::size_t> shape;
    make_shape(shape);
    std::size_t size = 1;
    for (const std::size_t extent : shape) size *= extent;
    std::vector<std::byte> bytes;
    for (std::size_t k = 0; k < size; ++k) append(bytes, type);
    return {type, shape, std::move(bytes)};
  }

  std::string text() {
    static const char* const values[] = {"SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET", "reflect", "edge", "wrap", "constant", "linear", "cubic", "nearest", "CRD", "add", "mul", "max", "tf_crop_and_resize", "align_corners", "asymmetric", "not_larger", "ceil", "floor", "odd"};
    return values[below(std::size(values))];
  }

  Attributes attributes() {
    static const char* const integers[] = {"axis", "keepdims", "ceil_mode", "group", "p", "size", "blocksize", "batch_dims", "num_outputs", "k", "to", "num_groups", "largest", "fmod", "transA", "noop_with_empty_axes", "allowzero", "block_size", "start", "end", "exclude_outside", "antialias", "storage_order", "count_include_pad", "upper", "exclusive"};
    static const char* const lists[] = {"axes", "dilations", "kernel_shape", "output_padding", "output_shape", "pads", "perm", "strides"};
    static const char* const texts[] = {"auto_pad", "coordinate_transformation_mode", "mode", "nearest_mode", "reduction", "keep_aspect_ratio_policy"};
    Attributes result;
    for (const char* name : integers)
      if (one_in(6)) result.emplace_back(name, integer());
    for (const char* name : lists)
      if (one_in(3)) {
        std::vector<std::int64_t> list(one_in(4) ? below(5) : 1 + below(2));
        if (std::string_view(name) == "pads") list.resize(list.size() * 2);
        for (std::int64_t& entry : list) entry = one_in(8) ? integer() : 1 + static_cast<std::int64_t>(below(2));
        result.emplace_back(name, list);
      }
    for (const char* name : texts)
      if (one_in(3)) result.emplace_back(name, text());
    if (one_in(4)) result.emplace_back("alpha", number());
    std::sort(result.begin(), result.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return result;
  }

  ElementType type() { return static_cast<ElementType>(below(13)); }

 private:
  void append(std::vector<std::byte>& bytes, ElementType type) {
    const auto put = [&](auto value) {
      const auto* const first = reinterpret_cast<const std::byte*>(&value);
      bytes.insert(bytes.end(), first, first + size_of(type));
    };
    if (type == ElementType::f32) return put(number());
    if (type == ElementType::f64) return put(static_cast<double>(number()));
    if (type == ElementType::boolean) return put(static_cast<std::uint8_t>(below(2)));
    put(type == ElementType::f16 || type == ElementType::bf16 ? static_cast<std::int64_t>(random_()) : integer());
  }

  std::mt19937 random_;
};

/// Whether it answered; refusing is fine too.
bool try_call(const Call& call, const Inputs& inputs) {
  try {
    const operators::Signature signature = infer_operator(call, inputs);
    if (signature.shape.size() > 1 << 16) return false;  // nothing to fear, and long
    const std::vector<Shape> shapes = shapes_of(inputs);
    std::vector<operators::TensorView> views;
    for (std::size_t k = 0; k < inputs.size(); ++k)
      views.push_back(inputs[k] ? operators::TensorView{inputs[k]->type, &shapes[k], inputs[k]->bytes.data()} : operators::TensorView{});
    constexpr std::size_t fence = 64;
    const std::size_t bytes = signature.shape.size() * size_of(signature.type);
    std::vector<std::byte> output(bytes + 2 * fence, std::byte{0xa5});
    operators::evaluate(call, views, signature, output.data() + fence);
    const auto untouched = [](std::byte byte) { return byte == std::byte{0xa5}; };
    EXPECT_TRUE(std::all_of(output.begin(), output.begin() + fence, untouched) && std::all_of(output.end() - fence, output.end(), untouched)) << call.name << " writes outside its output";
    return true;
  } catch (const InputError&) {
  } catch (const Unsupported&) {
  }
  return false;
}

struct Example {
  std::string name;
  Inputs inputs;
  Attributes attributes;
};

/// Calls that are right, of operators whose inputs must fit each other so well that chance does not find them.
std::vector<Example> examples() {
  using List = std::vector<std::int64_t>;
  const auto plane = [](std::size_t channels) { return floats({1, channels, 4, 4}, std::vector<float>(channels * 16, 1.5f)); };
  const auto filter = [](std::size_t a, std::size_t b) { return floats({a, b, 2, 2}, std::vector<float>(a * b * 4, 0.5f)); };
  const auto list = [](std::size_t n) { return floats({n}, std::vector<float>(n, 1.0f)); };
  const auto bytes = [](std::vector<std::size_t> shape, std::size_t size) { return tensor<std::uint8_t>(std::move(shape), std::vector<std::uint8_t>(size, 3)); };
  const TypedTensor one_byte = bytes({}, 1);
  const Attributes window{{"auto_pad", std::string("NOTSET")}, {"ceil_mode", std::int64_t{1}}, {"dilations", List{1, 2}}, {"kernel_shape", List{2, 2}}, {"pads", List{1, 0, 0, 1}}, {"strides", List{2, 1}}};
  const TypedTensor indices = tensor<std::int64_t>({2, 2}, {0, 1, -1, 1});
  const TypedTensor square = floats({2, 2}, {1, 2, 3, 4});
  const TypedTensor flags = tensor<bool>({2, 2}, {true, false, true, true});
  std::vector<Example> result{
      {"And", {flags, flags}, {}},
      {"AveragePool", {plane(2)}, window},
      {"BatchNormalization", {plane(2), list(2), list(2), list(2), list(2)}, {{"epsilon", 0.5f}}},
      {"Conv", {plane(2), filter(4, 1), list(4)}, {{"dilations", List{1, 2}}, {"group", std::int64_t{2}}, {"pads", List{1, 0, 0, 1}}, {"strides", List{2, 1}}}},
      {"ConvInteger", {bytes({1, 1, 3, 3}, 9), bytes({1, 1, 2, 2}, 4), one_byte, one_byte}, {{"pads", List{1, 1, 1, 1}}}},
      {"ConvTranspose", {plane(2), filter(2, 3), list(3)}, {{"dilations", List{1, 2}}, {"output_padding", List{1, 0}}, {"pads", List{0, 1, 1, 0}}, {"strides", List{2, 1}}}},
      {"CumSum", {square, integers({1})}, {{"exclusive", std::int64_t{1}}}},
      {"DepthToSpace", {plane(4)}, {{"blocksize", std::int64_t{2}}, {"mode", std::string("CRD")}}},
      {"DequantizeLinear", {bytes({2, 2}, 4), list(2), bytes({2}, 2)}, {{"axis", std::int64_t{1}}}},
      {"Expand", {square, integers({3, 2, 2})}, {}},
      {"Gather", {square, indices}, {{"axis", std::int64_t{1}}}},
      {"GatherElements", {square, indices}, {{"axis", std::int64_t{1}}}},
      {"GatherND", {square, indices}, {{"batch_dims", std::int64_t{0}}}},
      {"GroupNormalization", {plane(4), list(4), list(4)}, {{"num_groups", std::int64_t{2}}}},
      {"InstanceNormalization", {plane(2), list(2), list(2)}, {}},
      {"LayerNormalization", {square, list(2), list(2)}, {{"axis", std::int64_t{1}}}},
      {"LRN", {plane(3)}, {{"size", std::int64_t{3}}}},
      {"LpPool", {plane(2)}, window},
      {"MatMul", {floats({2, 1, 2, 2}, std::vector<float>(8, 1.0f)), square}, {}},
      {"MatMulInteger", {bytes({2, 2}, 4), bytes({2, 2}, 4), bytes({2}, 2), one_byte}, {}},
      {"MaxPool", {plane(2)}, window},
      {"NonMaxSuppression", {floats({1, 2, 4}, {0, 0, 1, 1, 0, 0, 1, 1}), floats({1, 1, 2}, {1, 2}), integers({2}), scalar(0.5f), scalar(0)}, {{"center_point_box", std::int64_t{1}}}},
      {"OneHot", {indices, integers({3}), list(2)}, {{"axis", std::int64_t{1}}}},
      {"Pad", {square, integers({1, 1, 1, 1}), scalar(1)}, {{"mode", std::string("reflect")}}},
      {"Pad", {square, integers({1, -1}), missing, integers({1})}, {{"mode", std::string("constant")}}},
      {"QLinearConv", {bytes({1, 1, 3, 3}, 9), scalar(1), one_byte, bytes({2, 1, 2, 2}, 8), list(2), bytes({2}, 2), scalar(1), one_byte, tensor<std::int32_t>({2}, {1, 2})}, {{"pads", List{1, 1, 1, 1}}}},
      {"QLinearMatMul", {bytes({2, 2}, 4), scalar(1), one_byte, bytes({2, 2}, 4), list(2), bytes({2}, 2), scalar(1), one_byte}, {}},
      {"Range", {integers({0}), integers({5}), integers({2})}, {}},
      {"Reshape", {square, integers({4, -1})}, {{"allowzero", std::int64_t{0}}}},
      {"Resize", {plane(1), missing, floats({4}, {1, 1, 2, 0.5f})}, {{"mode", std::string("cubic")}}},
      {"Resize", {plane(1), floats({8}, {0, 0, 0, 0, 1, 1, 2, 1}), missing, integers({1, 1, 3, 5})}, {{"coordinate_transformation_mode", std::string("tf_crop_and_resize")}, {"mode", std::string("linear")}}},
      {"Resize", {plane(1), missing, missing, integers({3, 5})}, {{"antialias", std::int64_t{1}}, {"axes", List{2, 3}}, {"mode", std::string("linear")}}},
      {"ScatterElements", {square, indices, square}, {{"axis", std::int64_t{1}}, {"reduction", std::string("add")}}},
      {"ScatterND", {square, indices, list(2)}, {{"reduction", std::string("max")}}},
      {"Slice", {plane(2), integers({0, 3}), integers({4, -5}), integers({2, 3}), integers({2, -1})}, {}},
      {"SpaceToDepth", {plane(1)}, {{"blocksize", std::int64_t{2}}}},
      {"Split", {square, integers({1, 1})}, {{"axis", std::int64_t{1}}}},
      {"Tile", {square, integers({2, 3})}, {}},
      {"TopK", {square, integers({1})}, {{"axis", std::int64_t{1}}}},
      {"Transpose", {plane(2)}, {{"perm", List{0, 2, 3, 1}}}},
      {"Trilu", {square, tensor<std::int64_t>({}, {1})}, {{"upper", std::int64_t{0}}}},
      {"Where", {flags, square, square}, {}},
  };
  return result;
}

/// One or a few things are changed: an extent, an element, an attribute, the type, or an input goes.
Example changed(Example example, RandomCalls& random) {
  for (std::size_t change = 1 + random.below(2); change > 0; --change) {
    std::optional<TypedTensor>& input = example.inputs[random.below(example.inputs.size())];
    const std::size_t what = random.below(6);
    if (what == 0 && input && !input->shape.empty()) {
      TypedTensor other = random.input(input->type, [&](std::vector<std::size_t>& shape) {
        shape = input->shape;
        shape[random.below(shape.size())] = random.below(4);
      });
      input = other;
    } else if (what == 1 && input) {
      input = random.input(input->type, [&](std::vector<std::size_t>& shape) { shape = input->shape; });
    } else if (what == 2 && random.one_in(4)) {
      input = missing;
    } else if (what == 3 && input && random.one_in(3)) {
      input = random.input(random.type(), [&](std::vector<std::size_t>& shape) { shape = input->shape; });
    } else if (!example.attributes.empty()) {
      Attribute& attribute = example.attributes[random.below(example.attributes.size())].second;
      if (auto* const integer = std::get_if<std::int64_t>(&attribute)) *integer = random.integer();
      if (auto* const entries = std::get_if<std::vector<std::int64_t>>(&attribute); entries != nullptr && !entries->empty()) (*entries)[random.below(entries->size())] = random.integer();
      if (auto* const text = std::get_if<std::string>(&attribute)) *text = random.text();
    }
  }
  return example;
}

TEST(RandomCalls, OfRightCallsThatAreChangedStayWithinTheirMemory) {
  for (const Example& example : examples()) {
    EXPECT_TRUE(try_call({example.name, example.attributes, 0}, example.inputs)) << example.name << " refuses a right call";
    for (unsigned seed = 0; seed < 300; ++seed) {
      RandomCalls random(seed);
      const Example other = changed(example, random);
      try {
        try_call({other.name, other.attributes, random.one_in(6) ? 1u : 0u}, other.inputs);
      } catch (const std::exception& error) {
        ADD_FAILURE() << example.name << ", seed " << seed << ": " << error.what();
      }
    }
  }
}

TEST(RandomCalls, AnswerOrRefuseAndStayWithinTheirMemory) {
  for (const std::string_view name : operators::known_operators()) {
    for (unsigned seed = 0; seed < 100; ++seed) {
      RandomCalls random(seed);
      const ElementType type = random.one_in(2) ? ElementType::f32 : random.type();
      Inputs inputs;
      const std::size_t count = 1 + random.below(random.one_in(8) ? 9 : 4);
      for (std::size_t k = 0; k < count; ++k) {
        if (k > 0 && random.one_in(8))
          inputs.push_back(missing);
        else if (k > 0 && random.one_in(3))
          inputs.push_back(inputs[0]);
        else
          inputs.push_back(random.input(k == 0 || random.one_in(3) ? type : random.one_in(2) ? ElementType::i64 : random.type()));
      }
      const Call call{std::string(name), random.attributes(), random.one_in(6) ? 1u : 0u};
      try {
        try_call(call, inputs);
      } catch (const std::exception& error) {
        ADD_FAILURE() << name << ", seed " << seed << ": " << error.what();
      }
    }
  }
}

}  // namespace
}  // namespace lacuna::tests
