// Batches input by input: the first part of a network that treats the inputs of a batch apart (convolutions, pooling, element by element) is compiled for one input and one
// thread, and every thread takes inputs through all of it: the activations of one input stay in the cache, those of a whole batch do not. The rest of the network, fully
// connected layers above all, whose weights are worth sharing, runs on the whole batch.
//
// Small planes, towards the end of that first part, may be made by code that no cache holds from one input to the next: there a thread takes a few of its inputs at a time,
// and code comes from memory once for all of them (decision 0027).
#pragma once

#include <optional>

#include "engine/tensors/choose.hpp"

namespace lacuna::engine::tensors {

/// A network in two, one after the other, and what was chosen for each. Values keep their numbers.
struct Split {
  Network one;   ///< the first part, for `inputs` inputs
  Network rest;  ///< for the whole batch
  std::uint32_t inputs = 1;  ///< that a thread takes at a time; where these are a few, the first part is split again: what comes before small planes runs input by input
  Chosen of_one;
  Chosen of_rest;
};

/// The first so many operators that can run input by input; 0 where there are none, or where it would leave threads idle.
std::size_t count_one_by_one(const Network& network, const ChooseOptions& options);

/// The first `operators` operators for so many inputs, and the others for the whole batch. Needs: 0 < operators <= count_one_by_one().
std::pair<Network, Network> split_at(const Network& network, std::size_t operators, std::uint32_t inputs = 1);

/// The operators of a network for one input that come before its last ones, if those make small planes by code that no cache holds from one input to the next; else all of them.
std::size_t count_before_large_code(const Network& one);

/// Chooses for both parts, and times the whole against all dense on the whole batch, and against a plan for the whole batch where that is soon found; the fastest is taken.
Chosen choose_one_by_one(const Network& network, std::size_t operators, const ChooseOptions& options);

TensorProgram build_split(const Network& network, const Split& split, unsigned threads);

}  // namespace lacuna::engine::tensors
