// ONNX models.
#pragma once

#include <filesystem>
#include <lacuna/load.hpp>
#include <memory>
#include <string>
#include <string_view>

namespace lacuna::frontends {

/// A model in memory. `owner` keeps it alive (null: what is needed of it is copied), `folder` is where its external data is (empty: nowhere), `name` stands
/// for it in messages; constants may take `growth` bytes beyond the file's own, for zeros of sparse tensors and what is computed while reading.
struct OnnxFile {
  std::string_view bytes;
  std::shared_ptr<const void> owner{};
  std::filesystem::path folder{};
  std::string name = "model.onnx";
  std::uint64_t growth = std::uint64_t{1} << 30;
};

/// The result passed verify. Throws InputError, Unsupported.
Network read_onnx(const OnnxFile& file, const LoadOptions& options = {});

Network load_onnx(const std::filesystem::path& path, const LoadOptions& options);

}  // namespace lacuna::frontends
