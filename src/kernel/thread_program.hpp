// Thread program: what one thread of a GPU does, as a small structured program over typed registers. Every thread of a launch runs the same
// program; threads of a block share memory and meet at barriers. Templates (src/kernel/templates) build it with ThreadBuilder; emitters turn it
// into PTX (src/emit/ptx) and OpenCL C (src/emit/opencl). It knows no driver and no network.
//
//   register   a variable: may be written more than once, also in branches and loops
//   address    of a byte of global memory; arithmetic on it is advance() only
//   shared     the block's own memory, by byte offset (a u32) from its start
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

namespace lacuna::kernel {

enum class Type : std::uint8_t { u32, f32, flag, address };

/// How an element stands in memory. Loads widen it, stores narrow it: u8, u16, u32 to a u32 register; f16, bf16, f32 to an f32 register.
enum class Element : std::uint8_t { u8, u16, u32, f16, bf16, f32 };

struct Register {
  std::uint32_t number = 0;
  Type type = Type::u32;

  bool operator==(const Register&) const = default;
};

/// A register, or a constant by its bits.
struct Source {
  bool is_constant = false;
  Register reg{};
  std::uint32_t bits = 0;
  Type type = Type::u32;

  Source(Register r) : reg(r), type(r.type) {}                     // NOLINT: meant to convert
  Source(std::uint32_t value) : is_constant(true), bits(value) {}  // NOLINT
  Source(float value);                                             // NOLINT
};

/// What a register can be made of. Types: u32 unless said otherwise; "same" is u32 or f32, as the sources.
enum class Arithmetic : std::uint8_t {
  copy,          ///< a, of any type
  add,           ///< same: a + b
  subtract,      ///< same: a - b
  multiply,      ///< same: a * b, the low half for u32
  multiply_add,  ///< same: a * b + c; f32: rounded once
  divide,        ///< same: a / b; f32: correctly rounded
  remainder,     ///< a % b
  minimum,       ///< same; f32: the other one where one is NaN
  maximum,       ///< as minimum
  bit_and,       ///< u32 or flag
  bit_or,        ///< u32 or flag
  bit_xor,       ///< u32 or flag
  bit_not,       ///< u32 or flag, of a
  shift_left,    ///< a << b, b < 32
  shift_right,   ///< a >> b, b < 32, zeros come in
  population,    ///< bits of a that are set
  negate,        ///< f32
  absolute,      ///< f32
  floor,         ///< f32
  square_root,   ///< f32, correctly rounded
  exp2,          ///< f32, 2 to the power of a; within 2 ulp
  log2,          ///< f32, within 2 ulp away from 1
  sine,          ///< f32, of a in [-pi, pi] within 2e-6; beyond it gets worse
  cosine,        ///< as sine
  to_float,      ///< u32 -> f32, rounded to nearest
  to_integer,    ///< f32 -> u32, towards zero, clipped to the range
  as_float,      ///< u32 -> f32, the same bits
  as_integer,    ///< f32 -> u32, the same bits
  select,        ///< a is a flag: b if it is set, c if not; b and c of one type, u32 or f32
};

enum class Comparison : std::uint8_t { equal, not_equal, less, less_equal, greater, greater_equal };

enum class Special : std::uint8_t { thread, block_x, block_y, blocks_x, block_threads };

enum class GpuSpace : std::uint8_t { global, shared };

enum class Atomic : std::uint8_t { add, bit_or, maximum, exchange_if_equal };

struct Compute {  ///< target = operation(a, b, c)
  Arithmetic operation;
  Register target;
  std::vector<Source> sources;
};
struct Compare {  ///< target (a flag) = a ? b, both u32 or both f32; false where one is NaN, but for not_equal
  Comparison comparison;
  Register target;
  Source a, b;
};
struct ReadSpecial {
  Special special;
  Register target;
};
struct Advance {  ///< target = base + index * scale, in bytes; the product has 64 bits
  Register target;
  Register base;
  Source index;
  std::uint32_t scale;
};
/// 1, 2 or 4 elements, side by side and aligned to all of them. `at`: an address for global, a u32 for shared memory.
struct Load {
  GpuSpace space;
  Element element;
  std::vector<Register> targets;
  Source at;
  std::uint32_t offset = 0;
  bool is_constant = false;  ///< nobody writes there while the kernel runs
};
struct Store {
  GpuSpace space;
  Element element;
  Source at;
  std::uint32_t offset = 0;
  std::vector<Source> sources;
};
/// On a u32. `old` gets what stood there. exchange_if_equal: writes b where a stands.
struct AtomicUpdate {
  Atomic operation;
  GpuSpace space;
  Register old;
  Source at;
  std::uint32_t offset = 0;
  Source a, b = Source(0u);
};
struct Barrier {};  ///< all threads of the block; also orders their memory
struct BreakIf {    ///< out of the innermost loop
  Register flag;
  bool when = true;
};
struct ReturnIf {
  Register flag;
  bool when = true;
};
struct Note {  ///< a comment in the emitted text
  std::string text;
};

struct If;
struct Loop;
struct Statement;
using Body = std::vector<Statement>;

struct If {
  Register flag;
  Body then;
  Body otherwise;
};
/// For ever, until a BreakIf.
struct Loop {
  Body body;
};

struct Statement {
  std::variant<Compute, Compare, ReadSpecial, Advance, Load, Store, AtomicUpdate, Barrier, BreakIf, ReturnIf, Note, If, Loop> what;
};

struct Parameter {
  std::string name;
  Type type;           ///< address, u32 or f32
  Register reg;        ///< holds it from the start
  bool is_read = true; ///< address: what the kernel does there
  bool is_written = true;
};

struct ThreadProgram {
  std::string name;
  std::string comment;              ///< template and parameters, for the header of the emitted text
  std::vector<Parameter> parameters;
  std::uint32_t registers = 0;      ///< numbers below this one are used
  std::uint32_t shared_bytes = 0;   ///< of a block
  std::uint32_t block_threads = 0;  ///< of a block, always
  std::uint32_t most_registers = 0; ///< 32-bit registers that the template promises to need at most on a GPU; 0: no promise
  Body body;
};

/// The text form, one statement a line, for golden tests.
std::string print(const ThreadProgram& program);

/// Throws InternalError naming the first broken rule: types that do not fit, a register nobody wrote, a break outside of a loop, ...
void verify(const ThreadProgram& program);

}  // namespace lacuna::kernel
