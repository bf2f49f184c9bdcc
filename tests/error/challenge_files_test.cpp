// Wrong challenge files: the exact message for each, with file, line, column, both values and what to do.
#include <gtest/gtest.h>

#include <functional>
#include <lacuna/error.hpp>
#include <lacuna/load.hpp>

#include "support/packing.hpp"
#include "support/temp_folder.hpp"

namespace lacuna::tests {
namespace {

class ChallengeFiles : public testing::Test {
 protected:
  /// The message of loading one layer of four neurons from these bytes, without the folder's name.
  std::string layer_message(const std::string& bytes, const std::string& name = "n4-l1.tsv") {
    const TempFolder folder;
    folder.write(name, bytes);
    return load_message(folder);
  }

  std::string load_message(const TempFolder& folder, LoadOptions options = {}) {
    return without(folder, [&] { load(folder.path(), options); });
  }

  std::string inputs_message(const std::string& bytes, const std::string& name = "images.tsv") {
    const TempFolder folder;
    const auto file = folder.write(name, bytes);
    LoadOptions options;
    options.neurons = 4;
    return without(folder, [&] { load_inputs(file, 0, false, options); });
  }

  std::string truth_message(const std::string& bytes, const std::string& name = "truth.tsv") {
    const TempFolder folder;
    const auto file = folder.write(name, bytes);
    return without(folder, [&] { load_categories(file, 10); });
  }

