#include "devices/sim/operand.hpp"

#include <bit>

#include <fmt/format.h>
#include <lacuna/error.hpp>

namespace lacuna::sim {

namespace {

class Reader {
 public:
  Reader(std::span<const Token> tokens, std::string_view module_name) : tokens_(tokens), module_name_(module_name) {}

  RawInstruction read() {
    RawInstruction raw;
    if (accept("@")) {
      raw.is_guard_negated = accept("!");
      raw.guard = word("a predicate").text;
    }
    raw.opcode = word("an instruction");
    if (at_ == tokens_.size()) return raw;
    raw.operands.push_back(operand());
    while (accept(",")) raw.operands.push_back(operand());
    if (at_ != tokens_.size()) wrong(tokens_[at_], "an operand or ';' was expected");
    return raw;
  }

 private:
  [[noreturn]] void wrong(const Token& token, const std::string& sentence) const {
    if (at_ >= tokens_.size()) throw InputError(module_name_, token.line, token.column, fmt::format("{}, but the instruction ends after \"{}\"", sentence, token.text));
    throw InputError(module_name_, token.line, token.column, fmt::format("{}, but \"{}\" stands here", sentence, token.text));
  }
  const Token& peek() const { return at_ < tokens_.size() ? tokens_[at_] : tokens_.back(); }
  bool accept(std::string_view what) {
    if (at_ >= tokens_.size() || !tokens_[at_].is(what)) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view what) {
    if (!accept(what)) wrong(peek(), fmt::format("\"{}\" was expected", what));
  }
  Token word(const char* what) {
    if (at_ >= tokens_.size() || tokens_[at_].kind != Token::Kind::word) wrong(peek(), fmt::format("{} was expected", what));
    return tokens_[at_++];
  }

  Number number() {
    const bool is_negative = accept("-");
    Number value;
    if (at_ >= tokens_.size() || tokens_[at_].kind != Token::Kind::number || !parse_number(tokens_[at_].text, value)) wrong(peek(), "a number was expected");
    ++at_;
    if (is_negative && !value.is_float) value.bits = std::uint64_t{0} - value.bits;
    if (is_negative && value.is_float) value.bits ^= std::uint64_t{1} << 63, value.single ^= 0x80000000u;
    return value;
  }

  bool is_number_next() const { return at_ < tokens_.size() && (tokens_[at_].kind == Token::Kind::number || tokens_[at_].is("-")); }

  std::int64_t displacement() {
    std::int64_t sum = 0;
    for (;;) {
      if (accept("+")) sum += static_cast<std::int64_t>(number().bits);
      else if (at_ < tokens_.size() && tokens_[at_].is("-")) sum += static_cast<std::int64_t>(number().bits);
      else return sum;
    }
  }

  Operand operand() {
    Operand result;
    result.at = peek();
    if (accept("{")) {
      result.kind = Operand::Kind::list;
      result.list.push_back(operand());
      while (accept(",")) result.list.push_back(operand());
      expect("}");
    } else if (accept("[")) {
      result.kind = Operand::Kind::address;
      if (is_number_next()) result.offset = static_cast<std::int64_t>(number().bits);
      else result.name = word("a register or a variable").text, result.offset = displacement();
      expect("]");
    } else if (is_number_next()) {
      result.kind = Operand::Kind::number;
      result.number = number();
    } else {
      result.is_negated = accept("!");
      result.name = word("an operand").text;
      if (accept("|")) result.second = word("a predicate").text;
      result.offset = displacement();
    }
    return result;
  }

  std::span<const Token> tokens_;
  std::string_view module_name_;
  std::size_t at_ = 0;
};

}  // namespace

RawInstruction read_instruction(std::span<const Token> tokens, std::string_view module_name) { return Reader(tokens, module_name).read(); }

}  // namespace lacuna::sim
