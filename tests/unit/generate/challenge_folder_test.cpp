#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <csignal>
#include <lacuna/error.hpp>
#include <lacuna/generate.hpp>
#include <lacuna/load.hpp>
#include <string>
#include <vector>

#include "generate/text_lines.hpp"
#include "support/temp_folder.hpp"

namespace lacuna::tests {
namespace {

Network one_layer(std::vector<Entry> entries, std::vector<float> bias,
                  Activation activation = Activation::clip(0, 32)) {
  Network network;
  network.input = network.add_value("input", Shape{{2}});
  network.output = network.add_value("l1", Shape{{2}});
  network.operators.push_back(
      {Linear{make_sparse_matrix(2, 2, entries), std::move(bias), activation}, {network.input}, network.output});
  return network;
}

TEST(WriteChallengeFolder, WritesTheOfficialTextSortedByOutput) {
  const TempFolder folder;
  write_challenge_folder(one_layer({{1, 0, 0.0625f}, {0, 0, 0.0625f}, {0, 1, 0.0625f}}, {-0.3f}), folder.path());
  EXPECT_EQ(folder.listing(), "n2-l1.tsv\n");
  EXPECT_EQ(read_file(folder / "n2-l1.tsv"), "1\t1\t6.250000e-02\n2\t1\t6.250000e-02\n1\t2\t6.250000e-02\n");
}

TEST(WriteChallengeFolder, WritesABiasFileWhereTheSizeDoesNotSayTheBias) {
  const TempFolder folder;
  write_challenge_folder(one_layer({{0, 0, 0.1f}, {1, 0, 1.0f / 3}}, {-0.25f, 0}), folder / "each");
  EXPECT_EQ(read_file(folder / "each/n2-l1.tsv"), "1\t1\t1.000000e-01\n1\t2\t0.33333334\n");
  EXPECT_EQ(read_file(folder / "each/n2-l1-bias.tsv"), "-0.25\n0\n");
  write_challenge_folder(one_layer({{0, 0, 1}}, {-0.5f}), folder / "one");
  EXPECT_EQ(read_file(folder / "one/n2-l1-bias.tsv"), "-0.5\n-0.5\n");
  write_challenge_folder(one_layer({{0, 0, 1}}, {}), folder / "none");
  EXPECT_EQ(read_file(folder / "none/n2-l1-bias.tsv"), "0\n0\n");
}

TEST(WriteChallengeFolder, LoadsBackAsTheSameNetwork) {
  const TempFolder folder;
  const Network radix = generate_radix({.neurons = 64, .layers = 5, .residues = {}});
  const Network general = generate_general({.neurons = 50, .layers = 3});
  write_challenge_folder(radix, folder / "radix");
  write_challenge_folder(general, folder / "general");
  LoadOptions options;
  options.use_store = false;
  EXPECT_EQ(hash(load(folder / "radix", options)), hash(radix));
  EXPECT_EQ(hash(load(folder / "general", options)), hash(general));
}

TEST(WriteChallengeFolder, TellsHowFarItIs) {
  const TempFolder folder;
  std::string told;
  write_challenge_folder(generate_radix({.neurons = 32, .layers = 3, .residues = {}}), folder.path(),
                         [&](std::string_view what, std::uint64_t done, std::uint64_t total) {
                           told += std::string(what) + ' ' + std::to_string(done) + '/' + std::to_string(total) + '\n';
                         });
  EXPECT_EQ(told, "writing layers 1/3\nwriting layers 2/3\nwriting layers 3/3\n");
}

TEST(WriteChallengeFolder, RefusesAFolderWithLayersOfAnotherNetwork) {
  const TempFolder folder;
  folder.write("n32-l4.tsv", "1\t1\t1\n");
  const Network network = generate_radix({.neurons = 32, .layers = 3, .residues = {}});
  EXPECT_EQ(
      message_of<InputError>([&] { write_challenge_folder(network, folder.path()); }),
      folder.path().string() + ": already holds n32-l4.tsv, which is not part of this network; give an empty folder");
  EXPECT_EQ(folder.listing(), "n32-l4.tsv\n");
}

TEST(WriteChallengeFolder, RefusesWhatTheFilesCannotSay) {
  const TempFolder folder;
  const auto message = [&](const Network& network) {
    return message_of<Unsupported>([&] { write_challenge_folder(network, folder.path()); });
  };
  EXPECT_EQ(message(one_layer({{0, 0, 1}}, {}, Activation::tanh())),
            "l1: challenge files imply the activation clip(0, 32), this layer has tanh");
  Network skip = one_layer({{0, 0, 1}}, {});
  skip.operators[0].inputs.push_back(skip.input);
  EXPECT_EQ(message(skip), "l1: challenge files hold a chain of linear layers without skip connections");
}

TEST(WriteChallengeFolder, SaysWhenTheFolderIsAFile) {
  const TempFolder folder;
  const auto file = folder.write("taken", "");
  EXPECT_EQ(message_of<DeviceError>([&] {
              write_challenge_folder(one_layer({{0, 0, 1}}, {}), file);
            }),
            file.string() + ": cannot be made a folder: Not a directory");
}

/// No file of this process may grow beyond `bytes`: a full disk for one test.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, signal_);
  }

