#include "frontends/onnx/node.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lacuna::frontends::onnx {
namespace {

auto lower(auto& attributes, std::string_view name) {
  return std::lower_bound(attributes.begin(), attributes.end(), name, [](const auto& entry, std::string_view wanted) { return entry.first < wanted; });
}

const Attribute* find(const Call& call, std::string_view name) {
  const auto found = lower(call.attributes, name);
  return found != call.attributes.end() && found->first == name ? &found->second : nullptr;
}

template <typename T>
T get(const Call& call, std::string_view name, T otherwise, std::string_view kind) {
  const Attribute* attribute = find(call, name);
  if (attribute == nullptr) return otherwise;
  if (const T* value = std::get_if<T>(attribute)) return *value;
  throw InputError(fmt::format("its attribute {} is not {}", name, kind));
}

}  // namespace

ValueId Node::required(std::size_t position) const {
  if (input(position) == no_value) throw InputError(fmt::format("its input {} is missing", position));
  return inputs[position];
}

bool Node::has(std::string_view attribute) const { return find(call, attribute) != nullptr; }

void Node::erase(std::string_view attribute) {
  std::erase_if(call.attributes, [&](const auto& entry) { return entry.first == attribute; });
}

void Node::set(std::string_view attribute, Attribute value) {
  erase(attribute);
  call.attributes.insert(lower(call.attributes, attribute), {std::string(attribute), std::move(value)});
}

std::int64_t Node::integer(std::string_view attribute, std::int64_t otherwise) const { return get<std::int64_t>(call, attribute, otherwise, "an integer"); }
float Node::number(std::string_view attribute, float otherwise) const { return get<float>(call, attribute, otherwise, "a number"); }
std::string Node::text(std::string_view attribute, std::string_view otherwise) const {
  return get<std::string>(call, attribute, std::string(otherwise), "a string");
}
std::vector<std::int64_t> Node::integers(std::string_view attribute) const { return get<std::vector<std::int64_t>>(call, attribute, {}, "a list of integers"); }
std::vector<float> Node::numbers(std::string_view attribute) const { return get<std::vector<float>>(call, attribute, {}, "a list of numbers"); }

std::string Node::name_of_part(std::string_view part) const {
  const auto named = std::find_if(outputs.begin(), outputs.end(), [](std::string_view name) { return !name.empty(); });
  return fmt::format("{}/{}", named == outputs.end() ? call.name : *named, part);
}

std::size_t resolve_axis(std::int64_t axis, std::size_t rank, bool may_be_end) {
  const auto signed_rank = static_cast<std::int64_t>(rank);
  const std::int64_t last = may_be_end ? signed_rank : signed_rank - 1;
  if (axis < -signed_rank || axis > last) throw InputError(fmt::format("axis {} is not one of the {} of its input", axis, rank));
  return static_cast<std::size_t>(axis < 0 ? axis + signed_rank : axis);
}

}  // namespace lacuna::frontends::onnx
