#include "frontends/onnx/inputs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "frontends/onnx/names.hpp"

namespace lacuna::frontends::onnx {
namespace {

using Wishes = std::map<std::string, std::vector<std::size_t>>;

std::string show(const std::vector<Dimension>& dimensions) {
  std::vector<std::string> parts;
  for (const Dimension& dimension : dimensions)
    parts.push_back(dimension.value > 0 ? std::to_string(dimension.value) : dimension.symbol.empty() ? "?" : std::string(dimension.symbol));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

/// The shape that was asked for, where it fits the file's; another batch fits too.
std::vector<std::int64_t> wished_shape(const ValueProto& input, const std::vector<std::size_t>& wish) {
  const auto fail = [&] {
    throw InputError(fmt::format("input {} is {}, which the shape [{}] that was given does not fit", quote_name(input.name), show(*input.shape), fmt::join(wish, ", ")));
  };
  if (input.shape && input.shape->size() != wish.size()) fail();
  for (std::size_t axis = 1; input.shape && axis < wish.size(); ++axis)
    if (const std::int64_t fixed = (*input.shape)[axis].value; fixed > 0 && static_cast<std::size_t>(fixed) != wish[axis]) fail();
  std::vector<std::int64_t> dims;
  for (const std::size_t extent : wish) dims.push_back(static_cast<std::int64_t>(std::min<std::size_t>(extent, std::numeric_limits<std::int64_t>::max())));
  return dims;
}

[[noreturn]] void fail_open(const ValueProto& input, std::size_t axis) {
  const Dimension& dimension = (*input.shape)[axis];
  throw InputError(fmt::format("dimension {} of input {} is not fixed by the file ({}); give the shape of the input (--input-shape {}=..., LoadOptions::input_shapes), which is {}",
                               axis, quote_name(input.name), dimension.symbol.empty() ? "it has no name" : fmt::format("it is called {}", quote_name(dimension.symbol)), input.name,
                               show(*input.shape)));
}

std::vector<std::int64_t> file_shape(const ValueProto& input, std::uint32_t batch) {
  if (!input.shape)
    throw InputError(fmt::format("input {} has no shape in the file; give it (--input-shape {}=..., LoadOptions::input_shapes)", quote_name(input.name), input.name));
  std::vector<std::int64_t> dims;
  for (std::size_t axis = 0; axis < input.shape->size(); ++axis) {
    const std::int64_t fixed = (*input.shape)[axis].value;
    if (axis == 0 && (batch != 0 || fixed < 1))
      dims.push_back(batch != 0 ? batch : 1);
    else if (fixed < 1)
      fail_open(input, axis);
    else
      dims.push_back(fixed);
  }
  return dims;
}

void check_wishes(const Wishes& wishes, const std::vector<const ValueProto*>& inputs) {
  for (const auto& [name, unused] : wishes) {
    const auto is_it = [&wanted = name](const ValueProto* input) { return input->name == wanted; };
    if (std::any_of(inputs.begin(), inputs.end(), is_it)) continue;
    std::vector<std::string> names;
    for (const ValueProto* input : inputs) names.push_back(quote_name(input->name));
    throw InputError(fmt::format("a shape was given for the input {}, but the inputs are {}", quote_name(name), fmt::join(names, ", ")));
  }
}

std::vector<const ValueProto*> real_inputs(const GraphProto& graph) {
  std::unordered_set<std::string_view> constants;
  for (const TensorProto& tensor : graph.initializers) constants.insert(tensor.name);
  for (const SparseTensorProto& tensor : graph.sparse_initializers) constants.insert(tensor.values.name);
  std::vector<const ValueProto*> inputs;
  for (const ValueProto& input : graph.inputs)
    if (!constants.contains(input.name)) inputs.push_back(&input);
  return inputs;
}

/// By name, those given in order included.
Wishes all_wishes(const LoadOptions& options, const std::vector<const ValueProto*>& inputs) {
  check_wishes(options.input_shapes, inputs);
  Wishes wishes = options.input_shapes;
  if (options.shapes_in_order.size() > inputs.size())
    throw InputError(fmt::format("{} inputs were given, but the model has {}", options.shapes_in_order.size(), inputs.size()));
  for (std::size_t k = 0; k < options.shapes_in_order.size(); ++k) wishes.emplace(inputs[k]->name, options.shapes_in_order[k]);
  return wishes;
}

}  // namespace

void add_inputs(Builder& builder, const GraphProto& graph, const LoadOptions& options) {
  const std::vector<const ValueProto*> inputs = real_inputs(graph);
  const Wishes wishes = all_wishes(options, inputs);
  for (const ValueProto* input : inputs) {
    if (!input->is_tensor) throw Unsupported(fmt::format("input {} is no tensor; sequences, maps and optionals are not supported", quote_name(input->name)));
    const auto wish = wishes.find(std::string(input->name));
    const Shape shape = make_shape(wish == wishes.end() ? file_shape(*input, options.batch) : wished_shape(*input, wish->second));
    builder.add_input(input->name, element_type(input->data_type), shape);
    if (!input->shape || input->shape->empty() || builder.changed_batch().from != 0) continue;
    if (const std::int64_t fixed = (*input->shape)[0].value; fixed > 0 && fixed != shape.extents[0])
      builder.set_changed_batch({static_cast<std::uint32_t>(std::min<std::int64_t>(fixed, std::numeric_limits<std::uint32_t>::max())), shape.extents[0]});
  }
}

}  // namespace lacuna::frontends::onnx
