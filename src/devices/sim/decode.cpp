#include "devices/sim/decode.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>

#include <fmt/format.h>
#include <lacuna/error.hpp>

#include "base/round_up.hpp"

namespace lacuna::sim {

namespace {

/// All spellings of a pattern: "[.x]" with and without, "{x|y}" each.
void expand(const std::string& pattern, std::vector<std::string>& names) {
  const std::size_t optional = pattern.find('['), choice = pattern.find('{');
  if (optional == std::string::npos && choice == std::string::npos) return names.push_back(pattern);
  if (optional < choice) {
    const std::size_t end = pattern.find(']', optional);  // the bracket may hold a choice
    const std::string head = pattern.substr(0, optional), inner = pattern.substr(optional + 1, end - optional - 1), tail = pattern.substr(end + 1);
    expand(head + tail, names);
    return expand(head + inner + tail, names);
  }
  const std::size_t end = pattern.find('}', choice);
  const std::string inner = pattern.substr(choice + 1, end - choice - 1);
  for (std::size_t begin = 0; begin <= inner.size();) {
    const std::size_t bar = std::min(inner.find('|', begin), inner.size());
    expand(pattern.substr(0, choice) + inner.substr(begin, bar - begin) + pattern.substr(end + 1), names);
    begin = bar + 1;
  }
}

const Operation* find_operation(const std::string& name) {
  static const std::unordered_map<std::string, const Operation*> by_name = [] {
    std::unordered_map<std::string, const Operation*> map;
    for (const Operation& operation : lane_table().operations) {
      std::vector<std::string> names;
      expand(operation.name, names);
      for (std::string& each : names) map.emplace(std::move(each), &operation);
    }
    return map;
  }();
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

const std::map<std::string, Special, std::less<>>& special_names() {
  static const std::map<std::string, Special, std::less<>> names = {
      {"%tid.x", Special::tid_x},         {"%tid.y", Special::tid_y},         {"%tid.z", Special::tid_z},         {"%ntid.x", Special::ntid_x},
      {"%ntid.y", Special::ntid_y},       {"%ntid.z", Special::ntid_z},       {"%ctaid.x", Special::ctaid_x},     {"%ctaid.y", Special::ctaid_y},
      {"%ctaid.z", Special::ctaid_z},     {"%nctaid.x", Special::nctaid_x},   {"%nctaid.y", Special::nctaid_y},   {"%nctaid.z", Special::nctaid_z},
      {"%laneid", Special::laneid},       {"%warpid", Special::warpid},       {"%nwarpid", Special::nwarpid},     {"%smid", Special::smid},
      {"%nsmid", Special::nsmid},         {"%lanemask_eq", Special::lanemask_eq}, {"%lanemask_lt", Special::lanemask_lt},
      {"%lanemask_le", Special::lanemask_le}, {"%lanemask_gt", Special::lanemask_gt}, {"%lanemask_ge", Special::lanemask_ge}};
  return names;
}

RegisterClass class_of(char letter) { return letter == 'p' ? RegisterClass::predicate : letter == 'l' || letter == 'd' ? RegisterClass::wide : RegisterClass::word; }

}  // namespace

void Decoder::wrong(const Token& at, const std::string& sentence) const { throw InputError(module_name_, at.line, at.column, sentence); }

void Decoder::declare_register(const std::string& name, std::string_view type, const Token& at) {
  VirtualRegister made;
  if (type == ".pred") {
    made = {RegisterClass::predicate, program_.predicates++};
  } else if (type == ".b64" || type == ".u64" || type == ".s64" || type == ".f64") {
    made = {RegisterClass::wide, new_register(RegisterClass::wide)};
  } else if (type == ".b8" || type == ".b16" || type == ".u16" || type == ".s16" || type == ".f16" || type == ".b32" || type == ".u32" || type == ".s32" || type == ".f32" ||
             type == ".f16x2" || type == ".u8" || type == ".s8") {
    made = {RegisterClass::word, new_register(RegisterClass::word)};
  } else {
    wrong(at, fmt::format("registers of type {} are not simulated", type));
  }
  ++kernel_.declared_registers;
  scopes_.back()[name] = made;
}

void Decoder::label(const Token& at) {
  if (!draft_.labels.emplace(at.text, static_cast<std::uint32_t>(draft_.instructions.size())).second) wrong(at, fmt::format("label {} stands here a second time", at.text));
}

std::uint32_t Decoder::new_register(RegisterClass of) {
  draft_.classes.push_back(of);
  return static_cast<std::uint32_t>(draft_.classes.size() - 1);
}

const VirtualRegister* Decoder::find_register(std::string_view name) const {
  for (std::size_t i = scopes_.size(); i-- > 0;)
    if (const auto found = scopes_[i].find(name); found != scopes_[i].end()) return &found->second;
  return nullptr;
}

const VirtualRegister& Decoder::find_or_make_special(std::string_view name, const Token& at) {
  if (const auto found = specials_.find(name); found != specials_.end()) return found->second;
  const auto special = special_names().find(name);
  if (special == special_names().end()) wrong(at, fmt::format("\"{}\" is neither a register nor a variable of this kernel, nor a special register that is simulated", name));
  const std::uint32_t number = new_register(RegisterClass::word);
  draft_.specials.emplace_back(special->second, number);
  return specials_[std::string(name)] = {RegisterClass::word, number};
}

/// A value in all lanes, kept once. Registers are filled from the constants of the kernel, which every warp shares.
std::uint32_t Decoder::constant(std::uint64_t bits, RegisterClass of) {
  const auto [found, is_new] = constants_.try_emplace({bits, of}, static_cast<std::uint32_t>(program_.constants.size()));
  if (is_new) {
    const std::size_t bytes = of == RegisterClass::wide ? 8 : 4, begin = program_.constants.size();
    program_.constants.resize(begin + lanes * bytes);
    for (unsigned i = 0; i < lanes; ++i) std::memcpy(program_.constants.data() + begin + i * bytes, &bits, bytes);
  }
  return found->second | constant_bit;
}

std::uint32_t Decoder::symbol_constant(const Symbol& symbol, std::int64_t offset, RegisterClass of) {
  if (symbol.kind == Symbol::Kind::shared || symbol.kind == Symbol::Kind::local) return constant(symbol.place + static_cast<std::uint64_t>(offset), of);
  const auto begin = static_cast<std::uint32_t>(program_.constants.size());  // of its own: it changes later
  const std::size_t bytes = of == RegisterClass::wide ? 8 : 4;
  program_.constants.resize(begin + lanes * bytes);
  for (unsigned i = 0; i < lanes; ++i) std::memcpy(program_.constants.data() + begin + i * bytes, &offset, bytes);
  if (symbol.kind == Symbol::Kind::dynamic_shared) {
    kernel_.uses_dynamic_shared = true;
    dynamic_shared_.emplace_back(begin, of);
  } else {
    program_.relocations.push_back({begin, symbol.place, offset});
    program_.is_placed = false;
  }
  return begin | constant_bit;
}

std::uint32_t Decoder::predicate(const Operand& operand) const {
  if (operand.kind == Operand::Kind::number) return operand.number.bits != 0 ? 1 : 0;
  const VirtualRegister* const found = find_register(operand.name);
  if (found == nullptr || found->of != RegisterClass::predicate) wrong(operand.at, fmt::format("\"{}\" is no predicate of this kernel", operand.name));
  return found->number;
}

void Decoder::set_destination(const Operand& operand, char letter, Field field, DraftInstruction& draft) {
  const RegisterClass wanted = class_of(letter);
  if (operand.name == "_" && wanted != RegisterClass::predicate) {
    draft.uses.push_back({field, new_register(wanted), true});
    return;
  }
  const VirtualRegister* const found = find_register(operand.name);
  if (found == nullptr) wrong(operand.at, fmt::format("\"{}\" is no register of this kernel", operand.name));
  if (found->of != wanted) wrong(operand.at, fmt::format("register {} has another size than {} writes", operand.name, program_.texts.back()));
  if (wanted == RegisterClass::predicate) field_of(draft.instruction, field) = found->number;
  else draft.uses.push_back({field, found->number, true});
}

void Decoder::set_source(const Operand& operand, char letter, Field field, DraftInstruction& draft) {
  const RegisterClass wanted = class_of(letter);
  std::uint32_t& place = field_of(draft.instruction, field);
  if (wanted == RegisterClass::predicate) {
    place = predicate(operand);
    if (operand.is_negated) draft.instruction.offset = -1;
    return;
  }
  if (operand.kind == Operand::Kind::number) {
    const Number& number = operand.number;
    if (letter == 'f' && !number.is_float) wrong(operand.at, "a float is wanted here, write 0f and its eight hexadecimal digits");
    const bool as_single = wanted == RegisterClass::word && number.is_float;
    place = constant(as_single ? number.single : wanted == RegisterClass::word ? number.bits & 0xffffffffu : number.bits, wanted);
    return;
  }
  if (operand.kind != Operand::Kind::name) wrong(operand.at, "a register or a number is wanted here");
  const VirtualRegister* found = find_register(operand.name);
  if (found == nullptr) {
    if (const auto symbol = symbols_.find(operand.name); symbol != symbols_.end()) {
      if (symbol->second.kind == Symbol::Kind::parameter) wrong(operand.at, "addresses of parameters are not simulated; use ld.param");
      place = symbol_constant(symbol->second, operand.offset, wanted);
      return;
    }
    found = &find_or_make_special(operand.name, operand.at);
  }
  if (found->of != wanted) wrong(operand.at, fmt::format("register {} has another size than {} reads", operand.name, program_.texts.back()));
  draft.uses.push_back({field, found->number, false});
}

void Decoder::decode_table(const RawInstruction& raw, const std::string& key, DraftInstruction& draft, const std::vector<Operand>& operands) {
  const Operation* const operation = find_operation(key);
  if (operation == nullptr) wrong(raw.opcode, fmt::format("the instruction \"{}\" is not simulated: {}", raw.opcode.text, program_.texts.back()));
  draft.instruction.handler = operation->handler;
  draft.instruction.kind = operation->kind;
  const std::string_view shape = operation->operands;
  const std::size_t colon = shape.find(':');
  const std::string_view targets = shape.substr(0, colon), sources = shape.substr(colon + 1);
  const bool has_pair = targets == "ip" || targets == "p";  // d|p
  const std::size_t written = has_pair ? 1 : targets.size();
  if (operands.size() != written + sources.size())
    wrong(raw.opcode, fmt::format("{} takes {} operands, not {}: {}", raw.opcode.text, written + sources.size(), operands.size(), program_.texts.back()));
  for (std::size_t i = 0; i < written; ++i) set_destination(operands[i], targets[i], i == 0 ? Field::d : Field::e, draft);
  if (has_pair && !operands[0].second.empty()) {
    Operand second = operands[0];
    second.name = operands[0].second;
    set_destination(second, 'p', Field::e, draft);
  }
  static constexpr Field source_fields[] = {Field::a, Field::b, Field::c, Field::element0};
  for (std::size_t i = 0; i < sources.size(); ++i) set_source(operands[written + i], sources[i], source_fields[i], draft);
}

void Decoder::decode_move(const RawInstruction& raw, DraftInstruction& draft) {
  std::string key(raw.opcode.text);
  std::vector<Operand> operands = raw.operands;
  if (operands.size() == 2 && operands[1].kind == Operand::Kind::list) {
    key += ".pack";
    const std::vector<Operand> list = operands[1].list;
    operands.pop_back();
    operands.insert(operands.end(), list.begin(), list.end());
  } else if (operands.size() == 2 && operands[0].kind == Operand::Kind::list) {
    key += ".unpack";
    const std::vector<Operand> list = operands[0].list;
    operands.erase(operands.begin());
    operands.insert(operands.begin(), list.begin(), list.end());
  } else if (operands.size() == 2 && (operands[1].name == "%clock" || operands[1].name == "%clock64" || operands[1].name == "%globaltimer")) {
    key += ".clock";
    operands.pop_back();
  }
  decode_table(raw, key, draft, operands);
}

/// setp may combine its result with another predicate: "setp.lt.and.f32 p, a, b, q".
void Decoder::decode_compare(const RawInstruction& raw, DraftInstruction& draft) {
  std::string key(raw.opcode.text);
  std::vector<Operand> operands = raw.operands;
  static constexpr std::pair<std::string_view, Combine> combinations[] = {{".and.", Combine::conjunction}, {".or.", Combine::disjunction}, {".xor.", Combine::exclusive}};
  for (const auto& [name, combine] : combinations) {
    const std::size_t at = key.find(name);
    if (at == std::string::npos) continue;
    key.erase(at, name.size() - 1);
    if (operands.size() != 4) wrong(raw.opcode, fmt::format("{} takes 4 operands, not {}: {}", raw.opcode.text, operands.size(), program_.texts.back()));
    draft.instruction.combine = combine;
    set_source(operands[3], 'p', Field::c, draft);
    operands.pop_back();
  }
  decode_table(raw, key, draft, operands);
}

void Decoder::decode_control(const RawInstruction& raw, DraftInstruction& draft) {
  const std::string_view name = raw.opcode.text;
  draft.instruction.kind = Kind::control;
  if (name == "bra" || name == "bra.uni") {
    draft.instruction.flow = Flow::branch;
    if (raw.operands.size() != 1 || raw.operands[0].kind != Operand::Kind::name) wrong(raw.opcode, fmt::format("{} takes a label", name));
    draft.label = raw.operands[0].name;
  } else if (name == "ret" || name == "ret.uni" || name == "exit") {
    draft.instruction.flow = Flow::exit;
  } else if (name == "trap") {
    draft.instruction.flow = Flow::trap;
  } else {
    draft.instruction.flow = Flow::barrier;
    draft.instruction.kind = Kind::barrier;
    if (raw.operands.size() != 1 || raw.operands[0].kind != Operand::Kind::number)
      wrong(raw.opcode, fmt::format("only barriers of all threads with a constant number are simulated: {}", program_.texts.back()));
    draft.instruction.a = static_cast<std::uint32_t>(raw.operands[0].number.bits);
  }
}

void Decoder::decode(const RawInstruction& raw, std::string text) {
  program_.texts.push_back(std::move(text));
  DraftInstruction draft;
  draft.instruction.line = raw.opcode.line;
  draft.instruction.index = static_cast<std::uint32_t>(draft_.instructions.size());
  draft.column = raw.opcode.column;
  if (!raw.guard.empty()) {
    Operand guard;
    guard.name = raw.guard;
    guard.at = raw.opcode;
    draft.instruction.guard = predicate(guard);
    draft.instruction.guard_flip = raw.is_guard_negated ? all_lanes : 0;
  }
  const std::string name(raw.opcode.text);
  const std::string base = name.substr(0, name.find('.'));
  if (base == "ld" || base == "st" || base == "ldu") decode_memory(raw, draft);
  else if (base == "atom" || base == "red") decode_atomic(raw, draft);
  else if (base == "mov") decode_move(raw, draft);
  else if (base == "setp") decode_compare(raw, draft);
  else if (base == "bra" || base == "ret" || base == "exit" || base == "trap" || name == "bar.sync" || name == "barrier.sync" || name == "barrier.sync.aligned" || name == "bar.cta.sync")
    decode_control(raw, draft);
  else decode_table(raw, name, draft, raw.operands);
  program_.has_warp_barriers |= name == "bar.warp.sync";
  draft_.instructions.push_back(std::move(draft));
}

void Decoder::finish() {
  if (draft_.instructions.empty() || draft_.instructions.back().instruction.flow != Flow::exit || draft_.instructions.back().instruction.guard != 1) {
    DraftInstruction last;
    last.instruction.flow = Flow::exit;
    last.instruction.kind = Kind::control;
    last.instruction.index = static_cast<std::uint32_t>(draft_.instructions.size());
    last.instruction.line = draft_.instructions.empty() ? 0 : draft_.instructions.back().instruction.line;
    draft_.instructions.push_back(last);
    program_.texts.emplace_back("(end of the kernel)");
  }
  for (DraftInstruction& draft : draft_.instructions) {
    if (draft.label.empty()) continue;
    const auto found = draft_.labels.find(draft.label);
    if (found == draft_.labels.end()) throw InputError(module_name_, draft.instruction.line, draft.column, fmt::format("there is no label {} in kernel {}", draft.label, kernel_.name));
    draft.instruction.target = std::min(found->second, static_cast<std::uint32_t>(draft_.instructions.size() - 1));
  }
  const std::uint64_t dynamic_begin = base::round_up(kernel_.shared_bytes, 16);
  for (const auto& [begin, of] : dynamic_shared_) {
    const std::size_t bytes = of == RegisterClass::wide ? 8 : 4;
    for (unsigned i = 0; i < lanes; ++i) {
      std::uint64_t value = 0;
      std::memcpy(&value, program_.constants.data() + begin + i * bytes, bytes);
      value += dynamic_begin;
      std::memcpy(program_.constants.data() + begin + i * bytes, &value, bytes);
    }
  }
  const std::vector<BasicBlock> blocks = basic_blocks(draft_.instructions);
  find_meeting_points(draft_.instructions, blocks);
  place_registers(draft_, blocks, kernel_);
  program_.instructions.reserve(draft_.instructions.size());
  for (const DraftInstruction& draft : draft_.instructions) program_.instructions.push_back(draft.instruction);
  kernel_.instructions = program_.instructions.size();
  kernel_.code_bytes = kernel_.instructions * 16;
}

}  // namespace lacuna::sim
