// Levels as bars that hang from a line and the edges between them as arcs above it, for graphs that are too large to show each edge. Deep graphs have
// several levels to a bar.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "frontends/neuro/draw/picture.hpp"
#include "frontends/neuro/write/writers.hpp"

namespace lacuna::frontends {
namespace {

constexpr std::uint32_t most_bars = 40;
constexpr std::size_t most_arcs = 400;
constexpr double margin = 50, arcs_height = 250, bars_height = 200, below = 80;

std::string short_count(std::uint64_t count) {
  if (count < 10'000) return std::to_string(count);
  if (count < 10'000'000) return fmt::format("{:.3g}k", static_cast<double>(count) / 1e3);
  return fmt::format("{:.3g}M", static_cast<double>(count) / 1e6);
}

/// With the square root: counts go from 1 to millions.
double bar_height(std::uint64_t count, std::uint64_t largest) {
  return std::max(3.0, bars_height * std::sqrt(static_cast<double>(count) / static_cast<double>(std::max<std::uint64_t>(largest, 1))));
}

struct Traffic {
  std::uint32_t from;
  std::uint32_t to;
  std::uint64_t edges;
};

std::vector<Traffic> count_traffic(const NeuronGraph& graph, const std::vector<std::uint32_t>& bar_of, std::uint32_t bars) {
  std::vector<std::uint64_t> counts(std::size_t{bars} * bars, 0);
  for (std::uint32_t k = 0; k < graph.neurons.size(); ++k)
    for (std::size_t e = graph.edge_begin[k]; e < graph.edge_begin[k + 1]; ++e) ++counts[std::size_t{bar_of[graph.sources[e]]} * bars + bar_of[graph.inputs + k]];
  std::vector<Traffic> traffic;
  for (std::uint32_t from = 0; from < bars; ++from)
    for (std::uint32_t to = 0; to < bars; ++to)
      if (const std::uint64_t edges = counts[std::size_t{from} * bars + to]; edges != 0) traffic.push_back({from, to, edges});
  std::stable_sort(traffic.begin(), traffic.end(), [](const Traffic& a, const Traffic& b) { return a.edges > b.edges; });
  if (traffic.size() > most_arcs) traffic.resize(most_arcs);
  return traffic;
}

}  // namespace

std::string draw_levels(const NeuronGraph& graph) {
  std::vector<std::uint32_t> bar_of = columns_of(graph);
  std::uint32_t last = 1;
  for (const std::uint32_t column : bar_of) last = std::max(last, column);
  // Inputs and outputs have bars of their own; what lies between is divided evenly.
  const std::uint32_t hidden_levels = last - 1, hidden_bars = std::min(hidden_levels, most_bars - 2);
  for (std::uint32_t& column : bar_of)
    if (column != 0 && column != last)
      column = 1 + static_cast<std::uint32_t>(std::uint64_t{column - 1} * hidden_bars / hidden_levels);
    else if (column == last)
      column = hidden_bars + 1;
  const std::uint32_t bars = hidden_bars + 2;
  std::vector<std::uint64_t> widths(bars, 0);
  for (const std::uint32_t bar : bar_of) ++widths[bar];
  const std::uint64_t largest = *std::max_element(widths.begin(), widths.end());

  const double step = std::clamp(1300.0 / (bars - 1), 34.0, 220.0), bar_width = std::min(26.0, step * 0.4);
  const double width = std::max(2 * margin + step * (bars - 1), 560.0), height = margin + arcs_height + bars_height + below;
  const double left = (width - step * (bars - 1)) / 2, line = margin + arcs_height;
  const auto x_of = [&](std::uint32_t bar) { return left + step * bar; };
  std::string text = begin_svg(width, height);
  const auto out = std::back_inserter(text);

  const std::vector<Traffic> traffic = count_traffic(graph, bar_of, bars);
  const bool has_way_back = std::any_of(traffic.begin(), traffic.end(), [](const Traffic& arc) { return arc.to <= arc.from; });
  const double most = traffic.empty() ? 1 : static_cast<double>(traffic.front().edges);
  fmt::format_to(out, "<g fill=\"none\" stroke-opacity=\"0.35\">\n");
  for (const Traffic& arc : traffic) {
    const double x1 = x_of(arc.from), x2 = x_of(arc.to);
    const double thick = std::max(0.4, bar_width * std::sqrt(static_cast<double>(arc.edges) / most));
    const double peak = std::min(arcs_height, 26 + 0.42 * std::abs(x2 - x1)) / 0.75;  // a curve reaches three quarters of the way to its handles
    const double lean = arc.to == arc.from ? -step * 0.4 : (x2 - x1) * 0.12;
    fmt::format_to(out, "<path d=\"M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}\" stroke=\"{}\" stroke-width=\"{:.2f}\"><title>{} edges</title></path>\n", x1, line,
                   x1 + lean, line - peak, x2 - lean, line - peak, x2, line, arc.to > arc.from ? positive_colour : negative_colour, thick, arc.edges);
  }
  fmt::format_to(out, "</g>\n");

  for (std::uint32_t bar = 0; bar < bars; ++bar) {
    if (widths[bar] == 0) continue;
    const double tall = bar_height(widths[bar], largest);
    const std::string_view colour = bar == 0 ? input_colour : bar + 1 == bars ? output_colour : hidden_colour;
    fmt::format_to(out, "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"3\" fill=\"{}\" stroke=\"#404040\" stroke-width=\"0.8\"><title>{} nodes</title></rect>\n",
                   x_of(bar) - bar_width / 2, line, bar_width, tall, colour, widths[bar]);
    fmt::format_to(out, "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{}\" text-anchor=\"middle\" fill=\"#202020\">{}</text>\n", x_of(bar), line + tall + 14,
                   bars > 24 ? 9 : 12, short_count(widths[bar]));
  }
  fmt::format_to(out, "<text x=\"{:.0f}\" y=\"{:.0f}\" font-size=\"13\" fill=\"#404040\">{}</text>\n", margin, height - 34, xml_text(caption(graph)));
  fmt::format_to(out,
                 "<text x=\"{:.0f}\" y=\"{:.0f}\" font-size=\"12\" fill=\"#707070\">inputs, {} of hidden neurons{}, outputs; bars and arcs grow with the square root of nodes and edges{}</text>\n",
                 margin, height - 14, hidden_levels == 1 ? "1 level" : fmt::format("{} levels", hidden_levels),
                 hidden_bars < hidden_levels ? fmt::format(" in {} bars", hidden_bars) : std::string(),
                 has_way_back ? "; arcs to the same or an earlier bar in orange" : "");
  text += "</svg>\n";
  return text;
}

}  // namespace lacuna::frontends
