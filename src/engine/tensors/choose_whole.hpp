// The plan of the whole network: the worlds that the costs of its operators suggest, timed against plans that do without some of them.
#pragma once

#include <vector>

#include "engine/tensors/conv_trial.hpp"

namespace lacuna::engine::tensors {

/// Fills choices, seconds_mixed, seconds_dense and fell_back. Needs: planes.
void choose_whole(const Network& network, const ChooseOptions& options, const std::vector<Candidates>& made, const std::vector<Costs>& cost, Chosen& chosen);

using Worlds = std::vector<World>;

/// What was made, in those worlds.
std::vector<Choice> in_worlds(const std::vector<Candidates>& made, const Worlds& worlds);

/// The worlds that take least if all that can stand on planes does.
Worlds worlds_on_planes(const Network& network, std::vector<Costs> cost);

/// Memory to run programs of the same inputs in, on zeros.
class TrialRuns {
 public:
  explicit TrialRuns(const std::vector<TensorProgram>& programs);
  void run(const TensorProgram& program, std::vector<double>* seconds = nullptr) { program.run(reinterpret_cast<std::byte*>(arena_.data()), inputs_, outputs_, seconds); }

 private:
  base::AlignedFloats arena_;
  std::vector<TypedTensor> inputs_;
  OutputMemory outputs_;
};

/// Seconds of a run of each, by turns, on zeros. Needs: the same inputs.
std::vector<double> run_seconds(const std::vector<TensorProgram>& programs);

}  // namespace lacuna::engine::tensors
