// One neuron of a graph for the inputs of one thread: sum its edges (or what else it does with them), then its function. What the thread reads about the row is the
// same for all lanes of a warp; only the state of its sources differs.
//
//   state     a plane for each node, of all lanes of the tile side by side; a thread's inputs stand side by side in it
//   record    of a row, 4 words: its first quad, how many more quads, kind, bias
//   extra     of a row, 4 words: scale, decay, number of the function's record, 0; read only where the kernel needs one of them
//   quad      4 planes, then 4 weights; the first quad of a row holds its first 1 to 4 edges, the others are full
//   kind      three bytes: ending, aggregation (or row_is_empty), edges of the first quad: the highest, so that they are compared as they stand. (Of fields of three bits
//             LLVM makes whole numbers of three bits, which oclgrind gets wrong.)
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernel/templates/neuron_curve.hpp"
#include "kernel/thread_builder.hpp"

namespace lacuna::kernel {

inline constexpr std::uint32_t row_record_bytes = 16;
inline constexpr std::uint32_t quad_bytes = 32;
inline constexpr std::uint32_t row_is_empty = 7;  ///< in the place of an aggregation: it has no edges and its bias is its argument

constexpr std::uint32_t row_kind(std::uint32_t ending, std::uint32_t aggregation, std::uint32_t head) { return ending | aggregation << 8 | head << 16; }

/// What the rows of a kernel are like; it has code for nothing else.
struct RowKinds {
  std::vector<Ending> endings;            ///< a row names one by its place
  std::vector<std::uint32_t> aggregations;///< ascending, without mean, whose weights are divided; with row_is_empty
  bool has_decay = false;

  bool reads_extra() const;
  bool operator==(const RowKinds&) const = default;
};

/// The planes of a tile as one thread sees them.
struct GraphState {
  GpuSpace space = GpuSpace::shared;
  std::uint32_t plane_bytes = 0;
  unsigned inputs = 1;  ///< of a thread: 1, 2 or 4
  Register at{};        ///< of the thread's first input in plane 0: a byte of shared memory or an address

  Register place(ThreadBuilder& builder, Source plane) const;
  void move(ThreadBuilder& builder, Register place, std::uint32_t planes) const;  ///< on by as many planes
  std::vector<Register> load_at(ThreadBuilder& builder, Register place) const;
  void store_at(ThreadBuilder& builder, Register place, const std::vector<Source>& values) const { builder.store(space, Element::f32, place, 0, values); }
  std::vector<Register> load(ThreadBuilder& builder, Source plane) const { return load_at(builder, place(builder, plane)); }
  void store(ThreadBuilder& builder, Source plane, const std::vector<Source>& values) const { store_at(builder, place(builder, plane), values); }
};

/// Where a row is: its record and extra (addresses), its plane of the state after it, and, where it decays, of the state before it. A loop moves all of them.
struct RowPlace {
  Register record{}, extra{}, target{}, old{};
};

/// Where `quads` and `functions` begin: addresses.
struct RowTables {
  Register quads{}, functions{};
};

/// Reads the row from `before` and writes its plane.
void write_row(ThreadBuilder& builder, const RowKinds& kinds, const RowTables& tables, const RowPlace& row, const GraphState& before);

}  // namespace lacuna::kernel
