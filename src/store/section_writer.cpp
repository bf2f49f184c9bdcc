#include "store/section_writer.hpp"

#include <bit>
#include <lacuna/error.hpp>
#include <string>

namespace lacuna::store {

SectionWriter::SectionWriter(const std::filesystem::path& file, Kind kind, const Fingerprint& fingerprint)
    : file_(file) {
  static_assert(std::endian::native == std::endian::little,
                "stores are little-endian; this machine needs a swapping writer");
  header_.magic = magic;
  header_.version = version;
  header_.kind = kind;
  header_.fingerprint = fingerprint;
  const Header placeholder;
  file_.write(&placeholder, sizeof(placeholder));
}

void SectionWriter::align() {
  constexpr std::array<char, alignment> zeros{};
  const std::uint64_t over = file_.position() % alignment;
  if (over != 0) file_.write(zeros.data(), alignment - over);
}

std::uint32_t SectionWriter::add(std::span<const std::byte> bytes) {
  align();
  sections_.push_back({file_.position(), bytes.size(), checksum(bytes.data(), bytes.size())});
  file_.write(bytes.data(), bytes.size());
  return static_cast<std::uint32_t>(sections_.size() - 1);
}

void SectionWriter::finish(const ByteWriter& description) {
  align();
  ByteWriter table;
  table.put(static_cast<std::uint32_t>(sections_.size()));
  for (const Section& section : sections_) table.put(section);
  const std::string bytes = table.bytes() + description.bytes();
  header_.table_offset = file_.position();
  header_.table_bytes = bytes.size();
  header_.table_checksum = checksum(bytes.data(), bytes.size());
  file_.write(bytes.data(), bytes.size());
  header_.file_bytes = file_.position();
  header_.checksum = checksum(&header_, offsetof(Header, checksum));
  file_.rewrite(0, &header_, sizeof(header_));
  file_.commit();
}

}  // namespace lacuna::store