 private:
  rlimit before_{};
  void (*signal_)(int);
};

TEST(WriteChallengeFolder, LeavesNothingBehindOnAFullDisk) {
  const TempFolder folder;
  const Network network = generate_radix({.neurons = 64, .layers = 2, .residues = {}});
  std::string message;
  {
    const FullDisk full(5000);
    message = message_of<DeviceError>([&] { write_challenge_folder(network, folder.path()); });
  }
  EXPECT_TRUE(message.ends_with(": cannot be written: File too large; what was there before is unchanged")) << message;
  EXPECT_EQ(folder.listing(), "");
}

TEST(WriteChallengeFolder, WritesWeightsThatReadBackExactly) {
  for (std::uint32_t bits = 1; bits < 0x7f000000; bits += 77777777) {
    const float weight = -std::bit_cast<float>(bits);
    const std::string text = generate::weight_text(weight);
    float back = 0;
    std::from_chars(text.data(), text.data() + text.size(), back);
    EXPECT_EQ(back, weight) << text;
  }
  EXPECT_EQ(generate::weight_text(1), "1.000000e+00");
  EXPECT_EQ(generate::weight_text(-0.1234567f), "-1.234567e-01");
  EXPECT_EQ(generate::weight_text(16777217.0f / 3), "5592405.5");
}

TEST(WriteInputs, WritesOneLineForEachOne) {
  const TempFolder folder;
  const std::vector<Entry> entries{{0, 1, 1}, {2, 0, 1}, {2, 9, 1}};
  write_inputs(make_sparse_matrix(4, 10, entries), folder / "inputs.tsv");
  EXPECT_EQ(read_file(folder / "inputs.tsv"), "1\t2\t1\n3\t1\t1\n3\t10\t1\n");
}

TEST(WriteInputs, LoadsBackAsTheSameInputs) {
  const TempFolder folder;
  const SparseMatrix inputs = generate_inputs({.neurons = 1024, .count = 3000, .images = {}});
  write_inputs(inputs, folder / "inputs.tsv");
  LoadOptions options;
  options.neurons = 1024;
  options.use_store = false;
  const SparseMatrix back = load_inputs(folder / "inputs.tsv", 3000, false, options);
  EXPECT_TRUE(std::ranges::equal(back.row_begin, inputs.row_begin));
  EXPECT_TRUE(std::ranges::equal(back.narrow_columns, inputs.narrow_columns));
}

TEST(WriteInputs, SaysWhereItCannotWrite) {
  const TempFolder folder;
  const auto file = folder / "missing/inputs.tsv";
  EXPECT_EQ(message_of<DeviceError>([&] { write_inputs({}, file); }),
            file.string() + ": cannot be written: No such file or directory; what was there before is unchanged");
}

}  // namespace
}  // namespace lacuna::tests
