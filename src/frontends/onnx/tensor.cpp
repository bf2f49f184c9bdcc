#include "frontends/onnx/tensor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "frontends/onnx/fields.hpp"

namespace lacuna::frontends::onnx {

void check_size(const Shape& shape) {
  std::uint64_t elements = 1;
  for (const std::uint32_t extent : shape.extents) {
    if (extent == 0) return;
    if (elements > max_elements / extent) throw InputError(fmt::format("the shape {} has more than 2^40 elements", to_string(shape)));
    elements *= extent;
  }
}

Shape make_shape(const std::vector<std::int64_t>& dims) {
  Shape shape;
  for (const std::int64_t dim : dims) {
    if (dim < 0 || dim > std::numeric_limits<std::uint32_t>::max())
      throw InputError(fmt::format("the shape [{}] has an extent that is negative or beyond 32 bits", fmt::join(dims, ", ")));
    shape.extents.push_back(static_cast<std::uint32_t>(dim));
  }
  // A zero among huge extents makes nothing, but the product of the others must still not overflow for whoever multiplies in order.
  Shape without_zeros = shape;
  std::erase(without_zeros.extents, 0u);
  check_size(without_zeros);
  return shape;
}

namespace {

struct NamedType {
  std::int64_t data_type;
  ElementType type;
};
constexpr NamedType types[] = {{1, ElementType::f32},   {2, ElementType::u8},   {3, ElementType::i8},   {4, ElementType::u16},  {5, ElementType::i16},
                               {6, ElementType::i32},   {7, ElementType::i64},  {9, ElementType::boolean}, {10, ElementType::f16}, {11, ElementType::f64},
                               {12, ElementType::u32},  {13, ElementType::u64}, {16, ElementType::bf16}};

}  // namespace

ElementType element_type(std::int64_t data_type) {
  for (const NamedType& entry : types)
    if (entry.data_type == data_type) return entry.type;
  if (data_type == 8) throw Unsupported("elements that are strings are not supported");
  throw Unsupported(fmt::format("elements of ONNX data type {} are not supported; float32, float64, float16, bfloat16, integers of 8 to 64 bits and bool are", data_type));
}

std::int64_t data_type_of(ElementType type) {
  return std::find_if(std::begin(types), std::end(types), [&](const NamedType& entry) { return entry.type == type; })->data_type;
}

void TensorMemory::take(std::uint64_t bytes) {
  if (bytes > bytes_left) throw InputError(fmt::format("constants of this model grow beyond all measure: {} more bytes are asked for, {} are left", bytes, bytes_left));
  bytes_left -= bytes;
}

namespace {

/// Collects elements that come one by one, never more than were announced.
class Collector {
 public:
  Collector(std::size_t element_bytes, std::uint64_t elements, std::size_t message_bytes) : element_bytes_(element_bytes), elements_(elements) {
    bytes_.reserve(std::min<std::uint64_t>(elements, message_bytes) * element_bytes);  // an element takes a byte of the message at least
  }

  template <typename T>
  void add(T element) {
    if (bytes_.size() / element_bytes_ >= elements_) throw InputError(fmt::format("more than the {} elements of its shape are given", elements_));
    const auto* from = reinterpret_cast<const std::byte*>(&element);
    bytes_.insert(bytes_.end(), from, from + element_bytes_);  // little-endian: the low bytes of a wider integer
  }
  std::vector<std::byte> take() {
    if (bytes_.size() != elements_ * element_bytes_)
      throw InputError(fmt::format("{} elements are given, but its shape has {}", bytes_.size() / element_bytes_, elements_));
    return std::move(bytes_);
  }

