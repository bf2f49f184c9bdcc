// How the memory operands of a thread program are best written in PTX, found by looking at the whole program before it is emitted.
//
//   folded addresses   a constant distance from another address: never computed, the distance goes into [address+distance]
//   shared pointers    u32 registers that are only used as places in shared memory: they hold the address that the hardware wants, so that the
//                      place where the block's memory begins is added once, where the value is made, and not at every access
//   shadows            other u32 registers that are used as places: a second register follows them, that much beyond
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/thread_program.hpp"

namespace lacuna::emit::ptx {

class Places {
 public:
  explicit Places(const kernel::ThreadProgram& program);

  struct Folded {
    kernel::Register base;
    std::uint64_t distance;
  };

  bool is_folded(kernel::Register reg) const { return is_folded_[reg.number]; }
  Folded resolve(kernel::Register address) const;  ///< through all folds

  bool is_shared_pointer(kernel::Register reg) const { return reg.type == kernel::Type::u32 && is_pointer_[reg.number]; }
  bool is_shared_pointer(const kernel::Source& source) const { return !source.is_constant && is_shared_pointer(source.reg); }
  bool has_shadow(kernel::Register reg) const { return reg.type == kernel::Type::u32 && has_shadow_[reg.number]; }

  bool is_read(kernel::Register reg) const { return is_read_[reg.number]; }

 private:
  void find_reads(const kernel::ThreadProgram& program);
  void find_folds(const kernel::ThreadProgram& program);
  void find_pointers(const kernel::ThreadProgram& program);

  std::vector<bool> is_folded_, is_pointer_, has_shadow_, is_read_;
  std::vector<Folded> folds_;
};

}  // namespace lacuna::emit::ptx
