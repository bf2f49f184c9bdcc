// The instructions that kernels are written with, by what they do; encoded by Xbyak and, when asked, written down as text too.
// Registers are numbers; their width is that of the target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emit/x86/emit.hpp"

namespace lacuna::emit::x86 {

/// General registers that hold addresses. All need no prefix of their own.
enum class Pointer : std::uint8_t { load = 7 /* rdi */, store = 2 /* rdx */, constant = 6 /* rsi */, skip = 1 /* rcx */, partial = 0 /* rax */ };

struct Place {
  Pointer pointer;
  std::int32_t displacement;
};

class Assembler {
 public:
  /// Throws InternalError, here and later, when more than `most_bytes` are emitted or an operand does not exist.
  Assembler(Target target, std::size_t most_bytes, bool with_listing);
  ~Assembler();

  /// As new: no code and no listing.
  void restart();

  void clear(unsigned target);
  void copy(unsigned target, unsigned source);
  void load(unsigned target, Place source);
  void store(Place target, unsigned source);
  void broadcast(unsigned target, Place source);       ///< one float to all lanes
  void broadcast_four(unsigned target, Place source);  ///< four floats to every 128 bits
  void spread(unsigned target, unsigned source, unsigned lane);  ///< one of four floats to all lanes

  void join(unsigned target, unsigned low, unsigned high, unsigned lane);  ///< the lanes of `low` from `lane` on, then those of `high`; AVX-512 only

  void multiply_add(unsigned sum, unsigned a, unsigned b);            ///< sum += a * b
  void multiply_add(unsigned sum, unsigned a, Place b);
  void multiply_add_broadcast(unsigned sum, unsigned a, Place b);     ///< b is one float for all lanes; AVX-512 only
  void scale_add(unsigned sum, unsigned factor, unsigned term);       ///< sum = sum * factor + term
  void add(unsigned sum, unsigned a);
  void add(unsigned sum, Place a);
  /// Vector of a tile whose lanes that are not wanted become zero; AVX-512 only.
  using Blank = std::optional<unsigned>;
  void maximum(unsigned sum, unsigned a, Blank blank = std::nullopt);
  void minimum(unsigned sum, unsigned a, Blank blank = std::nullopt);
  void blank(unsigned sum, unsigned vector);

  void begin();                                   ///< the function: memory and constants are its arguments
  void advance(Pointer pointer, std::int32_t bytes);
  void begin_loop(unsigned rounds);               ///< loops do not nest
  void end_loop();
  void end();

  /// A loop over tiles whose distances are a list in memory: the function's fifth argument, the number of tiles being its sixth; the seventh is
  /// where partial sums are. Between the two the pointers must come back to where they were.
  /// `wanted`: so many vectors have lanes that are wanted and others; the list says which.
  /// `goes_ahead`: the eighth argument is memory to bring near.
  void begin_sweep(unsigned wanted, bool goes_ahead);
  void bring_near(std::size_t line);              ///< so many lines after that of this tile
  void end_sweep(bool stores, bool skips, std::size_t ahead);  ///< whether these pointers are used; lines that a tile brought near
  void note(const std::string& text);             ///< in the listing only

  std::vector<std::uint8_t> bytes() const;
  const std::string& listing() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lacuna::emit::x86
