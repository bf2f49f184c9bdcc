#include "operators/attributes.hpp"

namespace lacuna::operators {
namespace {

template <typename T>
const T* find(const Call& call, std::string_view name, std::string_view kind) {
  const Attribute* const attribute = find_attribute(call, name);
  if (attribute == nullptr) return nullptr;
  const T* const value = std::get_if<T>(attribute);
  if (value == nullptr) {
    constexpr std::string_view kinds[] = {"an integer", "a number", "a text", "a list of integers", "a list of numbers"};
    fail(call, "the attribute {} is {}; expected {}", name, kinds[attribute->index()], kind);
  }
  return value;
}

}  // namespace

const Attribute* find_attribute(const Call& call, std::string_view name) {
  for (const auto& [attribute_name, attribute] : call.attributes)
    if (attribute_name == name) return &attribute;
  return nullptr;
}

std::int64_t integer_attribute(const Call& call, std::string_view name, std::int64_t otherwise) {
  const auto* const value = find<std::int64_t>(call, name, "an integer");
  return value == nullptr ? otherwise : *value;
}

float number_attribute(const Call& call, std::string_view name, float otherwise) {
  const auto* const value = find<float>(call, name, "a number");
  return value == nullptr ? otherwise : *value;
}

std::string_view text_attribute(const Call& call, std::string_view name, std::string_view otherwise) {
  const auto* const value = find<std::string>(call, name, "a text");
  return value == nullptr ? otherwise : std::string_view(*value);
}

std::vector<std::int64_t> integers_attribute(const Call& call, std::string_view name) {
  const auto* const value = find<std::vector<std::int64_t>>(call, name, "a list of integers");
  return value == nullptr ? std::vector<std::int64_t>() : *value;
}

bool flag_attribute(const Call& call, std::string_view name, bool otherwise) { return integer_attribute(call, name, otherwise ? 1 : 0) != 0; }

}  // namespace lacuna::operators
