// Files of neuroevolution with random changes: a reader refuses them with an error of the user's, or reads a graph that obeys the rules.
#include <gtest/gtest.h>

#include <lacuna/lacuna.hpp>
#include <random>

#include "frontends/neuro/load_neuro.hpp"
#include "frontends/neuro/read/readers.hpp"
#include "support/neuro_files.hpp"

namespace lacuna::tests {
namespace {

struct Seed {
  const char* name;
  frontends::GraphReader reader;
  std::string text;
};

std::vector<Seed> seeds() {
  const std::string nodes = json_node(7, "hidden", "gauss", "product") + "," + json_node(0, "output", "tanh", "sum", ", \"name\": \"\\u00e9\"");
  return {{"neat_python", frontends::read_neat_python, json_network("ctrnn", nodes, json_edge(-2, 7, "0.5") + "," + json_edge(7, 0, "-1e-3"))},
          {"sharpneat", frontends::read_sharpneat, std::string(sharpneat_network)},
          {"stanley", frontends::read_stanley, std::string(stanley_genome)},
          {"goneat_yaml", frontends::read_goneat_yaml, std::string(goneat_genome)},
          {"multineat", frontends::read_multineat, std::string(multineat_network)},
          {"graphml", frontends::read_graphml, std::string(graphml)},
          {"edge_lines", frontends::read_edge_lines, std::string(edge_lines)}};
}

std::string changed(std::string text, std::mt19937& dice) {
  const std::size_t changes = 1 + dice() % 4;
  for (std::size_t k = 0; k < changes && !text.empty(); ++k) {
    const std::size_t at = dice() % text.size();
    constexpr std::string_view likely = "0123456789-.e \n\t\"{}[]:,<>/@=#\\";
    switch (dice() % 5) {
      case 0: text[at] = static_cast<char>(dice()); break;
      case 1: text[at] = likely[dice() % likely.size()]; break;
      case 2: text.erase(at, 1 + dice() % 8); break;
      case 3: text.insert(at, text.substr(dice() % text.size(), dice() % 40)); break;
      default: text.resize(at); break;
    }
  }
  return text;
}

TEST(RandomChanges, OfGraphFilesAreRefusedOrRead) {
  for (const Seed& seed : seeds()) {
    std::mt19937 dice(7);
    int read = 0, refused = 0;
    for (int round = 0; round < 4000; ++round) {
      const std::string text = changed(seed.text, dice);
      try {
        std::vector<frontends::Member> members;
        members.push_back({"", "n", seed.reader(text, "n")});
        draw_svg(members[0].graph);
        frontends::network_of(std::move(members), "n", {});
        ++read;
      } catch (const InputError&) {
        ++refused;
      } catch (const Unsupported&) {
        ++refused;
      } catch (const std::exception& error) {
        FAIL() << seed.name << ": " << error.what() << "\n" << text;
      }
    }
    EXPECT_GT(read, 50) << seed.name;
    EXPECT_GT(refused, 1000) << seed.name;
  }
}

}  // namespace
}  // namespace lacuna::tests
