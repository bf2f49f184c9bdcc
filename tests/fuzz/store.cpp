// Stores: as they are, and with the start and size made right and no checksums, so that the parts behind them are
// reached.
#include <cstring>
#include <memory>
#include <vector>

#include "harness.hpp"
#include "store/matrix_store.hpp"
#include "store/network_store.hpp"

using namespace lacuna;

namespace {

void read(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, store::Checksums checksums) {
  fuzz::may_refuse([&] {
    store::SectionReader reader(bytes, owner, "fuzz.lstore");
    store::read_network(reader, 1, checksums);
  });
  fuzz::may_refuse([&] {
    store::SectionReader reader(bytes, owner, "fuzz.lstore");
    store::read_matrix(reader, checksums);
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Eight-byte words, because a mapping is aligned and the reader relies on it.
  const auto words = std::make_shared<std::vector<std::uint64_t>>(size / 8 + 1);
  if (size > 0) std::memcpy(words->data(), data, size);
  const std::span<std::byte> bytes = std::as_writable_bytes(std::span(*words)).first(size);
  read(bytes, words, store::Checksums::check);
  if (size < sizeof(store::Header)) return 0;
  store::Header header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  header.magic = store::magic;
  header.version = store::version;
  header.file_bytes = size;
  std::memcpy(bytes.data(), &header, sizeof(header));
  read(bytes, words, store::Checksums::skip);
  return 0;
}
