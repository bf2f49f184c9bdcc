#include "at_scale_runner.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include "plan/gpus/kernel_text.hpp"
#include "support/at_scale_scheme.hpp"

namespace bench {

using namespace lacuna;
namespace at_scale = tests::at_scale;

AtScaleRunner::AtScaleRunner(std::shared_ptr<gpu::Device> device) : device_(std::move(device)) {
  const kernel::ThreadProgram program = at_scale::build();
  kernel_ = plan::gpus::load_kernels(std::span(&program, 1), *device_).front();
}

std::vector<float> AtScaleRunner::run(const SparseMatrix& weights, float bias, const std::vector<float>& values) {
  const at_scale::Layer layer = at_scale::pack(weights);
  padding_ = layer.padding();
  const std::size_t rows = values.size() / weights.columns;
  const auto upload = [&](const auto& list) {
    const gpu::BufferPointer buffer = device_->allocate(std::max<std::size_t>(list.size() * sizeof(list[0]), 16));
    device_->write(buffer, 0, std::as_bytes(std::span(list)));
    return buffer;
  };
  std::vector<std::uint32_t> categories(rows);
  std::iota(categories.begin(), categories.end(), 0u);
  std::vector<float> outputs(rows * weights.rows);
  const gpu::BufferPointer out = device_->allocate(outputs.size() * sizeof(float));
  const gpu::BufferPointer flags = upload(std::vector<std::uint32_t>(rows, 0));
  const std::vector<gpu::Argument> arguments{upload(values),
                                             out,
                                             upload(categories),
                                             static_cast<std::uint32_t>(rows),
                                             upload(layer.stages),
                                             upload(layer.map_begin),
                                             upload(layer.map),
                                             upload(layer.slot_begin),
                                             upload(layer.index),
                                             upload(layer.value),
                                             flags,
                                             weights.rows,
                                             bias};
  device_->launch({kernel_, weights.rows / at_scale::block_outputs, static_cast<std::uint32_t>((rows + at_scale::minibatch - 1) / at_scale::minibatch), arguments});
  device_->read(out, 0, std::as_writable_bytes(std::span(outputs)));
  return outputs;
}

}  // namespace bench
