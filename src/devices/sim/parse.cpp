// The structure of a PTX module: directives, variables, kernels. Instructions are left to the decoder.
#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>

#include <fmt/format.h>
#include <lacuna/error.hpp>

#include "devices/sim/decode.hpp"
#include "devices/sim/module.hpp"
#include "devices/sim/program.hpp"

namespace lacuna::sim {

namespace {

std::size_t type_bytes(std::string_view type) {
  static const std::unordered_map<std::string_view, std::size_t> sizes = {{".b8", 1},  {".u8", 1},  {".s8", 1},  {".b16", 2}, {".u16", 2}, {".s16", 2}, {".f16", 2}, {".b32", 4}, {".u32", 4},
                                                                          {".s32", 4}, {".f32", 4}, {".b64", 8}, {".u64", 8}, {".s64", 8}, {".f64", 8}, {".f16x2", 4}};
  const auto found = sizes.find(type);
  return found == sizes.end() ? 0 : found->second;
}

std::size_t round_up(std::size_t value, std::size_t to) { return (value + to - 1) / to * to; }

}  // namespace

class ModuleParser {
 public:
  ModuleParser(std::string_view text, std::string_view name) : name_(name), tokens_(tokenise(text, name)) {}

  Module parse() {
    while (peek().kind != Token::Kind::end) statement();
    return std::move(module_);
  }

 private:
  struct Declaration {
    std::string name;
    std::string type;           ///< without the dot
    std::size_t bytes = 0;      ///< 0: an extern array without a size
    std::size_t alignment = 1;
    std::vector<std::byte> initial;
  };

