#include "emit/x86/assembler.hpp"

#include <fmt/format.h>
#define XBYAK_NO_OP_NAMES
#include <xbyak/xbyak.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string_view>

#include <lacuna/error.hpp>

namespace lacuna::emit::x86 {
namespace {

using Xbyak::Xmm;

constexpr std::size_t line_bytes = 64;

Xbyak::Reg64 pointer_register(Pointer pointer) { return Xbyak::Reg64(static_cast<int>(pointer)); }

std::string_view pointer_name(Pointer pointer) {
  switch (pointer) {
    case Pointer::load: return "rdi";
    case Pointer::store: return "rdx";
    case Pointer::constant: return "rsi";
    case Pointer::skip: return "rcx";
    case Pointer::partial: return "rax";
  }
  return "?";
}

}  // namespace

struct Assembler::State {
  State(Target wanted, std::size_t most_bytes, bool lists) : target(wanted), buffer(std::make_unique_for_overwrite<std::uint8_t[]>(most_bytes)), with_listing(lists), code(most_bytes, buffer.get()) {}

  Xmm vec(unsigned number) const {
    if (target == Target::avx512) return Xbyak::Zmm(static_cast<int>(number));
    return Xbyak::Ymm(static_cast<int>(number));
  }
  /// As the target of an instruction that writes zeros where the vector of a tile is not wanted; masks begin with k1.
  Xmm blanked(unsigned number, Blank vector) const {
    if (!vector) return vec(number);
    if (target != Target::avx512) throw InternalError("only AVX-512 blanks lanes");
    return Xbyak::Zmm(static_cast<int>(number)) | Xbyak::Opmask(static_cast<int>(*vector + 1)) | Xbyak::util::T_z;
  }
  static Xbyak::RegExp at(Place place) { return pointer_register(place.pointer) + place.displacement; }

  /// Names are for the listing; without one they are empty.
  std::string name(unsigned number) const { return with_listing ? fmt::format("{}{}", target == Target::avx512 ? "zmm" : "ymm", number) : std::string(); }
  std::string name(unsigned number, Blank vector) const { return with_listing && vector ? fmt::format("{}{{k{}}}{{z}}", name(number), *vector + 1) : name(number); }
  std::string name(Place place) const {
    if (!with_listing) return {};
    return place.displacement == 0 ? fmt::format("[{}]", pointer_name(place.pointer)) : fmt::format("[{}{:+}]", pointer_name(place.pointer), place.displacement);
  }

  template <typename... Operands>
  void list(std::string_view mnemonic, const Operands&... operands) {
    if (!with_listing) return;
    std::vector<std::string_view> words{operands...};
    fmt::format_to(std::back_inserter(listing), "{}{}{}\n", mnemonic, words.empty() ? "" : " ", fmt::join(words, ", "));
  }

  /// Xbyak's errors are ours: it was asked for something that does not exist.
  template <typename Emit>
  void emit(Emit emit_one) {
    try {
      emit_one(code);
    } catch (const Xbyak::Error& error) {
      throw InternalError(fmt::format("the assembler refused an instruction: {}", error.what()));
    }
  }

  /// multiply_add_broadcast() with a short displacement. Code has millions of them, which differ in their sum and in the last byte: the rest is what Xbyak made of the first.
  void multiply_add_near(unsigned sum, unsigned a, Place b, std::int32_t floats) {
    Instruction& known = of_sums.at(sum);
    if (known.is_known && known.a == a && known.pointer == b.pointer) {
      known.code.back() = static_cast<std::uint8_t>(floats);
      return emit([&](auto& all) { all.db(known.code.data(), known.code.size()); });
    }
    const std::size_t begin = code.getSize();
    emit([&](auto& all) { all.vfmadd231ps(vec(sum), vec(a), all.ptr_b[at(b)]); });
    known = {code.getSize() - begin == known.code.size(), a, b.pointer, {}};  // if it is longer, its displacement was not put into a byte
    if (known.is_known) std::copy_n(code.getCode() + begin, known.code.size(), known.code.begin());
  }

  struct Instruction {
    bool is_known = false;
    unsigned a = 0;
    Pointer pointer = Pointer::constant;
    std::array<std::uint8_t, 7> code{};
  };

