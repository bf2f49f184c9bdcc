// Dense tensors from files: NumPy's .npy and MNIST's .idx.
#pragma once

#include <lacuna/load.hpp>
#include <string>
#include <string_view>

namespace lacuna::frontends {

inline constexpr std::string_view npy_magic = "\x93NUMPY";

/// `bytes` is the whole file; `name` stands for it in messages. Throws InputError if it is broken, Unsupported for
/// kinds of elements or orders that are not read here.
Tensor read_npy(std::string_view bytes, const std::string& name);
Tensor read_idx(std::string_view bytes, const std::string& name);

TypedTensor read_typed_npy(std::string_view bytes, const std::string& name);

/// Everything of a .npy file (version 1.0) before the elements. Throws Unsupported for bfloat16.
std::string npy_head(ElementType type, const std::vector<std::size_t>& extents);

/// Either, by its first bytes.
Tensor read_tensor(std::string_view bytes, const std::string& name);

/// Product of the extents. Throws InputError unless `bytes` is exactly that many elements: so no size that a file
/// claims is believed before the file itself bears it out.
std::size_t count_elements(const std::vector<std::size_t>& shape, std::size_t element_bytes, std::size_t bytes,
                           const std::string& name);

}  // namespace lacuna::frontends