  [[noreturn]] void wrong(const Token& at, const std::string& sentence) const { throw InputError(name_, at.line, at.column, sentence); }
  const Token& peek(std::size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  const Token& next() { return tokens_[at_ < tokens_.size() - 1 ? at_++ : at_]; }
  bool accept(std::string_view what) {
    if (!peek().is(what)) return false;
    next();
    return true;
  }
  void expect(std::string_view what) {
    if (!accept(what)) wrong(peek(), fmt::format("\"{}\" was expected, but \"{}\" stands here", what, peek().text));
  }
  std::string word(const char* what) {
    if (peek().kind != Token::Kind::word) wrong(peek(), fmt::format("{} was expected, but \"{}\" stands here", what, peek().text));
    return std::string(next().text);
  }
  Number number() {
    const bool is_negative = accept("-");
    Number value;
    if (!parse_number(peek().text, value)) wrong(peek(), fmt::format("a number was expected, but \"{}\" stands here", peek().text));
    next();
    if (is_negative && !value.is_float) value.bits = std::uint64_t{0} - value.bits;
    if (is_negative && value.is_float) value.bits ^= std::uint64_t{1} << 63, value.single ^= 0x80000000u;
    return value;
  }
  std::uint64_t whole() {
    const Token at = peek();
    const Number value = number();
    if (value.is_float) wrong(at, fmt::format("a whole number was expected, but \"{}\" stands here", at.text));
    return value.bits;
  }
  void skip_line() {
    const std::uint32_t line = peek().line;
    while (peek().kind != Token::Kind::end && peek().line == line) next();
  }
  void skip_to(std::string_view what) {
    while (peek().kind != Token::Kind::end && !peek().is(what)) next();
    expect(what);
  }

  void statement() {
    const Token at = peek();
    if (accept(".version") || accept(".address_size")) return void(next());
    if (accept(".target")) {
      module_.target_ = word("a target");
      while (accept(",")) word("an option of the target");
      return;
    }
    if (at.is(".file") || at.is(".loc")) return skip_line();
    if (accept(".pragma")) return skip_to(";");
    if (accept(".section")) return skip_to("}");
    if (accept(";")) return;
    bool is_extern = false;
    for (;;) {
      if (accept(".extern")) is_extern = true;
      else if (!accept(".visible") && !accept(".weak") && !accept(".common")) break;
    }
    if (accept(".entry")) return kernel();
    if (accept(".global") || accept(".const")) return variable(at.is(".const") || tokens_[at_ - 1].is(".const"));
    if (accept(".shared")) return shared_declarations_.push_back({declaration(), is_extern});
    if (peek().is(".func")) wrong(peek(), "functions (.func) are not simulated; have them inlined");
    wrong(peek(), fmt::format("\"{}\" is not simulated", peek().text));
  }

  /// [.align N] [.ptr ...] .type name [dimensions] [= values], without the semicolon.
  Declaration declare() {
    Declaration made;
    std::size_t alignment = 0;
    if (accept(".align")) alignment = whole();
    const std::size_t vector = accept(".v2") ? 2 : accept(".v4") ? 4 : 1;
    const Token at = peek();
    made.type = word("a type");
    const std::size_t scalar = type_bytes(made.type), element = scalar * vector;
    if (element == 0) wrong(at, fmt::format("variables of type {} are not simulated", made.type));
    made.type.erase(0, 1);
    while (accept(".ptr") || accept(".global") || accept(".const") || accept(".shared") || accept(".local")) {}
    if (accept(".align")) whole();  // of what a pointer parameter points to
    made.name = word("a name");
    std::size_t count = 1;
    while (accept("[")) {
      count *= peek().is("]") ? 0 : whole();
      expect("]");
    }
    made.bytes = element * count;
    made.alignment = alignment != 0 ? alignment : element;
    if (accept("=")) initial_values(made, scalar);
    return made;
  }

  void initial_values(Declaration& made, std::size_t element) {
    const bool is_list = accept("{");
    made.initial.assign(made.bytes, std::byte{0});
    std::size_t at = 0;
    do {
      const Token where = peek();
      if (where.kind == Token::Kind::word) wrong(where, "variables that begin with addresses of others are not simulated");
      const Number value = number();
      const std::uint64_t bits = value.is_float && element == 4 ? value.single : value.bits;
      if (at + element > made.initial.size()) wrong(where, fmt::format("{} has more values than its {} bytes hold", made.name, made.bytes));
      std::memcpy(made.initial.data() + at, &bits, element);
      at += element;
    } while (is_list && accept(","));
    if (is_list) expect("}");
  }

  Declaration declaration() {
    Declaration made = declare();
    expect(";");
    return made;
  }

  void variable(bool is_constant) {
    const Declaration made = declaration();
    module_.variables_.push_back({made.name, is_constant, made.bytes, made.alignment, made.initial, 0});
  }

  void kernel() {
    auto kernel = std::make_unique<Kernel>();
    kernel->name = word("the name of a kernel");
    kernel->program = std::make_unique<Program>();
    Decoder decoder(*kernel, name_);
    for (std::size_t i = 0; i < module_.variables_.size(); ++i)
      decoder.declare_symbol(module_.variables_[i].name, {Symbol::Kind::global, i, module_.variables_[i].is_constant});
    if (accept("(")) parameters(*kernel, decoder);
    while (!peek().is("{")) limit(*kernel);
    next();
    for (const auto& [made, is_extern] : shared_declarations_)
      if (is_named_in_body(made.name)) declare_shared(made, is_extern, *kernel, decoder);
    body(*kernel, decoder);
    decoder.finish();
    settle_registers(*kernel);
    module_.kernels_.push_back(std::move(kernel));
  }

  /// Shared memory that is declared outside of kernels belongs to those that name it.
  bool is_named_in_body(std::string_view name) const {
    std::size_t depth = 1;
    for (std::size_t i = at_; i < tokens_.size() && depth > 0; ++i) {
      if (tokens_[i].is(name)) return true;
      depth += tokens_[i].is("{") ? 1 : 0;
      depth -= tokens_[i].is("}") ? 1 : 0;
    }
    return false;
  }

  void parameters(Kernel& kernel, Decoder& decoder) {
    if (accept(")")) return;
    do {
      expect(".param");
      const Declaration made = declare();
      const std::size_t offset = round_up(kernel.parameter_bytes, made.alignment);
      kernel.parameters.push_back({made.name, made.type, offset, made.bytes, made.alignment});
      kernel.parameter_bytes = offset + made.bytes;
      decoder.declare_symbol(made.name, {Symbol::Kind::parameter, offset});
    } while (accept(","));
    expect(")");
  }

  void limit(Kernel& kernel) {
    const Token at = next();
    if (at.is(".reqntid") || at.is(".maxntid")) {
      std::uint32_t sizes[3] = {1, 1, 1};
      std::size_t count = 0;
      do {
        if (count == 3) wrong(peek(), fmt::format("{} takes at most three numbers", at.text));
        sizes[count++] = static_cast<std::uint32_t>(whole());
      } while (accept(","));
      if (at.is(".reqntid")) std::copy(sizes, sizes + 3, kernel.required_threads);
      else kernel.most_threads = sizes[0] * sizes[1] * sizes[2];
    } else if (at.is(".maxnreg")) {
      kernel.most_registers = static_cast<std::uint32_t>(whole());
    } else if (at.is(".minnctapersm") || at.is(".maxnctapersm")) {
      whole();
    } else {
      wrong(at, fmt::format("\"{}\" is not simulated, or the body of kernel {} is missing", at.text, kernel.name));
    }
  }

  void declare_shared(const Declaration& made, bool is_extern, Kernel& kernel, Decoder& decoder) {
    if (is_extern || made.bytes == 0) return decoder.declare_symbol(made.name, {Symbol::Kind::dynamic_shared});
    const std::size_t offset = round_up(kernel.shared_bytes, made.alignment);
    kernel.shared_bytes = offset + made.bytes;
    decoder.declare_symbol(made.name, {Symbol::Kind::shared, offset});
  }

  void body(Kernel& kernel, Decoder& decoder) {
    for (unsigned depth = 1; depth > 0;) {
      const Token at = peek();
      if (at.kind == Token::Kind::end) wrong(at, fmt::format("kernel {} has no closing brace", kernel.name));
      if (accept("{")) {
        ++depth;
        decoder.open_scope();
      } else if (accept("}")) {
        --depth;
        decoder.close_scope();
      } else if (accept(".reg")) {
        registers(decoder);
      } else if (accept(".extern")) {
        expect(".shared");
        declare_shared(declaration(), true, kernel, decoder);
      } else if (accept(".shared")) {
        declare_shared(declaration(), false, kernel, decoder);
      } else if (accept(".local")) {
        const Declaration made = declaration();
        const std::size_t offset = round_up(kernel.local_bytes, made.alignment);
        kernel.local_bytes = round_up(offset + made.bytes, 16);
        decoder.declare_symbol(made.name, {Symbol::Kind::local, offset});
      } else if (at.is(".loc")) {
        skip_line();
      } else if (accept(".pragma")) {
        skip_to(";");
      } else if (at.kind == Token::Kind::word && peek(1).is(":")) {
        decoder.label(at);
        next(), next();
      } else if (!accept(";")) {
        instruction(decoder);
      }
    }
  }

  void registers(Decoder& decoder) {
    const Token at = peek();
    const std::string type = word("a type of registers");
    do {
      const Token where = peek();
      const std::string name = word("a register");
      if (accept("<")) {
        const std::uint64_t count = whole();
        if (count > 1'000'000) wrong(where, fmt::format("{} registers are more than the 1000000 that are simulated", count));
        for (std::uint64_t i = 0; i < count; ++i) decoder.declare_register(name + std::to_string(i), type, at);
        expect(">");
      } else {
        decoder.declare_register(name, type, at);
      }
    } while (accept(","));
    expect(";");
  }

  void instruction(Decoder& decoder) {
    const std::size_t begin = at_;
    if (peek().kind == Token::Kind::word && peek().text[0] == '.') wrong(peek(), fmt::format("the directive \"{}\" is not simulated", peek().text));
    while (peek().kind != Token::Kind::end && !peek().is(";")) next();
    const std::span<const Token> tokens(tokens_.data() + begin, at_ - begin);
    const char* const text_begin = tokens.front().text.data();
    const std::size_t size = static_cast<std::size_t>(peek().text.data() - text_begin);
    if (peek().kind == Token::Kind::end) wrong(tokens.front(), "an instruction has no \";\"");
    std::string text(text_begin, size);
    for (char& c : text)
      if (c == '\n' || c == '\t' || c == '\r') c = ' ';
    decoder.decode(read_instruction(tokens, name_), std::move(text));
    next();
  }

  /// What a compiler needs beyond the values themselves: addresses and the like. Registers are given out in eights.
  static void settle_registers(Kernel& kernel) {
    unsigned registers = std::max(16u, kernel.live_registers + 6);
    if (kernel.most_registers != 0) registers = std::min<unsigned>(registers, kernel.most_registers);
    kernel.registers = std::min<unsigned>(255, static_cast<unsigned>(round_up(registers, 8)));
  }

  std::string_view name_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::vector<std::pair<Declaration, bool>> shared_declarations_;
  Module module_;
};

Module Module::parse(std::string_view text, std::string_view name) { return ModuleParser(text, name).parse(); }

Kernel::Kernel() = default;
Kernel::~Kernel() = default;
Kernel::Kernel(Kernel&&) noexcept = default;
Kernel& Kernel::operator=(Kernel&&) noexcept = default;
Module::Module() = default;
Module::~Module() = default;
Module::Module(Module&&) noexcept = default;
Module& Module::operator=(Module&&) noexcept = default;

void Module::place(Memory& memory) {
  for (Variable& variable : variables_) {
    variable.address = memory.allocate(std::max<std::size_t>(1, variable.bytes));
    std::byte* const host = memory.lookup(variable.address, variable.bytes);
    if (variable.initial.empty()) std::memset(host, 0, variable.bytes);
    else std::memcpy(host, variable.initial.data(), variable.initial.size());
  }
  for (const auto& kernel : kernels_) {
    Program& program = *kernel->program;
    for (const Relocation& relocation : program.relocations) {
      const std::uint64_t address = variables_[relocation.variable].address + static_cast<std::uint64_t>(relocation.addend);
      for (unsigned i = 0; i < lanes; ++i) std::memcpy(program.constants.data() + relocation.constant_offset + i * 8, &address, 8);
    }
    program.is_placed = true;
  }
}

void Module::remove(Memory& memory) {
  for (Variable& variable : variables_)
    if (variable.address != 0) memory.free(variable.address), variable.address = 0;
  for (const auto& kernel : kernels_) kernel->program->is_placed = kernel->program->relocations.empty();
}

const Kernel* Module::find(std::string_view name) const {
  for (const auto& kernel : kernels_)
    if (kernel->name == name) return kernel.get();
  return nullptr;
}

const Variable* Module::find_variable(std::string_view name) const {
  for (const Variable& variable : variables_)
    if (variable.name == name) return &variable;
  return nullptr;
}

}  // namespace lacuna::sim
