// Text -> Network: the reverse of print.cpp, which shows the form. `#` starts a comment.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <map>

#include <lacuna/error.hpp>
#include <lacuna/network.hpp>

#include "network/activation_names.hpp"

namespace lacuna {
namespace {

/// Words of the text with their places. Punctuation `= { } [ ] ( ) , : *` and the end of a line are words of their own.
class Words {
 public:
  Words(std::string_view text, std::string_view name) : text_(text), name_(name) { advance(); }

  std::string_view peek() const { return word_; }
  bool at_end() const { return word_.empty(); }
  bool at_line_end() const { return word_ == "\n" || word_.empty(); }

  std::string_view take() {
    const std::string_view word = word_;
    advance();
    return word;
  }
  bool take_if(std::string_view wanted) {
    if (word_ != wanted) return false;
    advance();
    return true;
  }
  void expect(std::string_view wanted) {
    if (!take_if(wanted)) fail(fmt::format("expected {}, found {}", quoted(wanted), quoted(word_)));
  }
  void end_line() {
    if (!at_line_end()) fail(fmt::format("expected the end of the line, found {}", quoted(word_)));
    skip_line_ends();
  }
  void skip_line_ends() {
    while (word_ == "\n") advance();
  }

  template <typename Number>
  Number take_number(std::string_view what) {
    Number number{};
    const auto [end, error] = std::from_chars(word_.data(), word_.data() + word_.size(), number);
    if (error != std::errc{} || end != word_.data() + word_.size()) fail(fmt::format("expected {}, found {}", what, quoted(word_)));
    if constexpr (std::is_floating_point_v<Number>)
      if (!std::isfinite(number)) fail(fmt::format("{} is {}; it must be finite", what, number));
    advance();
    return number;
  }

  std::string_view take_name(std::string_view what) {
    if (at_line_end() || is_punctuation(word_[0])) fail(fmt::format("expected {}, found {}", what, quoted(word_)));
    return take();
  }

  [[noreturn]] void fail(const std::string& sentence) const { throw InputError(name_, line_, column_, sentence); }

 private:
  static bool is_punctuation(char c) { return std::string_view("={}[](),:*").find(c) != std::string_view::npos; }
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  static std::string quoted(std::string_view word) {
    if (word.empty()) return "the end of the text";
    return word == "\n" ? "the end of the line" : fmt::format("\"{}\"", word);
  }

  void advance() {
    if (word_ == "\n") {
      ++line_;
      line_start_ = position_;
    }
    while (position_ < text_.size() && is_blank(text_[position_])) ++position_;
    if (position_ < text_.size() && text_[position_] == '#')
      while (position_ < text_.size() && text_[position_] != '\n') ++position_;
    column_ = position_ - line_start_ + 1;
    std::size_t end = position_;
    if (end < text_.size()) {
      ++end;
      const char first = text_[position_];
      if (first != '\n' && !is_punctuation(first))
        while (end < text_.size() && text_[end] != '\n' && text_[end] != '#' && !is_blank(text_[end]) && !is_punctuation(text_[end])) ++end;
    }
    word_ = text_.substr(position_, end - position_);
    position_ = end;
  }

  std::string_view text_;
  std::string_view name_;
  std::string_view word_;
  std::size_t position_ = 0;
  std::size_t line_start_ = 0;
  std::uint64_t line_ = 1;
  std::uint64_t column_ = 1;
};

class Parser {
 public:
  Parser(std::string_view text, std::string_view name) : words_(text, name), name_(name) {}

  Network run() {
    words_.skip_line_ends();
    for (const char* word : {"lacuna", "network", "1"}) words_.expect(word);
    words_.end_line();
    words_.expect("input");
    const std::string_view input = words_.take_name("a name");
    network_.input = define(input, take_shape());
    words_.end_line();
    while (words_.peek() != "output") {
      if (words_.at_end()) words_.fail("the text ends without an output line");
      parse_operator();
      words_.end_line();
    }
    words_.expect("output");
    network_.output = take_value();
    words_.end_line();
    if (!words_.at_end()) words_.fail("text after the output line");
    try {
      verify(network_);
    } catch (const InputError& error) {
      throw InputError(name_, error.what());
    }
    return std::move(network_);
  }

 private:
  ValueId define(std::string_view name, Shape shape) {
    const auto [place, is_new] = ids_.try_emplace(std::string(name), ValueId{});
    if (!is_new) words_.fail(fmt::format("{} is defined twice", name));
    return place->second = network_.add_value(std::string(name), std::move(shape));
  }

