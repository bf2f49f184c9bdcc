// What the passes made is kept and found again; whatever is wrong with it, the answer is the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include <lacuna/lacuna.hpp>

#include "support/temp_folder.hpp"

namespace lacuna::tests {
namespace {

namespace fs = std::filesystem;

class SimplifiedStore : public testing::Test {
 protected:
  SimplifiedStore() {
    save_store(generate_radix({1024, 8, 1}), file_);
    network_ = load(file_, {}, &loaded_);
    options_.threads = 2;
    options_.panel_lanes = 16;
    options_.isa = "sse4";
    options_.simplified_store = folder_.path() / "small.lstore";
    options_.network_key = loaded_.key;
  }

  /// Compiles, and checks that the network is what the passes give without a store.
  SimplifyReport simplify() const {
    CompileOptions without = options_;
    without.simplified_store.clear();
    const Program program = compile(network_, options_);
    EXPECT_EQ(hash(program.network()), hash(compile(network_, without).network()));
    return program.simplified();
  }

  const TempFolder folder_;
  const fs::path file_ = folder_.path() / "network.lstore";
  LoadReport loaded_;
  Network network_;
  CompileOptions options_;
};

TEST_F(SimplifiedStore, TheSecondTimeItIsRead) {
  const SimplifyReport first = simplify();
  EXPECT_FALSE(first.from_store);
  EXPECT_EQ(first.store, options_.simplified_store);
  const SimplifyReport second = simplify();
  EXPECT_TRUE(second.from_store);
  EXPECT_EQ(second.note, "");
  EXPECT_LT(fs::file_size(options_.simplified_store), fs::file_size(file_));
}

TEST_F(SimplifiedStore, OtherPassesOrAnotherNetworkMakeItStale) {
  simplify();
  options_.optimise = "merge_equal_neurons";
  EXPECT_FALSE(simplify().from_store);
  EXPECT_TRUE(simplify().from_store);

  save_store(generate_radix({1024, 8, 2}), file_);
  network_ = load(file_, {}, &loaded_);
  EXPECT_NE(loaded_.key, options_.network_key);
  options_.network_key = loaded_.key;
  EXPECT_FALSE(simplify().from_store);
  EXPECT_TRUE(simplify().from_store);
}

TEST_F(SimplifiedStore, ChecksMadeAtRunTimeDoNotMakeItStale) {
  simplify();
  options_.optimise = "remove_unread_operators,fold_constant_neurons,remove_dead_neurons,merge_equal_neurons";
  EXPECT_TRUE(simplify().from_store);
}

TEST_F(SimplifiedStore, ADamagedOneIsMadeAnewAndSaidSo) {
  simplify();
  {
    std::fstream bytes(options_.simplified_store, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(static_cast<std::streamoff>(fs::file_size(options_.simplified_store) / 2));
    bytes.put('\x5a').put('\x5a').put('\x5a');
  }
  const SimplifyReport report = simplify();
  EXPECT_FALSE(report.from_store);
  EXPECT_THAT(report.note, testing::StartsWith("simplified anew: "));
  EXPECT_THAT(report.note, testing::HasSubstr("is damaged"));
  EXPECT_TRUE(simplify().from_store);

  fs::resize_file(options_.simplified_store, 100);
  EXPECT_THAT(simplify().note, testing::HasSubstr("is cut short"));
  std::ofstream(options_.simplified_store) << "something else";
  EXPECT_THAT(simplify().note, testing::HasSubstr("is not a store"));
}

TEST_F(SimplifiedStore, AFolderThatCannotBeWrittenIsSaidAndForgiven) {
  options_.simplified_store = folder_.path() / "nowhere" / "small.lstore";
  const SimplifyReport report = simplify();
  EXPECT_THAT(report.note, testing::StartsWith("no simplified store: "));
  EXPECT_TRUE(report.store.empty());
}

TEST_F(SimplifiedStore, ANetworkThatHardlyShrinksIsNotKept) {
  save_store(generate_general({.neurons = 128, .layers = 3}), file_);
  network_ = load(file_, {}, &loaded_);
  options_.network_key = loaded_.key;
  EXPECT_TRUE(simplify().store.empty());
  EXPECT_FALSE(fs::exists(options_.simplified_store));
}

TEST_F(SimplifiedStore, WithoutAKeyItIsRefused) {
  options_.network_key.clear();
  try {
    compile(network_, options_);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::EndsWith("cannot keep a simplified network without a key of the network it is made from; give network_key (LoadReport::key)"));
  }
}

TEST_F(SimplifiedStore, TheKeyIsTheSameHoweverTheNetworkWasLoaded) {
  const TempFolder text;
  write_challenge_folder(generate_radix({1024, 3, 1}), text.path());
  LoadReport first, second;
  load(text.path(), {}, &first);
  load(text.path(), {}, &second);
  EXPECT_TRUE(second.from_store);
  EXPECT_FALSE(first.key.empty());
  EXPECT_EQ(first.key, second.key);
  LoadReport again;
  load(second.store, {}, &again);
  EXPECT_EQ(again.key, first.key);
  LoadOptions without;
  without.use_store = false;
  load(text.path(), without, &again);
  EXPECT_EQ(again.key, "");
}

}  // namespace
}  // namespace lacuna::tests
