// Builder: the Network while it grows. It knows the values by their ONNX names, infers types and shapes, and computes at once what does not
// depend on an input: that is how chains like Shape -> Gather -> Concat vanish.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <lacuna/error.hpp>
#include <lacuna/network.hpp>

#include "frontends/onnx/tensor.hpp"

namespace lacuna::frontends::onnx {

class Builder {
 public:
  explicit Builder(TensorMemory memory) : memory_(std::move(memory)) { network_.has_batch_in_shapes = true; }

  const Network& network() const { return network_; }
  const Value& value(ValueId id) const { return network_.value(id); }
  const Shape& shape(ValueId id) const { return value(id).shape; }
  TensorMemory& memory() { return memory_; }

  /// A value known by a name of the file.
  void define(std::string_view name, ValueId id);
  const ValueId* find(std::string_view name) const;
  bool has_inputs() const { return !inputs_.empty(); }

  ValueId add_input(std::string_view name, ElementType type, Shape shape);
  ValueId add_constant(Value constant);
  template <typename T>
  ValueId add_constant(std::string_view name, std::vector<std::uint32_t> extents, const std::vector<T>& elements) {
    const auto bytes = std::as_bytes(std::span(elements));
    return add_constant({.name = std::string(name), .shape = {std::move(extents)}, .type = element_type_of<T>, .is_constant = true,
                         .constant = std::vector<std::byte>(bytes.begin(), bytes.end())});
  }

  /// Appends the operator, whose output gets this name, or one like it if it is taken. Constant inputs give a constant. Throws InputError, Unsupported.
  ValueId emit(Call call, std::vector<ValueId> inputs, std::string_view name);
  ValueId emit(Conv conv, ValueId input, std::string_view name);

  /// The elements of a constant of 64-bit or 32-bit integers, or nothing if it is none.
  std::optional<std::vector<std::int64_t>> integers(ValueId id) const;

  /// When the network is made for another batch than the file: that of the file, and the new one.
  struct ChangedBatch {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
  };
  ChangedBatch changed_batch() const { return batch_; }
  void set_changed_batch(ChangedBatch batch) { batch_ = batch; }

  bool is_constant(ValueId id) const { return id != no_value && value(id).is_constant; }

  /// The network, without values that nobody reads.
  Network finish(const std::vector<std::string_view>& outputs);

 private:
  std::string free_name(std::string_view wish);
  ValueId add(Value value);
  ValueId fold(const Call& call, const std::vector<ValueId>& inputs, Value value);
  ValueId name_output(std::string_view name, ValueId id, std::unordered_set<std::uint32_t>& named);

  Network network_;
  TensorMemory memory_;
  std::unordered_map<std::string_view, ValueId> by_name_;
  std::unordered_set<std::string> names_;
  std::vector<ValueId> inputs_;
  ChangedBatch batch_;
};

}  // namespace lacuna::frontends::onnx
