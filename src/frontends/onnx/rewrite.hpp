// A model file again, with some of its constants exchanged and everything else as it was, byte for byte.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "frontends/onnx/tensor.hpp"

namespace lacuna::frontends::onnx {

/// A constant of the file: an initialiser, or the value of a Constant node, by the name of the value.
struct Constant {
  std::string_view name;
  std::variant<TensorProto, SparseTensorProto> tensor;
  bool may_be_sparse = true;  ///< false where the file's operator set, or its being an input too, does not allow it

  bool is_sparse() const { return std::holds_alternative<SparseTensorProto>(tensor); }
};

/// The message of a TensorProto, or of a SparseTensorProto.
struct NewTensor {
  bool is_sparse = false;
  std::string message;
};

/// Gives nothing for a constant that stays.
using Exchange = std::function<std::optional<NewTensor>(const Constant& constant)>;

std::string rewrite_model(std::string_view file, const std::string& name, const Exchange& exchange);

/// The fields of `tensor` but for its elements, and these: so names and remarks stay.
NewTensor make_dense(const TensorProto& tensor, std::span<const std::byte> elements);
NewTensor make_dense(std::string_view name, const Value& value);

/// Leaves the zeros out; nothing if that takes more room than storing them. Indices are int64_data, whose numbers take as many bytes as they need.
std::optional<NewTensor> make_sparse(std::string_view name, const Value& value, std::uint64_t bytes_at_most);

/// The most bytes protobuf's readers take.
inline constexpr std::uint64_t max_file_bytes = (std::uint64_t{1} << 31) - 1;

/// Maps `from`, rewrites it and writes `to` at once or not at all. Gives the bytes written. Throws Unsupported beyond max_file_bytes.
struct FileSizes {
  std::uint64_t before = 0;
  std::uint64_t after = 0;
};
struct MappedModel {
  std::shared_ptr<const base::MappedFile> file;
  std::string_view bytes;
  std::string name;
  std::filesystem::path folder;
  TensorMemory memory() const;
};
MappedModel map_model(const std::filesystem::path& path);
FileSizes rewrite_file(const MappedModel& model, const std::filesystem::path& to, const Exchange& exchange);

}  // namespace lacuna::frontends::onnx
