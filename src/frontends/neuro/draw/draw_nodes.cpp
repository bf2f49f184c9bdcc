// Nodes in columns, ordered so that edges cross less (each node towards the middle of its neighbours), edges as curves.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "frontends/neuro/draw/picture.hpp"
#include "frontends/neuro/write/writers.hpp"

namespace lacuna::frontends {
namespace {

struct Point {
  double x = 0;
  double y = 0;
};

class NodePicture {
 public:
  explicit NodePicture(const NeuronGraph& graph) : graph_(graph), column_(columns_of(graph)) {
    std::uint32_t last = 0;
    for (const std::uint32_t column : column_) last = std::max(last, column);
    columns_.resize(last + 1);
    for (std::uint32_t node = 0; node < graph.nodes(); ++node) columns_[column_[node]].push_back(node);
    columns_.erase(std::remove_if(columns_.begin(), columns_.end(), [](const auto& column) { return column.empty(); }), columns_.end());
    for (std::uint32_t k = 0; k < columns_.size(); ++k)
      for (const std::uint32_t node : columns_[k]) column_[node] = k;
  }

  std::string draw() {
    order_columns();
    choose_sizes();
    place_nodes();
    text_ = begin_svg(width_, height_);
    draw_edges();
    draw_discs();
    put("<text x=\"{:.0f}\" y=\"{:.0f}\" font-size=\"13\" fill=\"#404040\">{}</text>\n", margin, height_ - 14, xml_text(caption(graph_)));
    draw_legend();
    text_ += "</svg>\n";
    return std::move(text_);
  }

 private:
  static constexpr double margin = 40, below = 60;

  template <typename... Values>
  void put(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
  }

  /// Sorts each column by the mean place of its neighbours, forth and back a few times. Inputs and outputs stay in their order: people look for them there.
  void order_columns() {
    std::vector<double> place(graph_.nodes(), 0);
    const auto settle = [&](const std::vector<std::uint32_t>& column) {
      for (std::size_t k = 0; k < column.size(); ++k) place[column[k]] = (static_cast<double>(k) + 0.5) / static_cast<double>(column.size());
    };
    for (const auto& column : columns_) settle(column);
    for (int round = 0; round < 8; ++round) {
      std::vector<double> sum(graph_.nodes(), 0);
      std::vector<double> count(graph_.nodes(), 0);
      for (std::uint32_t k = 0; k < graph_.neurons.size(); ++k)
        for (std::size_t e = graph_.edge_begin[k]; e < graph_.edge_begin[k + 1]; ++e) {
          const std::uint32_t source = graph_.sources[e], target = graph_.inputs + k;
          sum[target] += place[source];
          sum[source] += place[target];
          ++count[target];
          ++count[source];
        }
      for (std::size_t k = 1; k + 1 < columns_.size(); ++k) {
        std::vector<std::uint32_t>& column = columns_[k];
        const auto wish = [&](std::uint32_t node) { return count[node] == 0 ? place[node] : sum[node] / count[node]; };
        std::stable_sort(column.begin(), column.end(), [&](std::uint32_t a, std::uint32_t b) { return wish(a) < wish(b); });
        settle(column);
      }
    }
  }

  void choose_sizes() {
    for (const auto& column : columns_) tallest_ = std::max(tallest_, column.size());
    const auto columns = static_cast<double>(columns_.size());
    has_names_ = tallest_ <= 30 && graph_.nodes() <= 150 && columns_.size() <= 25;
    step_x_ = std::clamp(1400 / std::max(columns - 1, 1.0), 28.0, 170.0);
    step_y_ = std::clamp(1100 / static_cast<double>(tallest_), 5.0, 64.0);
    radius_ = std::clamp(std::min(step_x_ * 0.2, step_y_ * 0.36), 1.8, 17.0);
    width_ = std::max(2 * margin + step_x_ * (columns - 1) + (has_names_ ? 60 : 0), 520.0);
    height_ = margin + below + step_y_ * static_cast<double>(tallest_);
  }

