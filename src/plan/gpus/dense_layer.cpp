#include "plan/gpus/dense_layer.hpp"

#include <fmt/format.h>

#include "plan/gpus/places.hpp"
#include "rows/conv_rows.hpp"

namespace lacuna::plan::gpus {
namespace {

gpu::DensePlanes planes_of(const rows::Planes& planes) {
  return {planes.batch, planes.channels, planes.height, planes.width, planes.origin, planes.image, planes.channel, planes.row};
}

/// Outputs of an axis where both ends are padded alike.
std::uint32_t outputs(std::uint32_t extent, std::uint32_t pad, std::uint32_t kernel, std::uint32_t dilation, std::uint32_t stride) {
  const std::uint32_t padded = extent + 2 * pad, reach = (kernel - 1) * dilation + 1;
  return padded < reach ? 0 : (padded - reach) / stride + 1;
}

kernel::StridedOperand operand_of(const rows::Planes& planes) {
  const kernel::PixelView view = view_of(planes);
  return {{planes.batch, planes.channels, planes.height, planes.width}, {view.image, view.channel, view.row, view.column}, view.origin};
}

}  // namespace

std::string why_not_dense(const Conv& conv, const rows::Planes& in, const rows::Planes& out) {
  if (in.column != 1 || out.column != 1) return "its pixels do not stand side by side";
  if (conv.kernel.empty()) {
    if (conv.groups != 1) return fmt::format("a fully connected layer of {} groups is not one product", conv.groups);
    if (in.channel != 1 || out.channel != 1) return "its values do not stand side by side";
    return {};
  }
  const rows::Window w = rows::window_of(conv);
  // What is padded at the end only matters for how many outputs there are.
  if (outputs(in.height, w.pad_y, w.kernel_y, w.dilation_y, w.stride_y) != out.height || outputs(in.width, w.pad_x, w.kernel_x, w.dilation_x, w.stride_x) != out.width)
    return fmt::format("its padding is {}x{} at the beginning and {}x{} at the end, and libraries take one for both", w.pad_y, w.pad_x, w.pad_y_end, w.pad_x_end);
  return {};
}

gpu::DenseLayer dense_layer(const Conv& conv, const rows::Planes& in, const rows::Planes& out) {
  if (conv.kernel.empty()) return gpu::DenseProduct{in.batch, in.channels, out.channels, {in.origin, in.image}, {out.origin, out.image}};
  const rows::Window w = rows::window_of(conv);
  return gpu::DenseConv{planes_of(in), planes_of(out), conv.groups, w.kernel_y, w.kernel_x, w.stride_y, w.stride_x, w.dilation_y, w.dilation_x, w.pad_y, w.pad_x};
}

std::optional<kernel::LayerEnding> ending_of(const std::string& name, const Conv& conv, const rows::Planes& out, const rows::Planes* skip) {
  if (conv.bias.empty() && skip == nullptr && conv.activation == Activation()) return std::nullopt;
  kernel::LayerEnding ending;
  ending.name = name + "_ending";
  ending.output = operand_of(out);
  ending.elements = out.batch * out.channels * out.height * out.width;
  ending.activation = conv.activation;
  if (!conv.bias.empty()) ending.bias = kernel::StridedOperand{ending.output.extents, {0, 1, 0, 0}, 0};
  if (skip != nullptr) ending.skip = operand_of(*skip);
  return ending;
}

}  // namespace lacuna::plan::gpus
