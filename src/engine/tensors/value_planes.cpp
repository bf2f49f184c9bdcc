#include "engine/tensors/value_planes.hpp"

#include <algorithm>
#include <map>

#include "devices/cpu/kernels.hpp"
#include "rows/conv_rows.hpp"

namespace lacuna::engine::tensors {
namespace {

bool may_stand_on_planes(const Value& value) {
  const std::size_t axes = value.shape.extents.size();
  return !value.is_constant && value.type == ElementType::f32 && axes >= 2 && axes <= 4 && value.shape.size() > 0;
}

/// Lanes are the inputs of the batch where they fill vectors: no pixel is computed for nothing then, every load is aligned, and strides are free.
rows::Lanes lanes_for(const Shape& shape, cpu::Isa isa) {
  const bool fills_vectors = shape.extents[0] > 1 && shape.extents[0] % cpu::kernels_for(isa).vector_lanes == 0;
  return shape.extents.size() == 2 || fills_vectors ? rows::Lanes::batch : rows::Lanes::pixels;
}

const Conv* conv_of(const Operator& op) {
  const auto* const conv = std::get_if<Conv>(&op.operation);
  return conv != nullptr && conv->kernel.size() <= 2 ? conv : nullptr;
}

/// Rows that begin where lines do, if square planes take no more vectors with them: threads that divide rows then share no line.
std::uint32_t halo_of_whole_lines(std::uint32_t width, std::uint32_t halo) {
  constexpr std::uint32_t line = 16;
  const std::uint32_t pitch = width + halo, whole = (pitch + line - 1) / line * line;
  const auto lines = [&](std::uint32_t row) { return ((width - 1) * std::uint64_t{row} + width + line - 1) / line; };
  return halo > 0 && lines(whole) == lines(pitch) ? whole - width : halo;
}

/// Halos of the values' planes.
std::vector<rows::Halo> halos_of(const Network& network, const rows::Planes* band_input) {
  std::vector<rows::Halo> halos(network.values.size());
  for (const Operator& op : network.operators)
    if (const Conv* const conv = conv_of(op)) {
      const rows::Halo halo = rows::halo_of(*conv);
      rows::Halo& most = halos[static_cast<std::size_t>(op.inputs[0])];
      most = {std::max(most.y, halo.y), std::max(most.x, halo.x)};
    }
  std::map<std::uint32_t, std::uint32_t> halo_of_width;  // rows of one pitch let a sweep run over a whole plane
  if (band_input != nullptr) halo_of_width[band_input->width] = static_cast<std::uint32_t>(band_input->row - band_input->width);
  for (std::size_t k = 0; k < halos.size(); ++k)
    if (may_stand_on_planes(network.values[k])) {
      std::uint32_t& most = halo_of_width[network.values[k].shape.extents.back()];
      most = std::max(most, halos[k].x);
    }
  for (auto& [width, halo] : halo_of_width) halo = halo_of_whole_lines(width, halo);
  for (std::size_t k = 0; k < halos.size(); ++k)
    if (may_stand_on_planes(network.values[k])) halos[k].x = halo_of_width[network.values[k].shape.extents.back()];
  return halos;
}

/// Code of AVX-512 is fastest with tiles of one vector; tables, which other wishes lead to, have wider ones.
std::size_t slab_for(const ChooseOptions& options) {
  const bool takes_code = options.tune != Tune::off && options.kernel != plan::KernelWish::table;
  return options.isa == cpu::Isa::avx512 && takes_code ? rows::narrow_slab : rows::wide_slab;
}

/// Values that slabs are for: convolutions write them, and others read only the pixels they write, all of them with rows of one pitch.
class Slabs {
 public:
  Slabs(const Network& network, const std::vector<rows::Halo>& halos, cpu::Isa isa, std::size_t slab) : network_(network), isa_(isa), slab_(slab), fits_(network.values.size(), false) {
    for (const Operator& op : network.operators)
      if (const Conv* const conv = conv_of(op); conv != nullptr && conv->group_channels > 1)  // depthwise kernels write rows of pixels
        fits_[index(op.output)] = is_large(op.output) && writes_in_pitch(rows::window_of(*conv), op, halos[index(op.output)].x);
    for (const Operator& op : network.operators)
      for (std::size_t k = 0; k < op.inputs.size(); ++k)
        if (op.inputs[k] != no_value && !reads_in_pitch(op, k)) fits_[index(op.inputs[k])] = false;
    for (ValueId id : network.all_outputs()) fits_[index(id)] = false;
  }

  bool fit(std::size_t value) const { return fits_[value]; }

 private:
  static std::size_t index(ValueId id) { return static_cast<std::size_t>(id); }
  const std::vector<std::uint32_t>& extents(ValueId id) const { return network_.value(id).shape.extents; }

  /// More pages than a CPU has at hand, and planes longer than slabs.
  bool is_large(ValueId id) const {
    constexpr std::size_t bytes = 128 << 10;
    const Shape& shape = network_.value(id).shape;
    if (shape.extents.size() != 4 || !may_stand_on_planes(network_.value(id))) return false;
    const std::size_t inputs = lanes_for(shape, isa_) == rows::Lanes::batch ? shape.extents[0] : 1;
    return inputs * shape.extents[2] * shape.extents[3] > slab_ && inputs * shape.size() / shape.extents[0] * sizeof(float) >= bytes;
  }

  bool has_same_pixels(ValueId a, ValueId b) const {
    const auto &first = extents(a), &second = extents(b);
    return first.size() == 4 && second.size() == 4 && first[2] == second[2] && first[3] == second[3];
  }

  /// An input taken apart for a stride has rows of the output's pitch, if that is enough for them.
  bool writes_in_pitch(const rows::Window& w, const Operator& op, std::uint32_t halo) const {
    if (w.stride_y == 1 && w.stride_x == 1) return has_same_pixels(op.inputs[0], op.output);
    return (w.kernel_x - 1) * w.dilation_x / w.stride_x <= halo;
  }

  /// Operand k of a convolution is its input or its skip connection.
  bool reads_in_pitch(const Operator& op, std::size_t k) const {
    const Conv* const conv = conv_of(op);
    if (conv == nullptr) return false;
    const rows::Window w = rows::window_of(*conv);
    return k == 0 ? rows::reads_one_pixel(w) : w.stride_y == 1 && w.stride_x == 1 && has_same_pixels(op.inputs[0], op.output);
  }

  const Network& network_;
  const cpu::Isa isa_;
  const std::size_t slab_;  ///< lanes
  std::vector<bool> fits_;
};

}  // namespace

std::vector<rows::Planes> planes_of_values(const Network& network, const ChooseOptions& options) {
  const std::vector<rows::Halo> halos = halos_of(network, options.band_input);
  const std::size_t slab = slab_for(options);
  const Slabs slabs(network, halos, options.isa, slab);
  std::vector<rows::Planes> planes(network.values.size());
  for (std::size_t k = 0; k < planes.size(); ++k) {
    const Value& value = network.values[k];
    if (!may_stand_on_planes(value)) continue;
    const rows::Lanes lanes = lanes_for(value.shape, options.isa);
    if (options.band_input != nullptr && !slabs.fit(k))
      planes[k] = k == static_cast<std::size_t>(network.input) ? *options.band_input : rows::band_planes_for(value.shape, halos[k].y, halos[k].x);
    else
      planes[k] = slabs.fit(k) ? rows::slabs_for(value.shape, halos[k].x, lanes, slab) : rows::planes_for(value.shape, halos[k].y, halos[k].x, lanes);
  }
  return planes;
}

}  // namespace lacuna::engine::tensors
