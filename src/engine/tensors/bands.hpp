// Bands: threads part an image by rows. Each takes its band through several layers in memory of its own, as if it were an image; where a layer reads beyond, it first copies the rows that the
// neighbours have computed. Nothing else that one core writes is read or written by another, and threads wait for each other only where rows are copied.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <lacuna/network.hpp>

#include "engine/tensors/choose.hpp"
#include "rows/conv_rows.hpp"

namespace lacuna::engine::tensors {

struct Bands {
  std::size_t first = 0, end = 0;  ///< operators of the whole network
  Network network;                 ///< the same operators on one band; values keep their numbers
  Chosen chosen;                   ///< for it
  std::vector<rows::RowsBeyond> beyond;  ///< of each value: rows of other bands that are read
};

/// The operator after the last of those from `first` on that can run in bands: all on planes, no value but one from before, heights that part evenly. `first` if none can.
std::size_t end_of_bands(const Network& network, const std::vector<Choice>& choices, const std::vector<rows::Planes>& planes, std::size_t first, unsigned bands);

/// Operators [first, end) on one of `bands` bands.
Network band_of(const Network& network, std::size_t first, std::size_t end, unsigned bands);

/// All but kernels for them; planes of the values are in `chosen`. Needs: end <= end_of_bands().
std::shared_ptr<Bands> cut_bands(const Network& network, const ChooseOptions& options, const std::vector<rows::Planes>& planes, std::size_t first, std::size_t end);

/// The same with kernels.
std::shared_ptr<const Bands> make_bands(const Network& network, const ChooseOptions& options, const std::vector<rows::Planes>& planes, std::size_t first, std::size_t end);

/// Times the plan with the longest stretch of bands against the one without. Needs: choices and the arrangement; changes bands.
void choose_bands(const Network& network, const ChooseOptions& options, Chosen& chosen);

/// A value that leaves the bands: where it stands in them, and in the whole network.
struct LeavingBands {
  std::size_t from, to;  ///< buffers
  rows::Planes band, whole;
};

/// Runs `band`, a program for one band, on all; `input`, `arenas` are buffers of the whole network, `first` its operator.
StepPointer bands_step(TensorProgram band, std::size_t first, rows::Planes input_planes, std::size_t input, std::size_t arenas, unsigned bands, std::vector<LeavingBands> leaving);

/// Copies rows from the bands above and below into the halo of `buffer`.
StepPointer fetch_rows_step(const rows::Planes& planes, rows::RowsBeyond beyond, std::size_t buffer);

}  // namespace lacuna::engine::tensors
