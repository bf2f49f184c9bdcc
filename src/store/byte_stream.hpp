// The description part of a store: numbers and names, one after the other. Reading checks every bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <lacuna/error.hpp>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace lacuna::store {

class ByteWriter {
 public:
  template <typename Number>
  void put(Number number) {
    static_assert(std::is_trivially_copyable_v<Number>);
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof(number));
  }
  void put_text(std::string_view text) {
    put(static_cast<std::uint32_t>(text.size()));
    bytes_ += text;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class ByteReader {
 public:
  /// `name` is the file's, for messages.
  ByteReader(std::span<const std::byte> bytes, std::string_view name) : left_(bytes), name_(name) {}

  template <typename Number>
  Number get() {
    static_assert(std::is_arithmetic_v<Number>);
    Number number;
    std::memcpy(&number, take(sizeof(Number)).data(), sizeof(Number));
    return number;
  }
  std::string get_text() {
    const auto bytes = take(get<std::uint32_t>());
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  std::span<const std::byte> take(std::size_t count) {
    if (count > left_.size()) fail("ends early");
    const auto taken = left_.first(count);
    left_ = left_.subspan(count);
    return taken;
  }
  bool at_end() const { return left_.empty(); }

  [[noreturn]] void fail(std::string_view reason) const {
    throw InputError(name_, "its description " + std::string(reason) + "; delete it to have it rebuilt from the text");
  }

 private:
  std::span<const std::byte> left_;
  std::string_view name_;
};

}  // namespace lacuna::store
