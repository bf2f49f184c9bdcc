// Is the answer right? Outputs against the reference, survivors against a truth file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <lacuna/compile.hpp>
#include <lacuna/network.hpp>

namespace lacuna {

struct Verdict {
  bool right = true;
  std::size_t checked = 0;      ///< inputs compared
  double largest_error = 0;     ///< |output - reference| / max(1, |reference|)
  double tolerance = 0;
  std::string sentence;         ///< what is wrong, or how it was checked
};

/// Recomputes `sample` inputs, evenly spread and always some of the survivors, with the reference in double. Values must agree within
/// `tolerance`; an input the reference finds clearly alive must be among the survivors and the other way round.
Verdict check_outputs(const Network& network, const SparseMatrix& inputs, const Outputs& outputs, std::size_t sample, double tolerance = 1e-3,
                      unsigned threads = 0);

/// Recomputes a network of tensors by the plain loops of the reference, the network as given. Outputs must agree within `tolerance` of the largest
/// magnitude of their tensor. Neuron graphs: some rows, evenly spread; bit for bit if they are f64, else within a running error bound in place of `tolerance`.
Verdict check_outputs(const Network& network, std::span<const TypedTensor> inputs, std::span<const TypedTensor> outputs, double tolerance = 1e-4);

/// The full sets must be equal.
Verdict check_survivors(std::span<const std::uint32_t> survivors, std::span<const std::uint32_t> truth);

}  // namespace lacuna
