// oneDNN's best dense convolution in float32, ready to run: formats of its choice, weights reordered beforehand, bias and ReLU fused.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "layers.hpp"

namespace lacuna::bench {

class DenseConv {
 public:
  /// `input` is row-major.
  DenseConv(const Layer& layer, std::uint32_t batch, const std::vector<float>& input);
  ~DenseConv();

  void run();
  std::vector<float> output() const;  ///< row-major
  std::string kernel() const;         ///< the library's name for it

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lacuna::bench
