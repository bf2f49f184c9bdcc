// gzip and Zstandard as byte sources over the packed bytes. Chosen by open_source (byte_source.hpp).
#pragma once

#include <memory>
#include <string>

#include "base/byte_source.hpp"

namespace lacuna::base {

/// Concatenated members are read one after the other, as gunzip does.
std::unique_ptr<ByteSource> unpack_gzip(std::unique_ptr<ByteSource> packed, std::string name);

std::unique_ptr<ByteSource> unpack_zstd(std::unique_ptr<ByteSource> packed, std::string name);

}  // namespace lacuna::base
