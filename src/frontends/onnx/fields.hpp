// Fields of a protobuf message. protozero only asserts that a field has the type that is read; a file may lie, so here it is an InputError.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <protozero/pbf_reader.hpp>
#include <string_view>
#include <vector>

#include <lacuna/error.hpp>

namespace lacuna::frontends::onnx {

class Fields {
 public:
  explicit Fields(std::string_view message) : reader_(message.data(), message.size()) {}

  bool next() { return reader_.next(); }
  std::uint32_t tag() const { return reader_.tag(); }
  bool is_packed() const { return reader_.wire_type() == protozero::pbf_wire_type::length_delimited; }
  void skip() { reader_.skip(); }

  std::string_view bytes() {
    expect(protozero::pbf_wire_type::length_delimited);
    const auto view = reader_.get_view();
    return {view.data(), view.size()};
  }
  std::int64_t integer() {
    expect(protozero::pbf_wire_type::varint);
    return reader_.get_int64();
  }
  float single() {
    expect(protozero::pbf_wire_type::fixed32);
    return reader_.get_float();
  }
  double twofold() {
    expect(protozero::pbf_wire_type::fixed64);
    return reader_.get_double();
  }

  /// A repeated number, packed or not.
  template <typename Take>
  void integers(Take take) {
    if (!is_packed()) return take(integer());
    for (const std::int64_t number : reader_.get_packed_int64()) take(number);
  }
  template <typename Take>
  void singles(Take take) {
    if (!is_packed()) return take(single());
    for (const float number : reader_.get_packed_float()) take(number);
  }
  template <typename Take>
  void twofolds(Take take) {
    if (!is_packed()) return take(twofold());
    for (const double number : reader_.get_packed_double()) take(number);
  }

 private:
  void expect(protozero::pbf_wire_type type) const {
    if (reader_.wire_type() != type)
      throw InputError(fmt::format("field {} is of wire type {}, but {} was expected", tag(), static_cast<int>(reader_.wire_type()), static_cast<int>(type)));
  }

  protozero::pbf_reader reader_;
};

}  // namespace lacuna::frontends::onnx
