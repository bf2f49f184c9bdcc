// Plans of models that are remembered, and files of them that are damaged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "devices/cpu/isa.hpp"
#include "engine/tensors/choose.hpp"
#include "support/environment.hpp"
#include "support/temp_folder.hpp"
#include "support/tensor_network.hpp"

namespace lacuna::engine::tensors {
namespace {

using test::TensorNetwork;

class ChoicesRemembered : public testing::Test {
 protected:
  /// Whether nothing was timed. A convolution of few weights stays on planes, for which the kernel is remembered.
  bool is_remembered() {
    const Chosen chosen = choose_together(net_.network, {cpu::choose_isa(), 1, plan::KernelWish::table, Tune::fast});
    EXPECT_EQ(chosen.choices[0].world, World::planes);
    EXPECT_NE(chosen.choices[0].sparse, nullptr);
    return chosen.cache_note.find("are remembered in") != std::string::npos && chosen.cache_note.starts_with("these figures were measured before");
  }

  std::filesystem::path only_file() const { return std::filesystem::directory_iterator(folder_.path())->path(); }

  std::string text() const {
    std::stringstream all;
    all << std::ifstream(only_file()).rdbuf();
    return all.str();
  }

  void expect_measured_anew(const std::string& damaged) {
    std::ofstream(only_file()) << damaged;
    EXPECT_FALSE(is_remembered()) << damaged;
    EXPECT_TRUE(is_remembered()) << "the file was written again";
  }

  tests::TempFolder folder_;
  tests::Variable cache_{"LACUNA_CACHE", folder_.path().string()};
  TensorNetwork net_ = [] {
    TensorNetwork net({{1, 4, 9, 9}});
    net.conv(net.network.input, {.outputs = 8, .sparsity = 0.7});
    return net;
  }();
};

TEST_F(ChoicesRemembered, OnceTheyAreMeasured) {
  EXPECT_FALSE(is_remembered());
  EXPECT_TRUE(is_remembered());
}

TEST_F(ChoicesRemembered, HowManyRunsGoStripByStrip) {
  EXPECT_FALSE(is_remembered());
  std::istringstream good(text());
  std::string key, line, rest;
  std::getline(good, key);
  std::getline(good, line);
  std::getline(good, rest, '\0');
  std::istringstream words(line);
  std::string changed;
  std::string word;
  for (int k = 0; words >> word; ++k) changed += (k == 5 ? "2" : word) + " ";
  std::ofstream(only_file()) << key << '\n' << changed << '\n' << rest;
  EXPECT_EQ(choose_together(net_.network, {cpu::choose_isa(), 1, plan::KernelWish::table, Tune::fast}).arrangement, (Arrangement{Sharing::all, 2}));
}

TEST_F(ChoicesRemembered, DamagedFilesAreMeasuredAnew) {
  EXPECT_FALSE(is_remembered());
  const std::string good = text();
  expect_measured_anew(good.substr(0, good.size() / 2));
  expect_measured_anew("");
  for (const char* candidate : {"1 99 ", "1 -1 "}) {
    const std::size_t start = good.find("\n1 ") + 1;
    ASSERT_NE(start, 0) << good;
    const std::size_t end = good.find(' ', start + 2) + 1;
    expect_measured_anew(good.substr(0, start) + candidate + good.substr(end));
  }
}

}  // namespace
}  // namespace lacuna::engine::tensors
