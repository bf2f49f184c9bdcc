#include "base/unpack.hpp"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <lacuna/error.hpp>
#include <limits>
#include <vector>

namespace lacuna::base {
namespace {

constexpr std::size_t packed_block = std::size_t{256} << 10;

/// What both unpackers share: packed bytes fetched block by block, and the two ways they can be bad.
class Unpacker : public ByteSource {
 public:
  Unpacker(std::unique_ptr<ByteSource> packed, std::string name, const char* kind)
      : packed_(std::move(packed)), name_(std::move(name)), kind_(kind), block_(packed_block) {}

  std::uint64_t consumed() const override { return packed_->consumed(); }

 protected:
  std::size_t fetch() { return packed_->read(block_.data(), block_.size()); }
  char* block() { return block_.data(); }

  [[noreturn]] void fail_short() const {
    throw InputError(name_, fmt::format("the {} data ends early: the file was cut short; get it again", kind_));
  }
  [[noreturn]] void fail_damaged(const char* reason) const {
    throw InputError(name_, fmt::format("the {} data is damaged ({}); get it again", kind_, reason));
  }

 private:
  std::unique_ptr<ByteSource> packed_;
  std::string name_;
  const char* kind_;
  std::vector<char> block_;
};

class GzipSource : public Unpacker {
 public:
  GzipSource(std::unique_ptr<ByteSource> packed, std::string name)
      : Unpacker(std::move(packed), std::move(name), "gzip") {
    constexpr int gzip_with_largest_window = 15 + 16;
    if (inflateInit2(&stream_, gzip_with_largest_window) != Z_OK) throw DeviceError("zlib: out of memory");
  }
  ~GzipSource() override { inflateEnd(&stream_); }

  std::size_t read(char* to, std::size_t size) override {
    const auto room = static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = room;
    while (stream_.avail_out == room && room > 0) {
      if (stream_.avail_in == 0 && !refill()) {
        if (!between_members_) fail_short();
        return 0;
      }
      if (between_members_) {
        inflateReset(&stream_);
        between_members_ = false;
      }
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_STREAM_END)
        between_members_ = true;
      else if (status != Z_OK && status != Z_BUF_ERROR)
        fail_damaged(stream_.msg != nullptr ? stream_.msg : "unknown reason");
    }
    return room - stream_.avail_out;
  }

 private:
  bool refill() {
    stream_.next_in = reinterpret_cast<Bytef*>(block());
    stream_.avail_in = static_cast<uInt>(fetch());
    return stream_.avail_in > 0;
  }

  z_stream stream_{};
  bool between_members_ = false;
};

class ZstdSource : public Unpacker {
 public:
  ZstdSource(std::unique_ptr<ByteSource> packed, std::string name)
      : Unpacker(std::move(packed), std::move(name), "Zstandard"), stream_(ZSTD_createDStream(), &ZSTD_freeDStream) {
    if (!stream_) throw DeviceError("zstd: out of memory");
  }

  std::size_t read(char* to, std::size_t size) override {
    ZSTD_outBuffer out{to, size, 0};
    while (out.pos == 0 && size > 0) {
      if (in_.pos == in_.size) {
        in_ = {block(), fetch(), 0};
        // A full output may leave unpacked bytes inside the stream, so an end of input still gets one call.
        if (in_.size == 0 && drained_) {
          if (expected_ != 0) fail_short();
          return 0;
        }
      }
      expected_ = ZSTD_decompressStream(stream_.get(), &out, &in_);
      if (ZSTD_isError(expected_)) fail_damaged(ZSTD_getErrorName(expected_));
      drained_ = out.pos < out.size;
    }
    return out.pos;
  }

 private:
  std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
  std::size_t expected_ = 0;  ///< 0: a frame is complete
  bool drained_ = true;
};

}  // namespace

std::unique_ptr<ByteSource> unpack_gzip(std::unique_ptr<ByteSource> packed, std::string name) {
  return std::make_unique<GzipSource>(std::move(packed), std::move(name));
}

std::unique_ptr<ByteSource> unpack_zstd(std::unique_ptr<ByteSource> packed, std::string name) {
  return std::make_unique<ZstdSource>(std::move(packed), std::move(name));
}

}  // namespace lacuna::base