 private:
  std::size_t element_bytes_;
  std::uint64_t elements_;
  std::vector<std::byte> bytes_;
};

bool is_integer_field(std::uint32_t tag, ElementType type) {
  switch (tag) {
    case 5: return size_of(type) <= 4 && type != ElementType::f32 && type != ElementType::u32;
    case 7: return type == ElementType::i64;
    case 11: return type == ElementType::u64 || type == ElementType::u32;
    default: return false;
  }
}

/// The typed fields: float_data, int32_data, ...
Array<std::byte> collect(const TensorProto& tensor, ElementType type, std::uint64_t elements) {
  Collector collector(size_of(type), elements, tensor.message.size());
  for (Fields fields(tensor.message); fields.next();) {
    const std::uint32_t tag = fields.tag();
    if (tag == 4 && type == ElementType::f32)
      fields.singles([&](float f) { collector.add(f); });
    else if (tag == 10 && type == ElementType::f64)
      fields.twofolds([&](double f) { collector.add(f); });
    else if (is_integer_field(tag, type))
      fields.integers([&](std::int64_t i) { collector.add(i); });
    else
      fields.skip();
  }
  return collector.take();
}

std::optional<std::string_view> find_raw_data(const TensorProto& tensor) {
  std::optional<std::string_view> raw;
  for (Fields fields(tensor.message); fields.next();)
    if (fields.tag() == 9)
      raw = fields.bytes();
    else
      fields.skip();
  return raw;
}

/// Nothing but 0 and 1 may be a bool.
Array<std::byte> tidy_booleans(const Array<std::byte>& bytes) {
  if (std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b <= std::byte{1}; })) return bytes;
  std::vector<std::byte> tidy(bytes.begin(), bytes.end());
  for (std::byte& b : tidy) b = std::byte{b != std::byte{0}};
  return tidy;
}

Array<std::byte> borrow_or_copy(std::string_view raw, ElementType type, std::uint64_t elements, const std::shared_ptr<const void>& owner) {
  if (raw.size() != elements * size_of(type))
    throw InputError(fmt::format("its data has {} bytes, but {} elements of {} take {}", raw.size(), elements, name_of(type), elements * size_of(type)));
  const std::span<const std::byte> bytes = std::as_bytes(std::span(raw));
  if (owner && reinterpret_cast<std::uintptr_t>(raw.data()) % size_of(type) == 0) return {bytes, owner};
  return std::vector<std::byte>(bytes.begin(), bytes.end());
}

}  // namespace

Value read_elements(const TensorProto& tensor, TensorMemory& memory) {
  Value value{.name = std::string(tensor.name), .shape = make_shape(tensor.dims), .type = element_type(tensor.data_type), .is_constant = true};
  const std::uint64_t elements = value.shape.size();
  if (const auto external = read_external(tensor, memory))
    value.constant = borrow_or_copy(external->bytes, value.type, elements, external->owner);
  else if (const auto raw = find_raw_data(tensor); raw && (!raw->empty() || elements == 0))
    value.constant = borrow_or_copy(*raw, value.type, elements, memory.file);
  else
    value.constant = collect(tensor, value.type, elements);
  if (value.type == ElementType::boolean) value.constant = tidy_booleans(value.constant);
  return value;
}

namespace {

/// The place of nonzero number `k` in row-major order; indices are linear, or one for each axis.
std::uint64_t place_of(std::size_t k, std::span<const std::int64_t> indices, bool is_linear, const Shape& shape) {
  const auto check = [&](std::int64_t index, std::uint64_t bound) {
    if (index < 0 || static_cast<std::uint64_t>(index) >= bound) throw InputError(fmt::format("index {} is not below {}", index, bound));
    return static_cast<std::uint64_t>(index);
  };
  if (is_linear) return check(indices[k], shape.size());
  const std::size_t rank = shape.extents.size();
  std::uint64_t place = 0;
  for (std::size_t axis = 0; axis < rank; ++axis) place = place * shape.extents[axis] + check(indices[k * rank + axis], shape.extents[axis]);
  return place;
}

}  // namespace

Value read_elements(const SparseTensorProto& tensor, TensorMemory& memory) {
  const Value nonzeros = read_elements(tensor.values, memory);
  const Value indices = read_elements(tensor.indices, memory);
  Value value{.name = nonzeros.name, .shape = make_shape(tensor.dims), .type = nonzeros.type, .is_constant = true};
  const std::uint64_t count = nonzeros.shape.size();
  const bool is_linear = indices.shape.extents.size() == 1;
  if (indices.type != ElementType::i64 || indices.shape.size() != (is_linear ? count : count * value.shape.extents.size()))
    throw InputError(fmt::format("a sparse tensor of {} values has indices of shape {} and type {}; expected one int64 for each value, or one for each axis", count,
                                 to_string(indices.shape), name_of(indices.type)));
  const std::size_t element = size_of(value.type);
  memory.take(value.shape.size() * element);
  std::vector<std::byte> dense(value.shape.size() * element);
  const std::span<const std::int64_t> places(reinterpret_cast<const std::int64_t*>(indices.constant.data()), indices.shape.size());
  for (std::size_t k = 0; k < count; ++k)
    std::memcpy(dense.data() + place_of(k, places, is_linear, value.shape) * element, nonzeros.constant.data() + k * element, element);
  value.constant = std::move(dense);
  return value;
}

}  // namespace lacuna::frontends::onnx
