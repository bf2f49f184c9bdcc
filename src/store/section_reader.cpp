#include "store/section_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/mapped_file.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"

namespace lacuna::store {
namespace {

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

const char* name_of(Kind kind) { return kind == Kind::network ? "a network" : "inputs"; }

}  // namespace

SectionReader::SectionReader(const std::filesystem::path& file) : name_(file.string()) {
  auto mapping = base::MappedFile::open(file);
  bytes_ = mapping->bytes();
  owner_ = std::move(mapping);
  check_start();
}

SectionReader::SectionReader(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, std::string name)
    : bytes_(bytes), owner_(std::move(owner)), name_(std::move(name)) {
  check_start();
}

void SectionReader::fail(const std::string& sentence) const {
  throw InputError(name_, sentence + "; delete it to have it rebuilt from the text");
}

std::string SectionReader::key() const { return fmt::format("{:016x}-{:x}", header_.table_checksum, header_.file_bytes); }

void SectionReader::check_start() {
  const auto start = as_text(bytes_.first(std::min(bytes_.size(), magic.size())));
  const std::string_view expected(magic.data(), magic.size());
  if (start != expected)
    fail(fmt::format("is not a store: it starts with {}, expected {}", base::quote(start), base::quote(expected)));
  if (bytes_.size() < sizeof(Header))
    fail(fmt::format("is cut short: it has {} bytes, its header alone has {}", bytes_.size(), sizeof(Header)));
  std::memcpy(&header_, bytes_.data(), sizeof(header_));
  if (header_.version != version)
    fail(fmt::format("is of store version {}, but this release reads version {}", header_.version, version));
  if (header_.file_bytes != bytes_.size())
    fail(fmt::format("{}: it has {} bytes, but its header says {}",
                     bytes_.size() < header_.file_bytes ? "is cut short" : "has the wrong size", bytes_.size(),
                     header_.file_bytes));
}

void SectionReader::check(Kind expected, unsigned threads, Checksums checksums) {
  const auto compare = [&](const std::string& what, const void* data, std::size_t bytes, std::uint64_t stored) {
    if (checksums == Checksums::skip) return;
    const std::uint64_t found = checksum(data, bytes);
    if (found != stored) fail(fmt::format("{} is damaged: checksum {:016x}, expected {:016x}", what, found, stored));
  };
  compare("the header", &header_, offsetof(Header, checksum), header_.checksum);
  if (header_.kind != expected)
    throw InputError(name_, fmt::format("holds {}, but {} {} expected", name_of(header_.kind), name_of(expected),
                                        expected == Kind::network ? "was" : "were"));
  if (header_.table_offset > bytes_.size() || header_.table_bytes > bytes_.size() - header_.table_offset)
    fail(fmt::format("its table of {} bytes at {} is outside its {} bytes", header_.table_bytes, header_.table_offset,
                     bytes_.size()));
  compare("the table", bytes_.data() + header_.table_offset, header_.table_bytes, header_.table_checksum);
  read_table();
  check_gaps();
  base::parallel_for(threads, sections_.size(), [&](std::size_t k, unsigned) {
    const Section& section = sections_[k];
    compare(fmt::format("section {} of {}", k + 1, sections_.size()), bytes_.data() + section.offset, section.bytes,
            section.checksum);
  });
}

void SectionReader::read_table() {
  ByteReader table(bytes_.subspan(header_.table_offset, header_.table_bytes), name_);
  const auto count = table.get<std::uint32_t>();
  const auto records = table.take(count * sizeof(Section));
  sections_.resize(count);
  if (count > 0) std::memcpy(sections_.data(), records.data(), records.size());
  description_ = table.take(header_.table_bytes - sizeof(count) - records.size());
}

/// Sections follow each other from the header to the table, aligned, with less than one alignment of zeros between.
void SectionReader::check_gaps() const {
  std::uint64_t position = sizeof(Header);
  const auto go_to = [&](std::uint64_t next, const std::string& what) {
    if (next < position || next - position >= alignment || next % alignment != 0)
      fail(fmt::format("{} is at byte {}, expected the first multiple of {} from {}", what, next, alignment, position));
    const auto gap = bytes_.subspan(position, next - position);
    if (std::any_of(gap.begin(), gap.end(), [](std::byte b) { return b != std::byte{0}; }))
      fail(fmt::format("the gap before {} is damaged: found bytes that are not zero, expected zeros", what));
  };
  for (std::size_t k = 0; k < sections_.size(); ++k) {
    const Section& section = sections_[k];
    const std::string what = fmt::format("section {} of {}", k + 1, sections_.size());
    if (section.offset > header_.table_offset || section.bytes > header_.table_offset - section.offset)
      fail(fmt::format("{} has {} bytes at {}, which overlap the table at {}", what, section.bytes, section.offset,
                       header_.table_offset));
    go_to(section.offset, what);
    position = section.offset + section.bytes;
  }
  go_to(header_.table_offset, "the table");
  if (header_.table_offset + header_.table_bytes != bytes_.size())
    fail(fmt::format("ends at byte {}, expected {}", bytes_.size(), header_.table_offset + header_.table_bytes));
}

std::span<const std::byte> SectionReader::section(std::uint32_t number, std::size_t element_bytes) const {
  if (number >= sections_.size())
    fail(fmt::format("section {} was asked for, but there are {}", number, sections_.size()));
  const Section& section = sections_[number];
  if (section.bytes % element_bytes != 0)
    fail(fmt::format("section {} has {} bytes, which are no whole elements of {}", number + 1, section.bytes,
                     element_bytes));
  return bytes_.subspan(section.offset, section.bytes);
}

}  // namespace lacuna::store
