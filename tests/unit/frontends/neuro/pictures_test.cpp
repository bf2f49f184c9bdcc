// Pictures and levels of neuron graphs.
#include <gtest/gtest.h>

#include <lacuna/neuro.hpp>
#include <pugixml.hpp>

#include "frontends/neuro/read/readers.hpp"
#include "support/neuro_files.hpp"

namespace lacuna::tests {
namespace {

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

bool is_xml(const std::string& text) { return static_cast<bool>(pugi::xml_document().load_string(text.c_str())); }

/// inputs -> n neurons, each reading the one before -> 1 output
NeuronGraph chain(std::uint32_t n) {
  std::string lines = "@inputs a\n@outputs y\na h0 1\n";
  for (std::uint32_t k = 1; k < n; ++k) lines += "h" + std::to_string(k - 1) + " h" + std::to_string(k) + " -0.5\n";
  return frontends::read_edge_lines(lines + "h" + std::to_string(n - 1) + " y 1\n", "chain");
}

TEST(Levels, AreTheLongestWays) {
  EXPECT_EQ(level_widths(frontends::read_edge_lines("a h 1\nh y 1\na y 1\na z 1\n", "n")), (std::vector<std::uint32_t>{2, 1}));
  EXPECT_EQ(level_widths(chain(100'000)).size(), 100'001u);  // no recursion
}

TEST(Levels, ACycleHasThemToo) {
  EXPECT_EQ(level_widths(frontends::read_edge_lines("@inputs a\n@outputs y\na h 1\nh g 1\ng h 1\ng y 1\ny y 1\n", "n")), (std::vector<std::uint32_t>{1, 1, 1}));
}

TEST(Pictures, ASmallGraphShowsEveryNodeWithItsName) {
  const std::string svg = draw_svg(frontends::read_edge_lines(edge_lines, "n"));
  EXPECT_TRUE(is_xml(svg));
  EXPECT_EQ(count(svg, "<title>"), 4u);
  EXPECT_EQ(count(svg, "<path d=\"M"), 4u + 2);  // and the two of the legend
  for (const char* name : {">a</text>", ">b</text>", ">h</text>", ">y</text>", "2 inputs, 1 hidden neuron, 1 output, 4 edges, feed forward"}) EXPECT_EQ(count(svg, name), 1u) << name;
}

TEST(Pictures, NamesAreSafe) {
  EXPECT_TRUE(is_xml(draw_svg(frontends::read_edge_lines("\"<&\\\"\" y 1\n", "n"))));
}

TEST(Pictures, ManyNodesHaveNoNames) {
  const std::string svg = draw_svg(chain(500));
  EXPECT_TRUE(is_xml(svg));
  EXPECT_EQ(count(svg, "<circle"), 502u + 3);
  EXPECT_EQ(count(svg, ">h7</text>"), 0u);
}

TEST(Pictures, VeryManyEdgesAreShownByLevel) {
  const std::string svg = draw_svg(chain(5000));
  EXPECT_TRUE(is_xml(svg));
  EXPECT_LT(svg.size(), 100'000u);
  EXPECT_EQ(count(svg, "<circle"), 0u);
  EXPECT_EQ(count(svg, "5000 levels of hidden neurons in 38 bars"), 1u);
}

TEST(Pictures, LoopsAndWaysBackAreDrawn) {
  const std::string svg = draw_svg(frontends::read_edge_lines("@update stepwise\n@inputs a\n@outputs y\na h 1\nh h 1\nh y 1\ny h -1\n", "n"));
  EXPECT_TRUE(is_xml(svg));
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(count(svg, "<path d=\"M"), 4u + 2);
}

}  // namespace
}  // namespace lacuna::tests