  void place_nodes() {
    places_.resize(graph_.nodes());
    const double left = (width_ - step_x_ * static_cast<double>(columns_.size() - 1)) / 2;
    const double tall = step_y_ * static_cast<double>(tallest_), middle = margin + tall / 2;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const auto count = static_cast<double>(columns_[c].size());
      const double spread = std::min(tall / count, std::max(tall * 0.2, step_y_));
      for (std::size_t k = 0; k < columns_[c].size(); ++k)
        places_[columns_[c][k]] = {left + step_x_ * static_cast<double>(c), middle + shift_of(c, tall - spread * count) + spread * (static_cast<double>(k) - (count - 1) / 2)};
    }
  }

  /// Columns with room to spare are not all in the middle: edges that skip them would run through their nodes. The golden ratio gives
  /// neighbours different heights, however many there are.
  double shift_of(std::size_t column, double room) const {
    constexpr double golden = 0.6180339887498949;
    if (column == 0 || column + 1 == columns_.size() || columns_.size() < 4) return 0;
    return room * 0.8 * (std::fmod(static_cast<double>(column) * golden, 1.0) - 0.5);
  }

  /// Thin first, so that strong edges lie on top.
  void draw_edges() {
    double largest = 0;
    for (const double weight : graph_.weights) largest = std::max(largest, std::abs(weight));
    std::vector<std::uint32_t> targets(graph_.weights.size());
    for (std::uint32_t k = 0; k < graph_.neurons.size(); ++k) std::fill(targets.begin() + graph_.edge_begin[k], targets.begin() + graph_.edge_begin[k + 1], graph_.inputs + k);
    std::vector<std::size_t> order(graph_.weights.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return std::abs(graph_.weights[a]) < std::abs(graph_.weights[b]); });
    const double thickest = std::clamp(radius_ * 0.34, 0.8, 4.5);
    const double opacity = graph_.weights.size() > 600 ? 0.45 : 0.7;
    put("<g fill=\"none\" stroke-linecap=\"round\" stroke-opacity=\"{}\">\n", opacity);
    for (const std::size_t e : order) {
      const double share = largest == 0 ? 0 : std::sqrt(std::abs(graph_.weights[e]) / largest);
      put("<path d=\"{}\" stroke=\"{}\" stroke-width=\"{:.2f}\"/>\n", curve(graph_.sources[e], targets[e]), graph_.weights[e] < 0 ? negative_colour : positive_colour,
          0.35 + thickest * share);
    }
    put("</g>\n");
  }

  std::string curve(std::uint32_t source, std::uint32_t target) const {
    const Point a = places_[source], b = places_[target];
    if (source == target)  // a loop above the node
      return fmt::format("M{0:.1f} {1:.1f}C{2:.1f} {3:.1f} {4:.1f} {3:.1f} {5:.1f} {1:.1f}", a.x - radius_ * 0.6, a.y - radius_ * 0.8, a.x - radius_ * 2.2,
                         a.y - radius_ * 3.2, a.x + radius_ * 2.2, a.x + radius_ * 0.6);
    if (column_[target] > column_[source]) {
      const double reach = (b.x - a.x) * 0.45;
      return fmt::format("M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", a.x, a.y, a.x + reach, a.y, b.x - reach, b.y, b.x, b.y);
    }
    const double out = step_x_ * 0.42, bow = a.y <= b.y ? -step_y_ * 0.5 : step_y_ * 0.5;  // back, around both
    return fmt::format("M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", a.x, a.y, a.x + out, a.y + bow, b.x - out, b.y + bow, b.x, b.y);
  }

