// Neuron graphs and populations: lanes are inputs, a block computes one graph for a tile of inputs, and the state of all its nodes is in shared memory where it fits.
//
//   tile       32 lanes; a thread has an input in each of 1, 2 or 4 tiles that follow each other. A plane is a node's values for all of them: [lane][tile]
//   whole      block (x: member of the population, y: its tiles) goes through all rows of its member, step after step of a sequence. Several warps divide the rows of a
//              level and meet at a barrier after it; one warp alone needs none, for a thread reads nothing but its own inputs.
//   parts      one large graph with few inputs: a launch for each part, a warp for each plane or row, state in global memory
//
// Members differ in everything but their kinds of rows: what tells them apart is in tables (src/plan/gpus/graph_pack.hpp).
#pragma once

#include <cstdint>
#include <string>

#include <lacuna/neuron_graph.hpp>

#include "kernel/templates/graph_row.hpp"
#include "kernel/thread_program.hpp"

namespace lacuna::kernel {

/// A member of a population in the table of members.
struct GraphMember {
  std::uint32_t first_row = 0;     ///< in records
  std::uint32_t first_level = 0;   ///< in levels, where each member has one word more than levels: its rows before each, and all
  std::uint32_t levels = 0;
  std::uint32_t inputs = 0;
  std::uint32_t rows = 0;
  std::uint32_t first_output = 0;  ///< in outputs, a list of planes; also the outputs of all members before
  std::uint32_t outputs = 0;
  std::uint32_t planes_before = 0; ///< of all members before
  std::uint32_t updates = 1;       ///< for one row of inputs
  std::uint32_t first_input = 0;   ///< its first input among all columns of the inputs
  std::uint32_t zero[2] = {0, 0};
};
static_assert(sizeof(GraphMember) == 48);

struct GraphShape {
  RowKinds kinds;
  Update update = Update::feed_forward;
  unsigned inputs_of_thread = 1;  ///< 1, 2 or 4
  unsigned warps = 1;             ///< of a block
  bool is_in_shared = true;       ///< the state
  std::uint32_t planes = 0;       ///< of the largest member

  unsigned plane_inputs() const { return 32 * inputs_of_thread; }
  unsigned copies() const { return update == Update::feed_forward ? 1 : 2; }  ///< of the state: before and after
  std::uint64_t state_bytes() const { return std::uint64_t{planes} * plane_inputs() * 4 * copies(); }
};

/// What a kernel does. All take the same arguments in the same order: graph_addresses, then graph_words.
enum class GraphPart : std::uint8_t { whole, begin_state, inputs, rows, outputs, end_state };

/// members, records, extras, quads, functions, levels, outputs: tables. columns: the inputs, [step][tile][column][lane]. results: [member][step][input][output].
/// kept: states from run to run, [member][block y][plane]. arena: state, where it is not in shared memory: [block y][member of the launch][copy][plane].
/// Then words: first_member; inputs: of the batch; tiles: a multiple of those of a thread; all_columns; steps; keeps: 0 or 1; first_block, all_blocks: of `kept`, for
/// inputs that are cut up; step, first, end, flip: parts only: the step, rows from first up to end, and which copy is read.
inline constexpr const char* graph_addresses[] = {"members", "records", "extras", "quads", "functions", "levels", "outputs", "columns", "results", "kept", "arena"};
inline constexpr const char* graph_words[] = {"first_member", "inputs", "tiles", "all_columns", "steps", "keeps", "first_block", "all_blocks", "step", "first", "end", "flip"};

/// Of a kernel: all of the shape but its kinds of rows.
std::string name_of(const GraphShape& shape, GraphPart part);

/// Parts other than `whole` need: the state is in global memory.
ThreadProgram neuron_graph(const GraphShape& shape, GraphPart part);

/// rows[step][input][column] -> columns[step][tile][all columns][lane], from column `first` on: block (x: four tiles, y: step, from first_step on). Lanes beyond the
/// inputs become 0. Arguments: rows, columns, inputs, tiles, width (of rows), first, all_columns, first_step.
ThreadProgram rows_to_columns();

}  // namespace lacuna::kernel
