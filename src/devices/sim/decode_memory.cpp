// ld, st, atom and red: their many modifiers, of which only space, vector and type change what happens here.
#include <algorithm>
#include <array>
#include <bit>

#include <fmt/format.h>

#include "devices/sim/decode.hpp"

namespace lacuna::sim {

namespace {

std::vector<std::string_view> split(std::string_view opcode) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= opcode.size();) {
    const std::size_t dot = std::min(opcode.find('.', begin), opcode.size());
    parts.push_back(opcode.substr(begin, dot - begin));
    begin = dot + 1;
  }
  return parts;
}

bool parse_space(std::string_view part, Space& space) {
  if (part == "global") space = Space::global;
  else if (part == "shared" || part == "shared::cta") space = Space::shared;
  else if (part == "const") space = Space::constant;
  else if (part == "local") space = Space::local;
  else if (part == "param" || part == "param::entry") space = Space::parameter;
  else return false;
  return true;
}

/// Order, scope and caching: all memory here is coherent.
bool is_harmless(std::string_view part) {
  static constexpr std::array<std::string_view, 21> known = {"nc", "volatile", "weak", "relaxed", "acquire", "release", "acq_rel", "cta", "gpu", "sys", "cluster",
                                                             "ca", "cg",       "cs",   "lu",      "cv",      "wb",      "wt",      "noftz", "mmio", "unified"};
  return std::find(known.begin(), known.end(), part) != known.end() || part.starts_with("L1::") || part.starts_with("L2::");
}

struct ElementType {
  unsigned bytes = 0;
  bool is_signed = false;
};

ElementType parse_type(std::string_view part) {
  if (part.size() < 2 || std::string_view("busf").find(part[0]) == std::string_view::npos) return {};
  const std::string_view digits = part.substr(1);
  const unsigned bytes = digits == "8" ? 1 : digits == "16" ? 2 : digits == "32" ? 4 : digits == "64" ? 8 : 0;
  return {bytes, part[0] == 's'};
}

}  // namespace

void Decoder::set_element(const Operand& operand, unsigned k, bool is_write, bool is_wide, DraftInstruction& draft) {
  const Field field = static_cast<Field>(static_cast<unsigned>(Field::element0) + k);
  const char letter = is_wide ? 'l' : 'i';
  if (is_write) set_destination(operand, letter, field, draft);
  else set_source(operand, letter, field, draft);
}

void Decoder::set_address(const Operand& operand, DraftInstruction& draft) {
  Instruction& in = draft.instruction;
  if (operand.kind != Operand::Kind::address) wrong(operand.at, fmt::format("an address in [] is wanted: {}", program_.texts.back()));
  in.offset = operand.offset;
  const VirtualRegister* const base = operand.name.empty() ? nullptr : find_register(operand.name);
  if (base != nullptr) {
    if (base->of == RegisterClass::predicate || in.space == Space::parameter) wrong(operand.at, fmt::format("{} cannot be an address here", operand.name));
    in.is_base_wide = base->of == RegisterClass::wide;
    draft.uses.push_back({Field::a, base->number, false});
    return;
  }
  in.is_base_wide = true;
  in.a = constant(0, RegisterClass::wide);
  if (operand.name.empty()) return;
  const auto found = symbols_.find(operand.name);
  if (found == symbols_.end()) wrong(operand.at, fmt::format("\"{}\" is neither a register nor a variable of this kernel", operand.name));
  const Symbol& symbol = found->second;
  const bool is_shared = symbol.kind == Symbol::Kind::shared || symbol.kind == Symbol::Kind::dynamic_shared;
  const bool fits = in.space == Space::parameter  ? symbol.kind == Symbol::Kind::parameter
                    : in.space == Space::shared   ? is_shared
                    : in.space == Space::local    ? symbol.kind == Symbol::Kind::local
                    : in.space == Space::constant ? symbol.kind == Symbol::Kind::global && symbol.is_constant
                                                  : symbol.kind == Symbol::Kind::global && !symbol.is_constant;
  if (!fits) wrong(operand.at, fmt::format("{} lies in another space than {} reads or writes", operand.name, program_.texts.back()));
  if (in.space == Space::parameter) {
    in.offset += static_cast<std::int64_t>(symbol.place);
  } else {
    in.is_base_wide = !is_shared;
    in.a = symbol_constant(symbol, 0, is_shared ? RegisterClass::word : RegisterClass::wide);
  }
}