  void draw_discs() {
    std::vector<bool> is_output(graph_.nodes(), false);
    for (const std::uint32_t node : graph_.outputs) is_output[node] = true;
    put("<g stroke=\"#404040\" stroke-width=\"{:.2f}\">\n", std::min(1.0, radius_ * 0.12));
    for (std::uint32_t node = 0; node < graph_.nodes(); ++node) {
      const std::string_view colour = node < graph_.inputs ? input_colour : is_output[node] ? output_colour : hidden_colour;
      put("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"{}\"><title>{}</title></circle>\n", places_[node].x, places_[node].y, radius_, colour, described(node));
    }
    put("</g>\n");
    if (!has_names_) return;
    put("<g fill=\"#202020\" text-anchor=\"middle\">\n");
    for (std::uint32_t node = 0; node < graph_.nodes(); ++node) draw_name(node);
    put("</g>\n");
  }

  /// In the disc if it fits there, else beside it: inputs to the left, outputs to the right, others below.
  void draw_name(std::uint32_t node) {
    const std::string name = graph_.name(node);
    const double size = std::clamp(radius_ * 0.8, 7.0, 12.0);
    const Point place = places_[node];
    if (static_cast<double>(name.size()) * size * 0.58 <= radius_ * 1.9) {
      put("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:.1f}\">{}</text>\n", place.x, place.y + size * 0.36, size, xml_text(name));
      return;
    }
    constexpr std::size_t longest = 16;
    const std::string shown = xml_text(name.size() <= longest ? name : ".." + name.substr(name.size() - longest + 2));
    const double beside = radius_ + 4;
    const bool is_first = column_[node] == 0, is_last = column_[node] + 1 == columns_.size();
    if (is_first || is_last)
      put("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", place.x + (is_first ? -beside : beside), place.y + size * 0.36, size,
          is_first ? "end" : "start", shown);
    else
      put("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:.1f}\">{}</text>\n", place.x, place.y + radius_ + size + 1, size, shown);
  }

  std::string described(std::uint32_t node) const {
    if (node < graph_.inputs) return xml_text(fmt::format("{}: input", graph_.name(node)));
    const Neuron& neuron = graph_.neurons[node - graph_.inputs];
    return xml_text(fmt::format("{}: {} of {}, bias {:.4g}", graph_.name(node), to_string(graph_.functions[neuron.function]), name_of(neuron.aggregation), neuron.bias));
  }

  void draw_legend() {
    double x = margin;
    const double y = height_ - 36;
    struct Entry {
      std::string_view colour, word;
      bool is_edge;
    };
    for (const Entry& entry : {Entry{input_colour, "inputs", false}, {hidden_colour, "hidden", false}, {output_colour, "outputs", false},
                               {positive_colour, "weight above 0", true}, {negative_colour, "below 0", true}}) {
      if (entry.is_edge)
        put("<path d=\"M{:.0f} {:.0f}h18\" stroke=\"{}\" stroke-width=\"3\"/>\n", x, y, entry.colour);
      else
        put("<circle cx=\"{:.0f}\" cy=\"{:.0f}\" r=\"6\" fill=\"{}\" stroke=\"#404040\" stroke-width=\"0.7\"/>\n", x + 8, y, entry.colour);
      put("<text x=\"{:.0f}\" y=\"{:.0f}\" font-size=\"12\" fill=\"#404040\">{}</text>\n", x + 24, y + 4, entry.word);
      x += 40 + 6.6 * static_cast<double>(entry.word.size());
    }
  }

  const NeuronGraph& graph_;
  std::vector<std::uint32_t> column_;
  std::vector<std::vector<std::uint32_t>> columns_;
  std::vector<Point> places_;
  std::size_t tallest_ = 1;
  double step_x_ = 0, step_y_ = 0, radius_ = 0, width_ = 0, height_ = 0;
  bool has_names_ = false;
  std::string text_;
};

}  // namespace

std::string draw_nodes(const NeuronGraph& graph) { return NodePicture(graph).draw(); }

}  // namespace lacuna::frontends