  const Target target;
  const std::unique_ptr<std::uint8_t[]> buffer;
  const bool with_listing;
  Xbyak::CodeGenerator code;
  std::optional<Xbyak::Label> round;  ///< of the loop that is open
  unsigned loops = 0;
  std::string listing;
  std::array<Instruction, 32> of_sums;  ///< those that multiply and add a float near the pointer
};

Assembler::Assembler(Target target, std::size_t most_bytes, bool with_listing) : state_(std::make_unique<State>(target, most_bytes, with_listing)) {}
Assembler::~Assembler() = default;

void Assembler::restart() {
  state_->round.reset();
  state_->code.reset();
  state_->loops = 0;
  state_->listing.clear();
}

void Assembler::clear(unsigned target) {
  if (target < 16) {  // the 128-bit form clears the whole register and is shorter
    const Xmm low(static_cast<int>(target));
    state_->emit([&](auto& code) { code.vxorps(low, low, low); });
    if (!state_->with_listing) return;
    const std::string name = fmt::format("xmm{}", target);
    return state_->list("vxorps", name, name, name);
  }
  const Xmm whole = state_->vec(target);
  state_->emit([&](auto& code) { code.vpxord(whole, whole, whole); });
  state_->list("vpxord", state_->name(target), state_->name(target), state_->name(target));
}

void Assembler::copy(unsigned target, unsigned source) {
  state_->emit([&](auto& code) { code.vmovaps(state_->vec(target), state_->vec(source)); });
  state_->list("vmovaps", state_->name(target), state_->name(source));
}

void Assembler::load(unsigned target, Place source) {
  state_->emit([&](auto& code) { code.vmovups(state_->vec(target), code.ptr[State::at(source)]); });
  state_->list("vmovups", state_->name(target), state_->name(source));
}

void Assembler::store(Place target, unsigned source) {
  state_->emit([&](auto& code) { code.vmovups(code.ptr[State::at(target)], state_->vec(source)); });
  state_->list("vmovups", state_->name(target), state_->name(source));
}

void Assembler::broadcast(unsigned target, Place source) {
  state_->emit([&](auto& code) { code.vbroadcastss(state_->vec(target), code.ptr[State::at(source)]); });
  state_->list("vbroadcastss", state_->name(target), state_->name(source));
}

void Assembler::broadcast_four(unsigned target, Place source) {
  const bool is_wide = state_->target == Target::avx512;
  state_->emit([&](auto& code) {
    if (is_wide)
      code.vbroadcastf32x4(Xbyak::Zmm(static_cast<int>(target)), code.ptr[State::at(source)]);
    else
      code.vbroadcastf128(Xbyak::Ymm(static_cast<int>(target)), code.ptr[State::at(source)]);
  });
  state_->list(is_wide ? "vbroadcastf32x4" : "vbroadcastf128", state_->name(target), state_->name(source));
}

void Assembler::spread(unsigned target, unsigned source, unsigned lane) {
  state_->emit([&](auto& code) { code.vpermilps(state_->vec(target), state_->vec(source), static_cast<std::uint8_t>(lane * 0x55)); });
  state_->list("vpermilps", state_->name(target), state_->name(source), state_->with_listing ? fmt::format("{}", lane * 0x55) : std::string());
}

void Assembler::join(unsigned target, unsigned low, unsigned high, unsigned lane) {
  state_->emit([&](auto& code) { code.valignd(state_->vec(target), state_->vec(high), state_->vec(low), static_cast<std::uint8_t>(lane)); });
  if (state_->with_listing) state_->list("valignd", state_->name(target), state_->name(high), state_->name(low), fmt::format("{}", lane));
}

void Assembler::multiply_add(unsigned sum, unsigned a, unsigned b) {
  state_->emit([&](auto& code) { code.vfmadd231ps(state_->vec(sum), state_->vec(a), state_->vec(b)); });
  state_->list("vfmadd231ps", state_->name(sum), state_->name(a), state_->name(b));
}

void Assembler::multiply_add(unsigned sum, unsigned a, Place b) {
  state_->emit([&](auto& code) { code.vfmadd231ps(state_->vec(sum), state_->vec(a), code.ptr[State::at(b)]); });
  state_->list("vfmadd231ps", state_->name(sum), state_->name(a), state_->name(b));
}

void Assembler::multiply_add_broadcast(unsigned sum, unsigned a, Place b) {
  constexpr std::int32_t unit = sizeof(float);  // of a displacement of one byte
  const bool is_near = b.displacement != 0 && b.displacement % unit == 0 && b.displacement / unit >= -128 && b.displacement / unit < 128;
  is_near ? state_->multiply_add_near(sum, a, b, b.displacement / unit) : state_->emit([&](auto& code) { code.vfmadd231ps(state_->vec(sum), state_->vec(a), code.ptr_b[State::at(b)]); });
  if (state_->with_listing) state_->list("vfmadd231ps", state_->name(sum), state_->name(a), state_->name(b) + " {1to16}");
}

void Assembler::scale_add(unsigned sum, unsigned factor, unsigned term) {
  state_->emit([&](auto& code) { code.vfmadd213ps(state_->vec(sum), state_->vec(factor), state_->vec(term)); });
  state_->list("vfmadd213ps", state_->name(sum), state_->name(factor), state_->name(term));
}

void Assembler::add(unsigned sum, unsigned a) {
  state_->emit([&](auto& code) { code.vaddps(state_->vec(sum), state_->vec(sum), state_->vec(a)); });
  state_->list("vaddps", state_->name(sum), state_->name(sum), state_->name(a));
}

void Assembler::add(unsigned sum, Place a) {
  state_->emit([&](auto& code) { code.vaddps(state_->vec(sum), state_->vec(sum), code.ptr[State::at(a)]); });
  state_->list("vaddps", state_->name(sum), state_->name(sum), state_->name(a));
}

void Assembler::maximum(unsigned sum, unsigned a, Blank blank) {
  state_->emit([&](auto& code) { code.vmaxps(state_->blanked(sum, blank), state_->vec(sum), state_->vec(a)); });
  state_->list("vmaxps", state_->name(sum, blank), state_->name(sum), state_->name(a));
}

void Assembler::minimum(unsigned sum, unsigned a, Blank blank) {
  state_->emit([&](auto& code) { code.vminps(state_->blanked(sum, blank), state_->vec(sum), state_->vec(a)); });
  state_->list("vminps", state_->name(sum, blank), state_->name(sum), state_->name(a));
}

void Assembler::blank(unsigned sum, unsigned vector) {
  state_->emit([&](auto& code) { code.vmovaps(state_->blanked(sum, vector), state_->vec(sum)); });
  state_->list("vmovaps", state_->name(sum, vector), state_->name(sum));
}

void Assembler::begin() {
  state_->emit([&](auto& code) { code.mov(pointer_register(Pointer::store), pointer_register(Pointer::load)); });
  state_->list("mov", pointer_name(Pointer::store), pointer_name(Pointer::load));
}

void Assembler::advance(Pointer pointer, std::int32_t bytes) {
  state_->emit([&](auto& code) { code.add(pointer_register(pointer), bytes); });
  if (state_->with_listing) state_->list("add", pointer_name(pointer), fmt::format("{}", bytes));
}

void Assembler::begin_loop(unsigned rounds) {
  state_->round.emplace();
  state_->emit([&](auto& code) {
    code.mov(code.ecx, rounds);
    code.L(*state_->round);
  });
  state_->list("mov", "ecx", fmt::format("{}", rounds));
  state_->list(fmt::format("L{}:", state_->loops));
}

void Assembler::end_loop() {
  state_->emit([&](auto& code) {
    code.dec(code.ecx);
    code.jnz(*state_->round);
  });
  state_->list("dec", "ecx");
  state_->list("jnz", fmt::format("L{}", state_->loops++));
}

void Assembler::bring_near(std::size_t line) {
  state_->emit([&](auto& code) { code.prefetcht0(code.ptr[code.r10 + line * line_bytes]); });
  if (state_->with_listing) state_->list("prefetcht0", line == 0 ? std::string("[r10]") : fmt::format("[r10+{}]", line * line_bytes));
}

void Assembler::begin_sweep(unsigned wanted, bool goes_ahead) {
  state_->round.emplace();
  state_->emit([&](auto& code) {
    code.mov(pointer_register(Pointer::partial), code.ptr[code.rsp + 8]);
    if (goes_ahead) code.mov(code.r10, code.ptr[code.rsp + 16]);
    code.L(*state_->round);
    for (unsigned v = 0; v < wanted; ++v) code.kmovw(Xbyak::Opmask(static_cast<int>(v + 1)), code.ptr[code.r8 + offsetof(TileStep, wanted) + v * sizeof(TileStep::wanted[0])]);
  });
  state_->list("mov", "rax", "[rsp+8]");
  if (goes_ahead) state_->list("mov", "r10", "[rsp+16]");
  state_->list(fmt::format("L{}:", state_->loops));
  for (unsigned v = 0; v < wanted; ++v) state_->list("kmovw", fmt::format("k{}", v + 1), fmt::format("[r8+{}]", offsetof(TileStep, wanted) + v * sizeof(TileStep::wanted[0])));
}

void Assembler::end_sweep(bool stores, bool skips, std::size_t ahead) {
  const auto step = [&](Pointer pointer, int place) {
    state_->emit([&](auto& code) { code.add(pointer_register(pointer), code.ptr[code.r8 + place]); });
    state_->list("add", pointer_name(pointer), place == 0 ? std::string("[r8]") : fmt::format("[r8+{}]", place));
  };
  step(Pointer::load, 0);
  if (stores) step(Pointer::store, 8);
  if (skips) step(Pointer::skip, 16);
  state_->emit([&](auto& code) {
    if (ahead > 0) code.add(code.r10, static_cast<std::uint32_t>(ahead * line_bytes));
    code.add(code.r8, sizeof(TileStep));
    code.dec(code.r9);
    code.jnz(*state_->round, Xbyak::CodeGenerator::T_NEAR);
  });
  if (ahead > 0) state_->list("add", "r10", fmt::format("{}", ahead * line_bytes));
  state_->list("add", "r8", fmt::format("{}", sizeof(TileStep)));
  state_->list("dec", "r9");
  state_->list("jnz", fmt::format("L{}", state_->loops++));
}

void Assembler::end() {
  state_->emit([&](auto& code) {
    code.vzeroupper();
    code.ret();
  });
  state_->list("vzeroupper");
  state_->list("ret");
}

void Assembler::note(const std::string& text) { state_->list("; " + text); }

std::vector<std::uint8_t> Assembler::bytes() const { return {state_->buffer.get(), state_->buffer.get() + state_->code.getSize()}; }
const std::string& Assembler::listing() const { return state_->listing; }

}  // namespace lacuna::emit::x86