  ValueId take_value() {
    const auto place = ids_.find(std::string(words_.peek()));
    if (place == ids_.end()) words_.fail(fmt::format("no value is called \"{}\" here", words_.at_line_end() ? "" : words_.peek()));
    words_.take();
    return place->second;
  }

  bool value_follows() const { return ids_.contains(std::string(words_.peek())); }

  Shape take_shape() {
    Shape shape;
    const std::string word(words_.take_name("a number of neurons"));
    const char* at = word.data();
    const char* const end = at + word.size();
    while (true) {
      std::uint32_t extent = 0;
      const auto [next, error] = std::from_chars(at, end, extent);
      if (error != std::errc{} || extent == 0) words_.fail(fmt::format("\"{}\" is not a shape; write 1024 or 64x56x56", word));
      shape.extents.push_back(extent);
      if (next == end) return shape;
      if (*next != 'x') words_.fail(fmt::format("\"{}\" is not a shape; write 1024 or 64x56x56", word));
      at = next + 1;
    }
  }

  Activation take_activation() {
    for (const ActivationName& entry : activation_names) {
      if (!words_.take_if(entry.name)) continue;
      Activation activation{entry.kind};
      if (entry.parameters > 0) {
        words_.expect("(");
        activation.first = words_.take_number<float>("a number");
        if (entry.parameters > 1) {
          words_.expect(",");
          activation.second = words_.take_number<float>("a number");
        }
        words_.expect(")");
      }
      return activation;
    }
    words_.fail(fmt::format("expected an activation, found \"{}\"", words_.at_line_end() ? "" : words_.peek()));
  }

  Array<float> take_bias() {
    std::vector<float> bias;
    if (!words_.take_if("bias")) return bias;
    if (!words_.take_if("[")) return std::vector<float>{words_.take_number<float>("a bias")};
    while (!words_.take_if("]")) bias.push_back(words_.take_number<float>("a bias"));
    return bias;
  }

  std::vector<Entry> take_rows() {
    std::vector<Entry> entries;
    words_.expect("{");
    words_.end_line();
    while (!words_.take_if("}")) {
      const auto row = words_.take_number<std::uint32_t>("a row");
      words_.expect(":");
      while (!words_.at_line_end()) {
        const auto column = words_.take_number<std::uint32_t>("a source");
        words_.expect("*");
        entries.push_back({row, column, words_.take_number<float>("a weight")});
      }
      words_.end_line();
    }
    return entries;
  }

  void parse_operator() {
    const std::string_view name = words_.take_name("a name");
    words_.expect("=");
    if (words_.take_if("linear")) return parse_linear(name);
    if (words_.take_if("add")) return parse_add(name);
    words_.fail(fmt::format("unknown operator \"{}\"; this release knows linear and add", words_.at_line_end() ? "" : words_.peek()));
  }

  void parse_linear(std::string_view name) {
    Operator op{Linear{}, {take_value()}, ValueId{}};
    auto& linear = std::get<Linear>(op.operation);
    while (words_.take_if("add")) op.inputs.push_back(take_value());
    const Shape shape = take_shape();
    linear.bias = take_bias();
    linear.activation = take_activation();
    const std::vector<Entry> entries = take_rows();
    if (shape.size() > max_neurons) words_.fail(fmt::format("{} is more than {} neurons", to_string(shape), max_neurons));
    try {
      linear.weights = make_sparse_matrix(static_cast<std::uint32_t>(shape.size()), network_.width(op.inputs[0]), entries);
    } catch (const InputError& error) {
      words_.fail(fmt::format("{}: {}", name, error.what()));
    }
    op.output = define(name, shape);
    network_.operators.push_back(std::move(op));
  }

  void parse_add(std::string_view name) {
    Operator op{Add{}, {}, ValueId{}};
    while (value_follows()) op.inputs.push_back(take_value());
    if (op.inputs.empty()) words_.fail(fmt::format("no value is called \"{}\" here", words_.at_line_end() ? "" : words_.peek()));
    std::get<Add>(op.operation).activation = take_activation();
    op.output = define(name, network_.value(op.inputs[0]).shape);
    network_.operators.push_back(std::move(op));
  }

  Words words_;
  std::string_view name_;
  Network network_;
  std::map<std::string, ValueId> ids_;
};

}  // namespace

Network parse(std::string_view text, std::string_view name) { return Parser(text, name).run(); }

}  // namespace lacuna
