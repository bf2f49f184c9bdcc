// The kernels that may run a convolution or a fully connected layer, each timed on this machine.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/aligned_buffer.hpp"
#include "engine/tensors/choose.hpp"

namespace lacuna::engine::tensors {

/// What may run an operator: null where there is no way, or none was asked for. Empty for all but convolutions.
struct Candidates {
  std::shared_ptr<const dense::DenseConv> dense{};
  std::shared_ptr<const dense::DenseConv> dense_bf16{};
  std::shared_ptr<const plan::SparseConv> sparse{};  ///< the fastest
};

/// One of the sparse candidates: its number, its time of seconds_of_candidates, and the others as text.
void take_candidate(const std::vector<plan::ConvKernelChoice>& choices, int candidate, Timing& timing);
void pick_fastest(const std::vector<plan::ConvKernelChoice>& choices, Timing& timing);

/// One convolution with memory to try kernels on.
class ConvTrial {
 public:
  ConvTrial(const Network& network, const Operator& op, const std::vector<rows::Planes>& planes, const ChooseOptions& options);

  /// Null where oneDNN has none: the plan then has one candidate less. In bf16 it writes f32 where no dense layer reads on: answers are not rounded again.
  std::shared_ptr<const dense::DenseConv> dense(dense::Type type) const;

  /// Sparse kernels, of the kind that was asked for.
  std::vector<plan::ConvKernelChoice> sparse_choices() const;
  std::shared_ptr<const plan::SparseConv> sparse(const plan::ConvKernelChoice& choice) const;

  /// Makes what is asked for and worth trying, and times it; `--tune off` takes a rule of thumb instead. When its turn comes in a network, other layers have filled the
  /// caches since its last one; so `others` is read before each trial, then the activations, or kernels with much code would look better than they are.
  Candidates run(const base::AlignedFloats& others, Timing& timing) const;

  /// Layers of one shape with about as many nonzeros and the same candidates have the same mark: what was measured for one holds for all.
  std::string mark() const;

 private:
  using DenseList = std::vector<std::shared_ptr<const dense::DenseConv>>;
  using SparseList = std::vector<std::shared_ptr<const plan::SparseConv>>;

  bool has_skip() const { return op_.inputs.size() > 1; }

  /// Times all by turns; seconds in that order.
  std::vector<double> time(const base::AlignedFloats& others, const DenseList& dense, const SparseList& sparse) const;

  const Network& network_;
  const Operator& op_;
  const Conv& conv_;
  const ChooseOptions& options_;
  rows::Planes in_, out_, skip_;
};

}  // namespace lacuna::engine::tensors
