// Elements of ONNX tensors: borrowed from the mapped file where they lie aligned, copied where not.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include <lacuna/network.hpp>

#include "base/mapped_file.hpp"
#include "frontends/onnx/proto.hpp"

namespace lacuna::frontends::onnx {

/// The most elements a value may have: no real tensor comes near, and products of extents stay far from overflow.
inline constexpr std::uint64_t max_elements = std::uint64_t{1} << 40;

/// Throws InputError for extents that are negative, beyond 32 bits, or too many elements together.
Shape make_shape(const std::vector<std::int64_t>& dims);
void check_size(const Shape& shape);

/// Of TensorProto::DataType. Throws Unsupported for strings, complex numbers and elements of less than a byte.
ElementType element_type(std::int64_t data_type);
std::int64_t data_type_of(ElementType type);

/// Where tensors get their memory from.
struct TensorMemory {
  std::shared_ptr<const void> file;     ///< keeps what is borrowed from the model alive
  std::filesystem::path folder;         ///< of the model: external data must be in it; empty: there is none
  std::uint64_t bytes_left = 0;         ///< that may still be made out of less: zeros of sparse tensors, folded constants
  std::map<std::string, std::shared_ptr<const base::MappedFile>> external{};

  /// Throws InputError when more is made than a file of its size may ask for.
  void take(std::uint64_t bytes);
};

/// A constant Value with its elements; the name is the tensor's. Throw InputError, Unsupported.
Value read_elements(const TensorProto& tensor, TensorMemory& memory);
Value read_elements(const SparseTensorProto& tensor, TensorMemory& memory);

/// The bytes of a tensor that is stored outside of the model, or nothing if it is not.
struct ExternalBytes {
  std::string_view bytes;
  std::shared_ptr<const void> owner;
};
std::optional<ExternalBytes> read_external(const TensorProto& tensor, TensorMemory& memory);

}  // namespace lacuna::frontends::onnx
