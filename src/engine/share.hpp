// A share: some inputs that one core takes through the layers. A panel of the share, or a set of them, runs a stretch of layers on its own (they
// stay in cache while the weights pass by), then the share looks for inputs that died or became equal and closes ranks. A share that has become
// thin is parked: its inputs are packed into a parcel, and thin shares are pooled into full ones.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "devices/cpu/node_kernels.hpp"
#include "engine/batch.hpp"
#include "engine/executor.hpp"
#include "engine/workspace.hpp"

namespace lacuna::engine {

/// Inputs between two layers: value v of input ids[k] is values[v * ids.size() + k], over the planes that are live there.
struct Parcel {
  std::size_t layer = 0;  ///< the group that runs next
  std::vector<std::uint32_t> ids;
  base::AlignedFloats values;
};

/// Some lanes of a parcel.
struct Piece {
  const Parcel* parcel;
  std::size_t first;
  std::size_t count;
};

/// Inputs with a nonzero output, and their outputs, row by row.
struct Arrived {
  std::vector<std::uint32_t> ids;
  std::vector<float> values;
};

/// All shares of a run see the same of it.
struct Run {
  const rows::SparseRows& rows;
  const plan::Plan& plan;
  const plan::CountedLayer* counted;  ///< null: the first layer reads planes
  const Batch& batch;
  ExecutorOptions options;
  unsigned lanes;                      ///< of a full panel
  std::vector<std::uint32_t>& leader;  ///< for each input the one it became equal to, or itself
};

/// Where a share may end before the output.
struct Stops {
  std::size_t at;          ///< always before this group (others wait there); the number of groups: nowhere
  bool when_thin = false;  ///< once seven of eight inputs have left
};

class ShareRunner {
 public:
  ShareRunner(const Run& run, Workspace& workspace);

  /// Takes inputs [first, first + count) of the batch, or those of some parcels, to the output or to a stop.
  void run_inputs(std::size_t first, std::size_t count, const Stops& stops);
  void run_pieces(const std::vector<Piece>& pieces, const Stops& stops);

  std::optional<Parcel> take_parcel() { return std::exchange(parcel_, std::nullopt); }
  Arrived take_arrived() { return std::exchange(arrived_, {}); }
  std::uint64_t active_edges() const { return active_edges_; }

 private:
  /// When to look: work done since the last look against the price of one; patience doubles while looks find nothing.
  struct Look {
    double work = 0;
    double patience;
  };

  std::span<Panel> used_panels();
  void seat(std::size_t count);
  void lay_inputs(std::span<Panel> panels, std::size_t end);
  void count_first_layer(std::span<Panel> panels);
  void run_stretch(std::span<Panel> panels, std::size_t begin, std::size_t end);
  std::size_t stretch_end(std::size_t begin, std::size_t stop);
  bool is_due(const Look& look, std::size_t next, double price_of_plane) const;
  bool is_dead_look_due(std::size_t next) const;
  bool is_equal_look_due(std::size_t next) const;
  std::size_t look_around(std::size_t next, std::size_t thin);
  std::size_t sample_size(std::size_t panels) const;
  bool find_dead(std::span<Panel> panels, std::span<const rows::PlaneRange> live);
  std::vector<Follower> find_equals(std::span<const Panel> panels, std::span<const rows::PlaneRange> live);
  bool closing_pays(std::size_t done, std::size_t staying, std::size_t leaving) const;
  void settle(Look& look, bool found);
  void go_on(std::size_t done, std::size_t started, const Stops& stops);
  void park(std::size_t layer);
  void arrive();
  void put_outputs(const Panel& panel, float* rows) const;

  const Run& run_;
  const cpu::Kernels& kernels_;
  const cpu::NodeKernel node_kernel_;
  Workspace& workspace_;
  Look dead_look_, equal_look_;
  std::optional<Parcel> parcel_;
  Arrived arrived_;
  std::vector<std::uint32_t> output_planes_;
  std::uint64_t active_edges_ = 0;
};

}  // namespace lacuna::engine
