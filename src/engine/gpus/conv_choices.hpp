// What runs each convolution and fully connected layer of a network on a GPU: a library of the device that multiplies all weights, or a kernel of ours that multiplies those that are not zero.
// Where both were timed, the faster; otherwise the library where more than half of the weights are not zero. Made without a device.
//
// Of ours, baked code takes seconds to compile for each ten thousand multiply-adds, so there is a budget for a network; it goes to the convolutions with the most pixels for a weight, where it saves
// most.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <lacuna/network.hpp>

#include "devices/gpu/device.hpp"
#include "plan/gpus/conv_kernels.hpp"
#include "plan/plan.hpp"

namespace lacuna::engine::gpus {

/// What the plan has to know of a device.
struct TensorTarget {
  /// For dense layers.
  struct Library {
    std::string name;     ///< "cuDNN 9.1.0"; empty: there is none
    std::string missing;  ///< why, as a sentence
  };

  gpu::Language language = gpu::Language::ptx;
  unsigned multiprocessors = 80;
  Library convs, products;
  std::string why_untimed;  ///< why layers are chosen by a rule: "libraries are not timed on a simulated GPU"
};

struct ConvTimes {
  double own_seconds = 0, dense_seconds = 0;
};

struct ConvChoice {
  plan::gpus::ConvOptions own;  ///< the kernel of ours, also where it is dense: libraries refuse some
  bool is_dense = false;
  std::string library;          ///< that would run it dense: "cuDNN 9.1.0"
  std::string reason;           ///< for --explain; empty: nothing to say
};

/// Of each operator; those that are no convolutions have any. `times`: of each operator, or nothing. Throws Unsupported where all shall be dense and a library is missing.
std::vector<ConvChoice> choose_convs(const Network& network, const TensorTarget& target, plan::KernelWish kernel, std::span<const std::optional<ConvTimes>> times = {});

}  // namespace lacuna::engine::gpus
