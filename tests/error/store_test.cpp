// Damaged stores and full disks: the exact message, and nothing lost.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstring>
#include <lacuna/error.hpp>
#include <lacuna/generate.hpp>
#include <lacuna/load.hpp>
#include <lacuna/store.hpp>
#include <memory>
#include <vector>

#include "store/network_store.hpp"
#include "support/temp_folder.hpp"

namespace lacuna::tests {
namespace {

constexpr const char* advice = "; delete it to have it rebuilt from the text";

Network made_network(std::uint32_t layers = 2) {
  return generate_general({.neurons = 32, .layers = layers, .fan_in_low = 1, .fan_in_high = 4, .seed = 2});
}

class BadStore : public testing::Test {
 protected:
  BadStore() {
    save_store(made_network(), file_);
    bytes_ = read_file(file_);
  }

  /// The message of loading these bytes as a store, without the folder's name.
  std::string message(const std::string& bytes) {
    folder_.write("a.lstore", bytes);
    std::string message = message_of<InputError>([&] { load(file_); });
    const std::string prefix = folder_.path().string() + "/";
    return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
  }

  /// Whether these bytes are refused as a network, from memory: quick enough to try every byte.
  static bool refused(const std::string& bytes) {
    const auto words = std::make_shared<std::vector<std::uint64_t>>(bytes.size() / 8 + 1);  // aligned, as a mapping is
    std::memcpy(words->data(), bytes.data(), bytes.size());
    return !message_of<InputError>([&] {
              store::SectionReader reader(std::as_bytes(std::span(*words)).first(bytes.size()), words, "memory");
              store::read_network(reader, 1, store::Checksums::check);
            }).empty();
  }

  std::string with_header(auto change) {
    store::Header header;
    std::memcpy(&header, bytes_.data(), sizeof(header));
    change(header);
    std::string bytes = bytes_;
    std::memcpy(bytes.data(), &header, sizeof(header));
    return bytes;
  }

  TempFolder folder_;
  std::filesystem::path file_ = folder_ / "a.lstore";
  std::string bytes_;
};

TEST_F(BadStore, WithAFlippedByteAnywhereIsRefused) {
  ASSERT_FALSE(refused(bytes_));
  for (std::size_t k = 0; k < bytes_.size(); ++k) {
    std::string bytes = bytes_;
    bytes[k] = static_cast<char>(bytes[k] ^ 0x10);
    EXPECT_TRUE(refused(bytes)) << "byte " << k << " of " << bytes_.size();
  }
}

TEST_F(BadStore, CutShortAnywhereIsRefused) {
  for (std::size_t size = 0; size < bytes_.size(); ++size) EXPECT_TRUE(refused(bytes_.substr(0, size))) << size;
}

TEST_F(BadStore, WithAFlippedByteNamesTheSectionAndBothChecksums) {
  std::string bytes = bytes_;
  const std::uint64_t expected = store::checksum(bytes.data() + 128, 33 * 4);
  bytes[130] = static_cast<char>(bytes[130] ^ 1);
  const std::uint64_t found = store::checksum(bytes.data() + 128, 33 * 4);
  char sentence[200];
  std::snprintf(sentence, sizeof(sentence), "a.lstore: section 1 of 8 is damaged: checksum %016lx, expected %016lx%s",
                found, expected, advice);
  EXPECT_EQ(message(bytes), sentence);
}

TEST_F(BadStore, CutShortNamesBothSizes) {
  const std::size_t size = bytes_.size();
  EXPECT_EQ(message(bytes_.substr(0, size - 1)), "a.lstore: is cut short: it has " + std::to_string(size - 1) +
                                                     " bytes, but its header says " + std::to_string(size) + advice);
  EXPECT_EQ(message(bytes_.substr(0, 100)),
            std::string("a.lstore: is cut short: it has 100 bytes, its header alone has 128") + advice);
  EXPECT_EQ(message(bytes_ + "x"), "a.lstore: has the wrong size: it has " + std::to_string(size + 1) +
                                       " bytes, but its header says " + std::to_string(size) + advice);
}

TEST_F(BadStore, OfAnotherVersionNamesBoth) {
  EXPECT_EQ(message(with_header([](store::Header& header) { header.version = 2; })),
            std::string("a.lstore: is of store version 2, but this release reads version 1") + advice);
}

TEST_F(BadStore, WithADamagedHeaderSaysSo) {
  const std::string bytes = with_header([](store::Header& header) { header.table_offset += 64; });
  EXPECT_TRUE(message(bytes).starts_with("a.lstore: the header is damaged: checksum ")) << message(bytes);
}

TEST_F(BadStore, BesideTheTextIsNotOverwrittenSilently) {
  const TempFolder folder;
  write_challenge_folder(made_network(), folder.path());
  folder.write("n32-l2.lstore", "my precious notes");
  EXPECT_EQ(message_of<InputError>([&] { load(folder.path()); }),
            (folder / "n32-l2.lstore").string() +
                ": is not a store: it starts with \"my preci\", expected \"LACUNA\\x1a\\x0a\"" + advice);
  EXPECT_EQ(read_file(folder / "n32-l2.lstore"), "my precious notes");
}

TEST_F(BadStore, OfInputsIsNoNetwork) {
  const Entry entries[] = {{0, 0, 1.0f}};
  save_store(make_sparse_matrix(1, 1, entries), file_);
  EXPECT_EQ(message(read_file(file_)), "a.lstore: holds inputs, but a network was expected");
}

TEST_F(BadStore, TakesNoOptionsAgainstItsContents) {
  LoadOptions options;
  options.layers = 3;
  EXPECT_EQ(message_of<InputError>([&] { load(file_, options); }),
            file_.string() + ": has 2 layers, but 3 were asked for");
}

/// No file of this process may grow beyond `bytes`, as on a full disk: the write fails with "File too large".
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST(FullDisk, LeavesTheOldStoreAndNoTemporary) {
  const TempFolder folder;
  save_store(made_network(), folder / "a.lstore");
  const std::string before = read_file(folder / "a.lstore");
  std::string message;
  {
    const FileSizeLimit limit(4096);
    message = message_of<DeviceError>([&] { save_store(made_network(20), folder / "a.lstore"); });
  }
  EXPECT_EQ(message,
            (folder / "a.lstore").string() + ": cannot be written: File too large; what was there before is unchanged");
  EXPECT_EQ(read_file(folder / "a.lstore"), before);
  EXPECT_EQ(folder.listing(), "a.lstore\n");
}

TEST(FullDisk, DoesNotStopALoadFromText) {
  const TempFolder folder;
  const Network network = made_network(20);
  write_challenge_folder(network, folder.path());
  LoadReport report;
  std::uint64_t loaded = 0;
  {
    const FileSizeLimit limit(4096);
    loaded = hash(load(folder.path(), {}, &report));
  }
  EXPECT_EQ(loaded, hash(network));
  EXPECT_FALSE(report.from_store);
  EXPECT_TRUE(report.store.empty());
  EXPECT_EQ(report.note, "no store: " + (folder / "n32-l20.lstore").string() +
                             ": cannot be written: File too large; what was there before is unchanged");
  EXPECT_EQ(folder.listing().find("store"), std::string::npos);
}

}  // namespace
}  // namespace lacuna::tests