  std::string without(const TempFolder& folder, const std::function<void()>& action) {
    std::string message = message_of<Error>(action);
    const std::string prefix = folder.path().string() + "/";
    if (message.starts_with(prefix)) message.erase(0, prefix.size());
    EXPECT_EQ(folder.listing().find(".lstore"), std::string::npos) << "a failed load must not leave a store";
    EXPECT_EQ(folder.listing().find(".part"), std::string::npos) << "a failed load must not leave a temporary";
    return message;
  }
};

TEST_F(ChallengeFiles, TruncatedLine) {
  EXPECT_EQ(layer_message("1\t2\t0.5\n3\t4\n"),
            "n4-l1.tsv:2:4: the line ends after 2 of 3 fields (row, column, value)");
  EXPECT_EQ(layer_message("1\t2\t0.5\n3\t"), "n4-l1.tsv:2:3: the line ends after 1 of 3 fields (row, column, value)");
}

TEST_F(ChallengeFiles, LettersInANumber) {
  EXPECT_EQ(layer_message("1\t2x\t0.5\n"), "n4-l1.tsv:1:3: column \"2x\" is not a whole number");
  EXPECT_EQ(layer_message("1\t2\t0.5\nl\t2\t0.5\n"), "n4-l1.tsv:2:1: row \"l\" is not a whole number");
  EXPECT_EQ(layer_message("1\t2\t0.5.1\n"), "n4-l1.tsv:1:5: value \"0.5.1\" is not a number");
  EXPECT_EQ(layer_message("1\t2\tO.5\n"), "n4-l1.tsv:1:5: value \"O.5\" is not a number");
  EXPECT_EQ(layer_message("1.0\t2\t3\n"), "n4-l1.tsv:1:1: row \"1.0\" is not a whole number");
  EXPECT_EQ(layer_message("\x7f"
                          "ELF\x01\n"),
            "n4-l1.tsv:1:1: row \"\\x7fELF\\x01\" is not a whole number");
}

TEST_F(ChallengeFiles, IndexOutsideTheLayer) {
  EXPECT_EQ(layer_message("1\t2\t1\n1\t0\t1\n"),
            "n4-l1.tsv:2:3: column 0 is outside layer 1 (4 neurons); Graph Challenge files count from 1");
  EXPECT_EQ(layer_message("0\t2\t1\n"),
            "n4-l1.tsv:1:1: row 0 is outside layer 1 (4 neurons); Graph Challenge files count from 1");
  EXPECT_EQ(layer_message("1\t5\t1\n"),
            "n4-l1.tsv:1:3: column 5 is outside layer 1 (4 neurons); Graph Challenge files count from 1");
  EXPECT_EQ(
      layer_message("99999999999999999999\t1\t1\n"),
      "n4-l1.tsv:1:1: row 99999999999999999999 is outside layer 1 (4 neurons); Graph Challenge files count from 1");
  EXPECT_EQ(layer_message("-1\t1\t1\n"),
            "n4-l1.tsv:1:1: row -1 is outside layer 1 (4 neurons); Graph Challenge files count from 1");
}

TEST_F(ChallengeFiles, ValueThatIsNotFinite) {
  for (const std::string value : {"nan", "-nan", "inf", "-inf", "NaN", "1e39", "-1e400"})
    EXPECT_EQ(layer_message("1\t2\t" + value + "\n"),
              "n4-l1.tsv:1:5: value \"" + value + "\" is not a finite 32-bit number");
}

TEST_F(ChallengeFiles, MoreFieldsThanExpected) {
  EXPECT_EQ(layer_message("1\t2\t1\t9\n"), "n4-l1.tsv:1:7: \"9\" comes after the 3 fields of a line");
}

TEST_F(ChallengeFiles, EntryGivenTwice) {
  EXPECT_EQ(layer_message("2\t1\t1\n1\t2\t1\n\n1\t3\t1\n1\t2\t5\n"),
            "n4-l1.tsv:5:1: row 1, column 2 was already given in line 2; keep one of them");
}

TEST_F(ChallengeFiles, MissingLayer) {
  const TempFolder folder;
  folder.write("n4-l1.tsv", "1\t1\t1\n");
  folder.write("n4-l3.tsv", "1\t1\t1\n");
  EXPECT_EQ(load_message(folder),
            "n4-l2.tsv: is missing: 3 layers are needed, and the folder holds 2 (the last is layer 3)");
  LoadOptions options;
  options.layers = 5;
  folder.write("n4-l2.tsv.gz", gzip("1\t1\t1\n"));
  EXPECT_EQ(load_message(folder, options),
            "n4-l4.tsv: is missing: 5 layers were asked for, and the folder holds 3 (the last is layer 3)");
}

TEST_F(ChallengeFiles, EmptyFile) {
  EXPECT_EQ(layer_message(""), "n4-l1.tsv: is empty; layer 1 needs at least one edge");
  EXPECT_EQ(layer_message("", "n4-l1.mtx"), "n4-l1.mtx: is empty; a Matrix Market file has at least two lines");
  EXPECT_EQ(
      layer_message("", "n4-l1.tsv.gz"),
      "n4-l1.tsv.gz: is no gzip file: it starts with nothing (it is empty); get it again, or rename it if it is plain");
  EXPECT_EQ(inputs_message(""), "images.tsv: is empty; inputs are lines of input, neuron and value");
  EXPECT_EQ(truth_message(""), "truth.tsv: is empty; a truth file lists the inputs that survive, one a line");
}

TEST_F(ChallengeFiles, DamagedPacking) {
  const std::string gz = gzip("1\t2\t0.5\n");
  EXPECT_EQ(layer_message(gz.substr(0, gz.size() - 3), "n4-l1.tsv.gz"),
            "n4-l1.tsv.gz: the gzip data ends early: the file was cut short; get it again");
  std::string flipped = gz;
  flipped[gz.size() - 6] = static_cast<char>(flipped[gz.size() - 6] ^ 1);
  EXPECT_EQ(layer_message(flipped, "n4-l1.tsv.gz"),
            "n4-l1.tsv.gz: the gzip data is damaged (incorrect data check); get it again");
  const std::string zst = zstd("1\t2\t0.5\n");
  EXPECT_EQ(layer_message(zst.substr(0, zst.size() - 3), "n4-l1.tsv.zst"),
            "n4-l1.tsv.zst: the Zstandard data ends early: the file was cut short; get it again");
  EXPECT_EQ(
      layer_message("1\t2\t0.5\n", "n4-l1.tsv.gz"),
      "n4-l1.tsv.gz: is no gzip file: it starts with \"1\\x092\\x09\"; get it again, or rename it if it is plain");
}

TEST_F(ChallengeFiles, FolderWithSeveralNetworksOrNone) {
  const TempFolder folder;
  const std::string name = folder.path().string();
  folder.write("readme.txt", "hello");
  EXPECT_EQ(
      load_message(folder),
      name +
          ": holds no network; give a folder of challenge layers (n1024-l1.tsv, ...), a trained folder (weights/ and "
          "biases/), a binary store (.lstore), the text form (first line \"lacuna network\"), an ONNX model (.onnx), or networks of "
          "neuroevolution (.json, .net, .edges, .graphml, .yml, genomes; a folder or an archive of them)");
  folder.write("n4-l1.tsv", "1\t1\t1\n");
  folder.write("n8-l1.tsv", "1\t1\t1\n");
  EXPECT_EQ(load_message(folder), name + ": holds networks of 4 and 8 neurons; say which one");
  LoadOptions options;
  options.neurons = 16;
  EXPECT_EQ(load_message(folder, options), name + ": holds no layers of 16 neurons, but of 4 and 8");
}

TEST_F(ChallengeFiles, BiasFileOfTheWrongLength) {
  const TempFolder folder;
  folder.write("n4-l1.tsv", "1\t1\t1\n");
  folder.write("n4-l1-bias.tsv", "1\n2\n");
  EXPECT_EQ(load_message(folder), "n4-l1-bias.tsv: holds 2 biases for 4 neurons");
  folder.write("n4-l1-bias.tsv", "1\n2\nthree\n4\n");
  EXPECT_EQ(load_message(folder),
            "n4-l1-bias.tsv:3:1: \"three\" is not a finite 32-bit number, which is all a line holds here");
}

TEST_F(ChallengeFiles, BrokenMatrixMarket) {
  const auto message = [&](const std::string& bytes) { return layer_message(bytes, "n4-l1.mtx"); };
  const std::string banner = "%%MatrixMarket matrix coordinate real general\n";
  EXPECT_EQ(
      message("1 2 3\n"),
      "n4-l1.mtx:1:1: a Matrix Market file starts with \"%%MatrixMarket matrix coordinate real general\" or the like; "
      "this one starts with \"1 2 3\"");
  EXPECT_EQ(message(banner), "n4-l1.mtx: ends before the line of its sizes (rows, columns, entries)");
  EXPECT_EQ(message(banner + "4 4\n"), "n4-l1.mtx:2:1: expected the sizes (rows, columns, entries), found \"4 4\"");
  EXPECT_EQ(message(banner + "4 x 1\n"), "n4-l1.mtx:2:1: size \"x\" is not a whole number below 2^32");
  EXPECT_EQ(message(banner + "4 8 1\n1 1 1\n"), "n4-l1.mtx:2:1: the matrix is 4 x 8, but its name promises 4 x 4");
  EXPECT_EQ(message(banner + "4 4 2\n1 1 1\n"),
            "n4-l1.mtx: holds 1 entries, but its head promises 2; the file may be cut short");
  EXPECT_EQ(message(banner + "%\n4 4 1\n1 5 1\n"),
            "n4-l1.mtx:4:3: column 5 is outside layer 1 (4 neurons); Matrix Market files count from 1");
  EXPECT_EQ(message("%%MatrixMarket matrix coordinate real symmetric\n4 4 1\n1 1 1\n"),
            "n4-l1.mtx: symmetry \"symmetric\" is not read; write all entries and call it general");
  EXPECT_EQ(message("%%MatrixMarket matrix array real general\n4 4\n"),
            "n4-l1.mtx: \"array\" matrices are not read; write it in coordinate form");
}

TEST_F(ChallengeFiles, WrongInputs) {
  EXPECT_EQ(inputs_message("1\t5\t1\n"),
            "images.tsv:1:3: neuron 5 is outside the network (4 neurons); Graph Challenge files count from 1");
  EXPECT_EQ(inputs_message("0\t4\t1\n"),
            "images.tsv:1:1: input 0 is outside the inputs; Graph Challenge files count from 1");
}

TEST_F(ChallengeFiles, MoreInputsThanExpected) {
  const TempFolder folder;
  const auto file = folder.write("images.tsv", "1\t1\t1\n7\t1\t1\n");
  LoadOptions options;
  options.use_store = false;
  EXPECT_EQ(without(folder, [&] { load_inputs(file, 5, false, options); }),
            "images.tsv: holds inputs up to number 7, but 5 were expected");
}

TEST_F(ChallengeFiles, HostileSizesAreNotBelieved) {
  EXPECT_EQ(inputs_message("4000000000\t1\t1\n"),
            "images.tsv: speaks of 4000000000 inputs in 15 bytes; say how many inputs there are if this is right");
  EXPECT_EQ(inputs_message("%%MatrixMarket matrix coordinate pattern general\n4000000000 4 1\n1 1\n", "images.mtx"),
            "images.mtx: speaks of 4000000000 inputs in 68 bytes; say how many inputs there are if this is right");
}

TEST_F(ChallengeFiles, WrongTruthFile) {
  EXPECT_EQ(truth_message("3\n11\n"),
            "truth.tsv:2:1: input 11 is beyond the 10 inputs; is this the truth file of another run?");
  EXPECT_EQ(truth_message("0\n"), "truth.tsv:1:1: input 0 does not exist; truth files count from 1");
  EXPECT_EQ(truth_message("3\n4\n3\n"), "truth.tsv: input 3 is listed twice");
  EXPECT_EQ(truth_message("3\t1\n"),
            "truth.tsv:1:1: \"3\\x091\" is not the number of an input, which is all a line holds here");
  EXPECT_EQ(truth_message("%%MatrixMarket matrix coordinate pattern general\n20 2 1\n11 1\n", "truth.mtx"),
            "truth.mtx:2:1: a truth file has one column; this one has 2");
  EXPECT_EQ(truth_message("%%MatrixMarket matrix coordinate pattern general\n20 1 1\n11 1\n", "truth.mtx"),
            "truth.mtx:3:1: input 11 is beyond the 10 inputs; is this the truth file of another run?");
}

TEST_F(ChallengeFiles, ErrorFarIntoALargeFileNamesItsLine) {
  std::string text;
  for (int k = 0; k < 400000; ++k) text += "1\t1\t1\n";
  text += "1\t1\tx\n";
  const TempFolder folder;
  const auto file = folder.write("images.tsv", text);
  LoadOptions options;
  options.neurons = 4;
  options.threads = 2;
  EXPECT_EQ(without(folder, [&] { load_inputs(file, 0, false, options); }),
            "images.tsv:400001:5: value \"x\" is not a number");
}

TEST_F(ChallengeFiles, FileThatIsNotThere) {
  const TempFolder folder;
  EXPECT_EQ(without(folder, [&] { load_categories(folder / "none.tsv", 1); }),
            "none.tsv: cannot be opened: No such file or directory");
  EXPECT_EQ(without(folder, [&] { load_inputs(folder / "none.tsv", 1, false); }), "none.tsv: does not exist");
}

}  // namespace
}  // namespace lacuna::tests
