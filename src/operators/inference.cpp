#include "operators/inference.hpp"

namespace lacuna::operators {
namespace {

template <Types allowed, typename To>
std::vector<To> convert(ElementType type, std::span<const std::byte> bytes) {
  return with_type<allowed>(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::vector<To> values(bytes.size() / sizeof(T));
    for (std::size_t k = 0; k < values.size(); ++k) {
      T element;
      std::memcpy(&element, bytes.data() + k * sizeof(T), sizeof(T));
      values[k] = static_cast<To>(static_cast<Computed<T>>(element));
    }
    return values;
  });
}

void check_constant(const Inference& inference, std::size_t k, std::string_view what) {
  if (!inference.has(k)) fail(inference.call, "input {} ({}) is missing", k, what);
  if (inference.inputs[k].constant == nullptr)
    refuse(inference.call, "its input {} ({}) is known only at run time, and the output's shape depends on it; make it a constant", k, what);
  if (inference.rank(k) > 1) fail(inference.call, "input {} ({}) is {}; expected a list", k, what, describe(inference.shape(k)));
}

}  // namespace

Integers to_integers(ElementType type, std::span<const std::byte> bytes) { return convert<integers | booleans, std::int64_t>(type, bytes); }
std::vector<double> to_doubles(ElementType type, std::span<const std::byte> bytes) { return convert<all_types, double>(type, bytes); }

Integers Inference::integers(std::size_t k, std::string_view what) const {
  check_constant(*this, k, what);
  if (type(k) != ElementType::i64 && type(k) != ElementType::i32) fail(call, "input {} ({}) has elements of {}; expected i64 or i32", k, what, name_of(type(k)));
  return to_integers(type(k), inputs[k].constant->span());
}

std::vector<double> Inference::doubles(std::size_t k, std::string_view what) const {
  check_constant(*this, k, what);
  return to_doubles(type(k), inputs[k].constant->span());
}

void Inference::check_rank(std::size_t k, std::size_t wanted, std::string_view what) const {
  if (rank(k) != wanted) fail(call, "input {} ({}) is {}; expected {} axes", k, what, describe(shape(k)), wanted);
}

void Inference::check_same_type(std::size_t first, std::size_t as) const {
  for (std::size_t k = first; k < inputs.size(); ++k)
    if (has(k) && type(k) != type(as)) fail(call, "input {} has elements of {}, but input {} of {}", k, name_of(type(k)), as, name_of(type(as)));
}

}  // namespace lacuna::operators
