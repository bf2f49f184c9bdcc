// NumPy's format: magic, version, length of the head, the head (a Python dictionary in ASCII), the values.
#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <cstring>
#include <lacuna/error.hpp>
#include <optional>

#include "base/text.hpp"
#include "frontends/tensor/tensor_file.hpp"

namespace lacuna::frontends {
namespace {

std::string_view trim_start(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\n"), text.size()));
  return text;
}

/// The text after `'key':` in the head.
std::string_view find_key(std::string_view head, std::string_view key, const std::string& name) {
  for (const char mark : {'\'', '"'}) {
    const std::string quoted = fmt::format("{}{}{}", mark, key, mark);
    const std::size_t at = head.find(quoted);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = trim_start(head.substr(at + quoted.size()));
    if (rest.starts_with(':')) return trim_start(rest.substr(1));
  }
  throw InputError(name, fmt::format("the head of this .npy file has no '{}': {}", key, base::quote(head)));
}

std::string_view element_kind(std::string_view head, const std::string& name) {
  const std::string_view value = find_key(head, "descr", name);
  const std::size_t end = value.empty() ? std::string_view::npos : value.find(value[0], 1);
  if (end == std::string_view::npos || (value[0] != '\'' && value[0] != '"'))
    throw Unsupported(fmt::format("{}: elements of kind {} are not read; save a plain array of numbers", name,
                                  base::quote(value.substr(0, 16))));
  return value.substr(1, end - 1);
}

std::vector<std::size_t> shape_of(std::string_view head, const std::string& name) {
  std::string_view value = find_key(head, "shape", name);
  const auto fail = [&] {
    throw InputError(name,
                     fmt::format("the shape of this .npy file is not a list of whole numbers: {}", base::quote(value)));
  };
  const std::size_t end = value.find(')');
  if (!value.starts_with('(') || end == std::string_view::npos) fail();
  std::string_view list = trim_start(value.substr(1, end - 1));
  std::vector<std::size_t> shape;
  while (!list.empty()) {
    std::size_t extent = 0;
    const auto [stop, error] = std::from_chars(list.data(), list.data() + list.size(), extent);
    if (error != std::errc{}) fail();
    shape.push_back(extent);
    list = trim_start(list.substr(static_cast<std::size_t>(stop - list.data())));
    if (list.empty()) break;
    if (list[0] != ',') fail();
    list = trim_start(list.substr(1));
  }
  return shape;
}

struct NamedKind {
  std::string_view kind;  ///< without the byte order
  ElementType type;
};
constexpr NamedKind kinds[] = {{"f4", ElementType::f32}, {"f8", ElementType::f64}, {"f2", ElementType::f16}, {"i1", ElementType::i8},
                               {"i2", ElementType::i16}, {"i4", ElementType::i32}, {"i8", ElementType::i64}, {"u1", ElementType::u8},
                               {"u2", ElementType::u16}, {"u4", ElementType::u32}, {"u8", ElementType::u64}, {"b1", ElementType::boolean}};

ElementType type_of(std::string_view kind, const std::string& name) {
  const bool foreign_order = kind.starts_with('>');
  for (const NamedKind& entry : kinds)
    if (!foreign_order && !kind.empty() && kind.substr(1) == entry.kind) return entry.type;
  throw Unsupported(fmt::format("{}: elements of kind {} are not read; save as float32 (numpy: array.astype('<f4'))", name, base::quote(kind)));
}

/// A file in parts: the elements are not looked at yet.
struct NpyFile {
  ElementType type;
  std::vector<std::size_t> shape;
  std::string_view data;
  std::string_view kind;
};

NpyFile take_apart(std::string_view bytes, const std::string& name) {
  const auto fail_short = [&] {
    throw InputError(name,
                     fmt::format("this .npy file is cut short: its head is longer than its {} bytes", bytes.size()));
  };
  constexpr std::size_t version_at = npy_magic.size();
  constexpr std::size_t length_at = version_at + 2;
  if (bytes.size() < length_at + 4) fail_short();
  const auto byte = [&](std::size_t k) { return std::size_t{static_cast<unsigned char>(bytes[k])}; };
  const std::size_t version = byte(version_at);
  if (version < 1 || version > 3)
    throw Unsupported(fmt::format("{}: .npy version {} is not read; versions 1 to 3 are", name, version));
  std::size_t length = byte(length_at) | byte(length_at + 1) << 8;
  std::size_t head_at = length_at + 2;
  if (version > 1) {
    length |= byte(length_at + 2) << 16 | byte(length_at + 3) << 24;
    head_at += 2;
  }
  if (length > bytes.size() - head_at) fail_short();
  const std::string_view head = bytes.substr(head_at, length);
  if (!find_key(head, "fortran_order", name).starts_with("False"))
    throw Unsupported(fmt::format("{}: Fortran order is not read; save numpy.ascontiguousarray(array)", name));
  NpyFile file;
  file.kind = element_kind(head, name);
  file.type = type_of(file.kind, name);
  file.shape = shape_of(head, name);
  file.data = bytes.substr(head_at + length);
  count_elements(file.shape, size_of(file.type), file.data.size(), name);
  return file;
}

template <typename T>
std::vector<float> convert(std::string_view data) {
  std::vector<float> values(data.size() / sizeof(T));
  for (std::size_t k = 0; k < values.size(); ++k) {
    T element;
    std::memcpy(&element, data.data() + k * sizeof(T), sizeof(T));
    values[k] = static_cast<float>(element);
  }
  return values;
}

std::vector<float> convert(const NpyFile& file, const std::string& name) {
  switch (file.type) {
    case ElementType::f32: return convert<float>(file.data);
    case ElementType::f64: return convert<double>(file.data);
    case ElementType::i8: return convert<std::int8_t>(file.data);
    case ElementType::i16: return convert<std::int16_t>(file.data);
    case ElementType::i32: return convert<std::int32_t>(file.data);
    case ElementType::i64: return convert<std::int64_t>(file.data);
    case ElementType::u8:
    case ElementType::boolean: return convert<std::uint8_t>(file.data);
    case ElementType::u16: return convert<std::uint16_t>(file.data);
    case ElementType::u32: return convert<std::uint32_t>(file.data);
    case ElementType::u64: return convert<std::uint64_t>(file.data);
    default:
      throw Unsupported(fmt::format("{}: elements of kind {} are not read here; save as float32 (numpy: array.astype('<f4'))", name, base::quote(file.kind)));
  }
}

}  // namespace

Tensor read_npy(std::string_view bytes, const std::string& name) {
  const NpyFile file = take_apart(bytes, name);
  return {file.shape, convert(file, name)};
}

TypedTensor read_typed_npy(std::string_view bytes, const std::string& name) {
  const NpyFile file = take_apart(bytes, name);
  const auto* data = reinterpret_cast<const std::byte*>(file.data.data());
  std::vector<std::byte> elements(data, data + file.data.size());
  if (file.type == ElementType::boolean)
    for (std::byte& element : elements) element = std::byte{element != std::byte{0}};
  return {file.type, file.shape, std::move(elements)};
}

std::string npy_head(ElementType type, const std::vector<std::size_t>& extents) {
  std::string_view kind;
  for (const NamedKind& entry : kinds)
    if (entry.type == type) kind = entry.kind;
  if (kind.empty()) throw Unsupported(fmt::format(".npy knows no {}; convert to float32", name_of(type)));
  std::string shape;
  for (const std::size_t extent : extents) shape += fmt::format("{}, ", extent);
  if (shape.ends_with(", ") && extents.size() > 1) shape.resize(shape.size() - 2);
  std::string head = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}", size_of(type) == 1 ? '|' : '<', kind, shape);
  constexpr std::size_t start = 10;  // magic, version, length of the head
  constexpr std::size_t alignment = 64;
  head.append(alignment - 1 - (start + head.size()) % alignment, ' ');
  head += '\n';
  std::string out(npy_magic);
  out += {'\x01', '\x00', static_cast<char>(head.size() & 0xff), static_cast<char>(head.size() >> 8)};
  return out + head;
}

}  // namespace lacuna::frontends