void Decoder::decode_memory(const RawInstruction& raw, DraftInstruction& draft) {
  const std::vector<std::string_view> parts = split(raw.opcode.text);
  const bool is_load = parts[0] != "st";
  Instruction& in = draft.instruction;
  in.space = Space::generic;
  const ElementType type = parse_type(parts.back());
  bool is_known = type.bytes != 0 && parts.size() > 1;
  for (std::size_t i = 1; i + 1 < parts.size(); ++i) {
    if (parts[i] == "v2" || parts[i] == "v4") in.element_count = parts[i] == "v2" ? 2 : 4;
    else if (!parse_space(parts[i], in.space) && !is_harmless(parts[i])) is_known = false;
  }
  if (!is_known) wrong(raw.opcode, fmt::format("the instruction \"{}\" is not simulated: {}", raw.opcode.text, program_.texts.back()));
  in.element_bytes = static_cast<std::uint8_t>(type.bytes);
  if (in.element_bytes * in.element_count > 16) wrong(raw.opcode, fmt::format("{} moves more than 16 bytes a thread", raw.opcode.text));
  if (raw.operands.size() != 2) wrong(raw.opcode, fmt::format("{} takes 2 operands, not {}", raw.opcode.text, raw.operands.size()));
  set_address(raw.operands[is_load ? 1 : 0], draft);
  if (in.space == Space::parameter && (in.offset < 0 || static_cast<std::size_t>(in.offset) + type.bytes * in.element_count > kernel_.parameter_bytes))
    wrong(raw.opcode, fmt::format("{} reads beyond the {} bytes of parameters", program_.texts.back(), kernel_.parameter_bytes));
  if (!is_load && (in.space == Space::parameter || in.space == Space::constant)) wrong(raw.opcode, fmt::format("{} would write what cannot be written", program_.texts.back()));
  const Operand& value = raw.operands[is_load ? 0 : 1];
  const std::vector<Operand> elements = value.kind == Operand::Kind::list ? value.list : std::vector<Operand>{value};
  if (elements.size() != in.element_count) wrong(value.at, fmt::format("{} moves {} values, not {}", raw.opcode.text, in.element_count, elements.size()));
  bool is_wide = type.bytes == 8;
  for (const Operand& element : elements)
    if (const VirtualRegister* const found = find_register(element.name); found != nullptr) is_wide = found->of == RegisterClass::wide;
  for (unsigned k = 0; k < elements.size(); ++k) set_element(elements[k], k, is_load, is_wide, draft);
  const auto log2 = static_cast<unsigned>(std::countr_zero(type.bytes));
  if (type.bytes == 8 && !is_wide) wrong(value.at, fmt::format("{} needs registers of 64 bits", program_.texts.back()));
  in.handler = is_load ? lane_table().load[log2][type.is_signed ? 1 : 0][is_wide ? 1 : 0] : lane_table().store[log2][is_wide ? 1 : 0];
  switch (in.space) {
    case Space::shared: in.kind = is_load ? Kind::load_shared : Kind::store_shared; break;
    case Space::local: in.kind = is_load ? Kind::load_local : Kind::store_local; break;
    case Space::parameter:
    case Space::constant: in.kind = Kind::load_constant; break;
    default: in.kind = is_load ? Kind::load_global : Kind::store_global; break;
  }
  if ((in.space == Space::shared || in.space == Space::generic) && type.bytes < 4) program_.has_narrow_shared = true;
}

void Decoder::decode_atomic(const RawInstruction& raw, DraftInstruction& draft) {
  const std::vector<std::string_view> parts = split(raw.opcode.text);
  const bool is_reduction = parts[0] == "red";
  Instruction& in = draft.instruction;
  in.space = Space::generic;
  std::string key = "atom";
  for (std::size_t i = 1; i < parts.size(); ++i)
    if (!parse_space(parts[i], in.space) && !is_harmless(parts[i])) key += "." + std::string(parts[i]);
  std::vector<Operand> operands = raw.operands;
  Operand sink;
  sink.name = "_";
  sink.at = raw.opcode;
  if (is_reduction) operands.insert(operands.begin(), sink);
  if (operands.size() < 3) wrong(raw.opcode, fmt::format("{} takes an address and a value: {}", raw.opcode.text, program_.texts.back()));
  const Operand address = operands[1];
  operands[1] = Operand{};  // the table has a source there; the address takes its place
  operands[1].kind = Operand::Kind::number;
  operands[1].number.is_float = key.ends_with(".f32") || key.ends_with(".f64");
  operands[1].at = address.at;
  decode_table(raw, key, draft, operands);
  set_address(address, draft);
  in.element_bytes = static_cast<std::uint8_t>(parse_type(parts.back()).bytes);
  const bool is_result_read = operands[0].name != "_";
  const bool may_be_global = in.space == Space::global || in.space == Space::generic;
  if (may_be_global && (is_result_read || key.ends_with(".f32") || key.ends_with(".f64") || key.find(".exch") != std::string::npos || key.find(".cas") != std::string::npos ||
                        key.find(".inc") != std::string::npos || key.find(".dec") != std::string::npos))
    program_.depends_on_order = true;
}

}  // namespace lacuna::sim
