// Every operator on random inputs and attributes: it answers or refuses, and never breaks a promise (InternalError), reads outside its inputs or writes outside
// its output (the sanitizers watch; the output is surrounded by bytes that must stay).
#include <gtest/gtest.h>

#include <algorithm>
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
    std::vector<std::size_t> shape(below(5));
    for (std::size_t& extent : shape) extent = one_in(15) ? 0 : 1 + below(4);
    std::size_t size = 1;
    for (const std::size_t extent : shape) size *= extent;
    std::vector<std::byte> bytes;
    for (std::size_t k = 0; k < size; ++k) append(bytes, type);
    return {type, shape, std::move(bytes)};
  }

  Attributes attributes() {
    static const char* const integers[] = {"axis", "keepdims", "ceil_mode", "group", "p", "size", "blocksize", "batch_dims", "num_outputs", "k", "to", "num_groups", "largest", "fmod", "transA", "noop_with_empty_axes", "allowzero", "block_size", "start", "end", "exclude_outside", "antialias", "storage_order", "count_include_pad", "upper", "exclusive"};
    static const char* const lists[] = {"axes", "dilations", "kernel_shape", "output_padding", "output_shape", "pads", "perm", "strides"};
    static const char* const texts[] = {"auto_pad", "coordinate_transformation_mode", "mode", "nearest_mode", "reduction", "keep_aspect_ratio_policy"};
    static const char* const values[] = {"SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET", "reflect", "edge", "wrap", "constant", "linear", "cubic", "nearest", "CRD", "add", "mul", "max", "tf_crop_and_resize", "align_corners", "asymmetric", "not_larger", "ceil", "floor", "odd"};
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
      if (one_in(3)) result.emplace_back(name, std::string(values[below(std::size(values))]));
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

TEST(RandomCalls, AnswerOrRefuseAndStayWithinTheirMemory) {
  for (const std::string_view name : operators::known_operators()) {
    std::size_t answers = 0;
    for (unsigned seed = 0; seed < 400; ++seed) {
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
        answers += try_call(call, inputs) ? 1 : 0;
      } catch (const std::exception& error) {
        ADD_FAILURE() << name << ", seed " << seed << ": " << error.what();
      }
    }
    RecordProperty(std::string(name), static_cast<int>(answers));
  }
}

}  // namespace
}  // namespace lacuna::tests
