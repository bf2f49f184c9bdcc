// JSON read front to back, value by value, without a tree and without a copy: a file of millions of connections costs no memory but its own. Messages
// name line and column.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lacuna::frontends {

class JsonText {
 public:
  JsonText(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  /// Calls field(key) for each field, which must take its value: with one of the functions below.
  template <typename Field>
  void take_object(Field field) {
    enter('{', "an object");
    if (!take_if('}')) do {
        const std::string key = take_string("a key");
        expect(':');
        field(std::string_view(key));
      } while (goes_on('}'));
    --depth_;
  }

  /// Calls element() for each element, which must take it.
  template <typename Element>
  void take_array(Element element) {
    enter('[', "an array");
    if (!take_if(']')) do element();
      while (goes_on(']'));
    --depth_;
  }

  /// `what` stands for the value in messages. Escapes are resolved; \uD83D without its second half is an error.
  std::string take_string(std::string_view what);
  std::int64_t take_whole(std::string_view what);

  /// A finite number; also NaN and Infinity, which Python writes, are understood and refused.
  double take_number(std::string_view what);
  bool take_bool(std::string_view what);
  void skip_value();

  /// Nothing but blanks may be left.
  void finish();

  [[noreturn]] void fail(const std::string& sentence);

 private:
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) ++at_;
  }
  bool take_if(char wanted) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  void expect(char wanted) {
    if (!take_if(wanted)) fail_expected(wanted);
  }
  /// Behind an element: is there another, or does `closing` end it?
  bool goes_on(char closing) {
    if (take_if(',')) return true;
    if (!take_if(closing)) fail_expected(closing);
    return false;
  }
  void enter(char opening, std::string_view what);
  char take_escape();
  void take_unicode(std::string& to);
  unsigned take_four_digits();
  std::string found();
  [[noreturn]] void fail_expected(char wanted);

  std::string_view text_;
  std::string file_;
  std::size_t at_ = 0;
  unsigned depth_ = 0;
};

}  // namespace lacuna::frontends
