#include "frontends/onnx/builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "frontends/onnx/names.hpp"
#include "operators/operators.hpp"

namespace lacuna::frontends::onnx {

void Builder::define(std::string_view name, ValueId id) {
  if (!by_name_.emplace(name, id).second) throw InputError(fmt::format("two values are called {}", quote_name(name)));
}

const ValueId* Builder::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &found->second;
}

std::string Builder::free_name(std::string_view wish) {
  std::string name(wish.empty() ? "value" : wish);
  for (std::size_t k = 2; !names_.insert(name).second; ++k) name = fmt::format("{}.{}", wish, k);
  return name;
}

ValueId Builder::add(Value value) {
  value.name = free_name(value.name);
  network_.values.push_back(std::move(value));
  return static_cast<ValueId>(network_.values.size() - 1);
}

ValueId Builder::add_input(std::string_view name, ElementType type, Shape shape) {
  inputs_.push_back(add({.name = std::string(name), .shape = std::move(shape), .type = type}));
  define(name, inputs_.back());
  return inputs_.back();
}

ValueId Builder::add_constant(Value constant) { return add(std::move(constant)); }

ValueId Builder::fold(const Call& call, const std::vector<ValueId>& inputs, Value value) {
  const std::uint64_t bytes = value.shape.size() * size_of(value.type);
  memory_.take(bytes);
  std::vector<operators::TensorView> views;
  for (const ValueId id : inputs) {
    views.emplace_back();
    if (id == no_value) continue;
    const Value& input = this->value(id);
    static constexpr std::byte nothing{};  // an empty tensor is not a missing one
    views.back() = {input.type, &input.shape, input.constant.empty() ? &nothing : input.constant.data()};
  }
  std::vector<std::byte> elements(bytes);
  operators::evaluate(call, views, {value.type, value.shape}, elements.data());
  value.is_constant = true;
  value.constant = std::move(elements);
  return add(std::move(value));
}

ValueId Builder::emit(Call call, std::vector<ValueId> inputs, std::string_view name) {
  while (!inputs.empty() && inputs.back() == no_value) inputs.pop_back();
  std::vector<operators::Argument> arguments;
  for (const ValueId id : inputs) {
    arguments.emplace_back();
    if (id == no_value) continue;
    const Value& input = value(id);
    arguments.back() = {&input.shape, input.type, input.is_constant ? &input.constant : nullptr};
  }
  operators::Signature signature = operators::infer(call, arguments);
  check_size(signature.shape);
  Value output{.name = std::string(name), .shape = std::move(signature.shape), .type = signature.type};
  const bool is_fixed = !inputs.empty() && std::all_of(inputs.begin(), inputs.end(), [&](ValueId id) { return id == no_value || is_constant(id); });
  if (is_fixed) return fold(call, inputs, std::move(output));
  const ValueId id = add(std::move(output));
  network_.operators.push_back({std::move(call), std::move(inputs), id});
  return id;
}

ValueId Builder::emit(Conv conv, ValueId input, std::string_view name) {
  Shape shape = operators::infer(conv, this->shape(input));
  check_size(shape);
  const ValueId id = add({.name = std::string(name), .shape = std::move(shape)});
  network_.operators.push_back({std::move(conv), {input}, id});
  return id;
}

std::optional<std::vector<std::int64_t>> Builder::integers(ValueId id) const {
  if (!is_constant(id)) return std::nullopt;
  const Value& constant = value(id);
  const auto copy = [&]<typename T>(const T* from) { return std::vector<std::int64_t>(from, from + constant.shape.size()); };
  if (constant.type == ElementType::i64) return copy(reinterpret_cast<const std::int64_t*>(constant.constant.data()));
  if (constant.type == ElementType::i32) return copy(reinterpret_cast<const std::int32_t*>(constant.constant.data()));
  return std::nullopt;
}

/// An output keeps its name even where what gave it that name (an Identity, a Dropout) has vanished.
ValueId Builder::name_output(std::string_view name, ValueId id, std::unordered_set<std::uint32_t>& named) {
  Value& value = network_.values[static_cast<std::size_t>(id)];
  const bool is_input = std::find(inputs_.begin(), inputs_.end(), id) != inputs_.end();
  const bool is_first = named.insert(static_cast<std::uint32_t>(id)).second;
  if (value.name == name && is_first) return id;
  if (value.is_constant) {
    Value copy = value;
    copy.name = name;
    return add(std::move(copy));
  }
  if (is_input || !is_first) return emit(Call{"Identity", {}}, {id}, name);
  names_.erase(value.name);
  value.name = free_name(name);
  return id;
}

namespace {

/// Numbers the values that are read anew and leaves the others out.
void remove_unread_values(Network& network) {
  constexpr std::uint32_t unread = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> number(network.values.size(), unread);
  const auto read = [&](ValueId id) {
    if (id != no_value) number[static_cast<std::size_t>(id)] = 0;
  };
  for (const Operator& op : network.operators) {
    for (const ValueId id : op.inputs) read(id);
    read(op.output);
  }
  for (const ValueId id : network.all_inputs()) read(id);
  for (const ValueId id : network.all_outputs()) read(id);
  std::vector<Value> values;
  for (std::size_t k = 0; k < number.size(); ++k) {
    if (number[k] == unread) continue;
    number[k] = static_cast<std::uint32_t>(values.size());
    values.push_back(std::move(network.values[k]));
  }
  network.values = std::move(values);
  const auto renumber = [&](ValueId& id) {
    if (id != no_value) id = static_cast<ValueId>(number[static_cast<std::size_t>(id)]);
  };
  for (Operator& op : network.operators) {
    for (ValueId& id : op.inputs) renumber(id);
    renumber(op.output);
  }
  renumber(network.input);
  renumber(network.output);
  for (ValueId& id : network.other_inputs) renumber(id);
  for (ValueId& id : network.other_outputs) renumber(id);
}

/// An operator may have lost its readers when they were folded or simplified.
void remove_unread_operators(Network& network) {
  std::vector<bool> read(network.values.size(), false);
  for (const ValueId id : network.all_outputs()) read[static_cast<std::size_t>(id)] = true;
  for (auto op = network.operators.rbegin(); op != network.operators.rend(); ++op)
    if (read[static_cast<std::size_t>(op->output)])
      for (const ValueId id : op->inputs)
        if (id != no_value) read[static_cast<std::size_t>(id)] = true;
  std::erase_if(network.operators, [&](const Operator& op) { return !read[static_cast<std::size_t>(op.output)]; });
}

}  // namespace

Network Builder::finish(const std::vector<std::string_view>& outputs) {
  std::unordered_set<std::uint32_t> named;
  std::vector<ValueId> ids;
  for (const std::string_view name : outputs) ids.push_back(name_output(name, *find(name), named));
  network_.input = inputs_.front();
  network_.other_inputs.assign(inputs_.begin() + 1, inputs_.end());
  network_.output = ids.front();
  network_.other_outputs.assign(ids.begin() + 1, ids.end());
  remove_unread_operators(network_);
  remove_unread_values(network_);
  return std::move(network_);
}

}  // namespace lacuna::frontends::onnx
