// Which kernel runs each operator of a network of tensors: every convolution is timed dense and sparse on this machine, then the worlds are chosen
// so that the whole, with the copies between them, takes least. The result is never slower than all dense: that is measured too.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <lacuna/compile.hpp>
#include <lacuna/network.hpp>
#include <lacuna/progress.hpp>

#include "devices/cpu/isa.hpp"
#include "engine/precision.hpp"
#include "engine/tensors/tensor_program.hpp"
#include "plan/plan.hpp"

namespace lacuna::engine::tensors {

enum class Tune { off, fast, full };

/// "off", "fast" or "full". Throws InputError for any other word.
Tune parse_tune(std::string_view word);

/// Where the values of a part of a network stand, so that the parts fit together.
struct PartPlanes {
  std::string name;                  ///< tells it from other parts and networks
  std::vector<rows::Planes> planes;  ///< of each value
};

struct ChooseOptions {
  cpu::Isa isa;
  unsigned threads = 1;
  plan::KernelWish kernel = plan::KernelWish::automatic;
  Tune tune = Tune::fast;
  Progress progress = {};
  Precision precision = Precision::f32;  ///< bf16: dense layers may be f32 or bf16
  const rows::Planes* band_input = nullptr;  ///< where the input stands of a network that is a band of another (bands.hpp): all of it runs on planes
  const PartPlanes* part = nullptr;          ///< of a part of a network that hands values over on planes (one_by_one.hpp)
  unsigned makers = 0;                       ///< threads that make kernels; 0: as many as run them
};

inline unsigned makers_of(const ChooseOptions& options) { return options.makers != 0 ? options.makers : options.threads; }

/// Of one convolution.
struct Timing {
  int candidate = -1;         ///< of plan::conv_candidates; -1: none
  double seconds_sparse = 0;  ///< 0: not measured
  double seconds_dense = 0;
  double seconds_bf16 = 0;    ///< dense
  std::vector<double> seconds_of_candidates;  ///< of all, while they are compared
  std::vector<std::string> losers;            ///< "table 1 x 7: 0.41 ms"
};

struct Split;
struct Bands;

struct Chosen {
  cpu::Isa isa{};                    ///< of kernels that are not chosen, such as pooling
  std::vector<rows::Planes> planes;  ///< of each value
  std::vector<Choice> choices;       ///< of each operator
  std::vector<Timing> timings;       ///< of each operator; empty but for convolutions
  double seconds_mixed = 0;          ///< the whole as chosen, and all dense in f32; 0: not measured
  double seconds_dense = 0;
  bool fell_back = false;            ///< all dense was faster
  Arrangement arrangement;
  bool is_timed = true;              ///< false: the timings only rank, by a rule of thumb
  std::string cache_note;
  std::shared_ptr<const Split> split;  ///< the first operators run input by input (one_by_one.hpp); null: all run on the whole batch
  std::shared_ptr<const Bands> bands;  ///< some operators run band by band (bands.hpp); null: none do
};

/// What was chosen, ready to run.
TensorProgram build(const Network& network, const Chosen& chosen, unsigned threads);

Chosen choose(const Network& network, const ChooseOptions& options);

/// The same without a split: every operator on the whole batch.
Chosen choose_together(const Network& network, const ChooseOptions& options);

/// Seconds of an operator in every world, infinite where there is no way.
using Costs = std::array<double, world_count>;

/// Given the cost of every operator: the worlds that take least with the copies between them. Exposed for tests.
std::vector<World> choose_worlds(const Network& network, const std::vector<Costs>& cost);

}  // namespace lacuna::engine::tensors
