#include "devices/sim/tokens.hpp"

#include <bit>
#include <cctype>
#include <charconv>

#include <fmt/format.h>
#include <lacuna/error.hpp>

namespace lacuna::sim {

namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%' || c == '.'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

class Scanner {
 public:
  Scanner(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  std::vector<Token> scan() {
    std::vector<Token> tokens;
    for (skip(); at_ < text_.size(); skip()) tokens.push_back(next());
    tokens.push_back({Token::Kind::end, "", line_, column()});
    return tokens;
  }

 private:
  std::uint32_t column() const { return static_cast<std::uint32_t>(at_ - line_begin_ + 1); }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  void advance() {
    if (text_[at_++] == '\n') ++line_, line_begin_ = at_;
  }

  void skip() {
    for (;;) {
      if (at_ < text_.size() && (is_space(peek()) || peek() == '\0')) {
        advance();
      } else if (peek() == '/' && peek(1) == '/') {
        while (at_ < text_.size() && peek() != '\n') advance();
      } else if (peek() == '/' && peek(1) == '*') {
        const std::uint32_t line = line_, begin = column();
        while (at_ < text_.size() && !(peek() == '*' && peek(1) == '/')) advance();
        if (at_ >= text_.size()) throw InputError(name_, line, begin, "a comment that begins with /* has no end");
        advance(), advance();
      } else {
        return;
      }
    }
  }

  Token next() {
    Token token{Token::Kind::sign, {}, line_, column()};
    const std::size_t begin = at_;
    if (peek() == '"') {
      token.kind = Token::Kind::text;
      advance();
      while (at_ < text_.size() && peek() != '"' && peek() != '\n') advance();
      if (peek() != '"') throw InputError(name_, token.line, token.column, "a text has no closing quotation mark");
      advance();
    } else if (is_digit(peek())) {
      token.kind = Token::Kind::number;
      const bool is_plain = !(peek() == '0' && std::isalpha(static_cast<unsigned char>(peek(1))) != 0);
      while (std::isalnum(static_cast<unsigned char>(peek())) != 0 || peek() == '.' ||
             (is_plain && (peek() == '-' || peek() == '+') && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E')))
        advance();
    } else if (is_letter(peek())) {
      token.kind = Token::Kind::word;
      while (is_letter(peek()) || is_digit(peek()) || (peek() == ':' && peek(1) == ':')) {
        if (peek() == ':') advance();
        advance();
      }
    } else {
      advance();
    }
    token.text = text_.substr(begin, at_ - begin);
    return token;
  }

  std::string_view text_, name_;
  std::size_t at_ = 0, line_begin_ = 0;
  std::uint32_t line_ = 1;
};

bool parse_integer(std::string_view text, int base, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

}  // namespace

std::vector<Token> tokenise(std::string_view text, std::string_view name) { return Scanner(text, name).scan(); }

bool parse_number(std::string_view text, Number& number) {
  number = {};
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'f' || text[1] == 'F' || text[1] == 'd' || text[1] == 'D')) {
    const bool is_single = text[1] == 'f' || text[1] == 'F';
    std::uint64_t bits = 0;
    if (text.size() != (is_single ? 10u : 18u) || !parse_integer(text.substr(2), 16, bits)) return false;
    number.is_float = true;
    number.float_bytes = is_single ? 4 : 8;
    number.single = is_single ? static_cast<std::uint32_t>(bits) : std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
    number.bits = is_single ? std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<float>(number.single))) : bits;
    return true;
  }
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X' || text[1] == 'b' || text[1] == 'B')) {
    const bool is_hex = text[1] == 'x' || text[1] == 'X';
    std::string_view digits = text.substr(2);
    if (digits.back() == 'U') digits.remove_suffix(1);
    return parse_integer(digits, is_hex ? 16 : 2, number.bits);
  }
  if (text.find_first_of(".eE") != std::string_view::npos) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return false;
    number.is_float = true;
    number.float_bytes = 8;
    number.bits = std::bit_cast<std::uint64_t>(value);
    number.single = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    return true;
  }
  if (text.size() > 1 && text.back() == 'U') text.remove_suffix(1);
  if (text.size() > 1 && text[0] == '0') return parse_integer(text.substr(1), 8, number.bits);
  return parse_integer(text, 10, number.bits);
}

}  // namespace lacuna::sim
