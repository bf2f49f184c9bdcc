#include "engine/tensors/bands.hpp"

#include <algorithm>
#include <tuple>

#include "engine/tensors/choose_whole.hpp"
#include "engine/tensors/pool_shape.hpp"
#include "engine/tensors/value_planes.hpp"

namespace lacuna::engine::tensors {
namespace {

std::size_t index(ValueId id) { return static_cast<std::size_t>(id); }

/// How an operator steps down its input's rows, and how far it reads beyond them.
struct Steps {
  std::uint32_t stride = 1;
  rows::RowsBeyond beyond;
};

class Finder {
 public:
  Finder(const Network& network, const std::vector<Choice>& choices, const std::vector<rows::Planes>& planes, unsigned bands) : network_(network), choices_(choices), planes_(planes), bands_(bands), is_inside_(network.values.size(), false) {}

  std::size_t end_from(std::size_t first) {
    ValueId input = no_value;  // the only one from outside
    std::size_t k = first;
    for (; k < network_.operators.size() && choices_[k].world == World::planes; ++k) {
      const Operator& op = network_.operators[k];
      if (op.inputs.empty() || !parts_evenly(op.output)) break;
      if (input == no_value) input = op.inputs[0];
      const bool fits = std::all_of(op.inputs.begin(), op.inputs.end(), [&](ValueId id) { return id != no_value && (id == input || is_inside_[index(id)]) && is_read_band_by_band(op, id); });
      if (!fits || !planes_[index(input)].has_rows_of_pixels()) break;
      is_inside_[index(op.output)] = true;
    }
    return k;
  }

 private:
  const std::vector<std::uint32_t>& extents(ValueId id) const { return network_.value(id).shape.extents; }

  bool parts_evenly(ValueId id) const {
    constexpr std::uint32_t fewest_rows = 4;
    const Value& value = network_.value(id);
    return !value.is_constant && value.type == ElementType::f32 && extents(id).size() == 4 && extents(id)[0] == 1 && extents(id)[2] % bands_ == 0 && extents(id)[2] / bands_ >= fewest_rows;
  }

  bool is_read_band_by_band(const Operator& op, ValueId id) const {
    if (!parts_evenly(id)) return false;
    const std::uint32_t rows = extents(id)[2] / bands_;
    Steps steps;
    if (const auto* conv = std::get_if<Conv>(&op.operation)) {
      if (conv->kernel.size() != 2) return false;
      if (id == op.inputs[0]) steps = {rows::window_of(*conv).stride_y, rows::rows_beyond(rows::window_of(*conv), rows, extents(op.output)[2] / bands_)};
    } else if (const auto pool = pool_shape(network_, op)) {
      if (pool->kernel.size() != 2 || pool->kernel[0] != pool->strides[0] || pool->pads_begin[0] + pool->pads_end[0] > 0) return false;  // else windows would be cut at bands
      steps.stride = pool->strides[0];
    }
    return extents(id)[2] == steps.stride * extents(op.output)[2] && std::max(steps.beyond.above, steps.beyond.below) <= rows;
  }

  const Network& network_;
  const std::vector<Choice>& choices_;
  const std::vector<rows::Planes>& planes_;
  const unsigned bands_;
  std::vector<bool> is_inside_;  ///< of each value
};

rows::Planes band_view(rows::Planes whole, unsigned bands) {
  whole.height /= bands;
  return whole;
}

/// Of each value the most rows of other bands that an operator reads.
std::vector<rows::RowsBeyond> rows_beyond(const Network& band) {
  std::vector<rows::RowsBeyond> beyond(band.values.size());
  for (const Operator& op : band.operators)
    if (const auto* conv = std::get_if<Conv>(&op.operation)) {
      const rows::RowsBeyond of_op = rows::rows_beyond(rows::window_of(*conv), band.value(op.inputs[0]).shape.extents[2], band.value(op.output).shape.extents[2]);
      rows::RowsBeyond& most = beyond[index(op.inputs[0])];
      most = {std::max(most.above, of_op.above), std::max(most.below, of_op.below)};
    }
  return beyond;
}

/// A band is for one thread.
ChooseOptions on_band(ChooseOptions options, const rows::Planes& input) {
  options.makers = options.threads;
  options.threads = 1;
  options.band_input = &input;
  if (options.progress) options.progress = [whole = options.progress](std::string_view, std::size_t done, std::size_t of) { whole("tuning bands", done, of); };
  return options;
}

}  // namespace

std::size_t end_of_bands(const Network& network, const std::vector<Choice>& choices, const std::vector<rows::Planes>& planes, std::size_t first, unsigned bands) {
  return Finder(network, choices, planes, bands).end_from(first);
}

Network band_of(const Network& network, std::size_t first, std::size_t end, unsigned bands) {
  Network band = network;
  band.operators.assign(network.operators.begin() + static_cast<std::ptrdiff_t>(first), network.operators.begin() + static_cast<std::ptrdiff_t>(end));
  band.input = band.operators.front().inputs[0];
  band.other_inputs.clear();
  std::vector<bool> leaves(network.values.size(), false);
  for (ValueId id : network.all_outputs()) leaves[index(id)] = true;
  for (std::size_t k = end; k < network.operators.size(); ++k)
    for (ValueId id : network.operators[k].inputs)
      if (id != no_value) leaves[index(id)] = true;
  std::vector<ValueId> outputs;
  band.values[index(band.input)].shape.extents[2] /= bands;
  for (const Operator& op : band.operators) {
    band.values[index(op.output)].shape.extents[2] /= bands;
    if (leaves[index(op.output)]) outputs.push_back(op.output);
  }
  band.output = outputs.back();
  outputs.pop_back();
  band.other_outputs = std::move(outputs);
  return band;
}

std::shared_ptr<Bands> cut_bands(const Network& network, const ChooseOptions& options, const std::vector<rows::Planes>& planes, std::size_t first, std::size_t end) {
  auto bands = std::make_shared<Bands>();
  bands->first = first;
  bands->end = end;
  bands->network = band_of(network, first, end, options.threads);
  bands->beyond = rows_beyond(bands->network);
  const rows::Planes view = band_view(planes[index(bands->network.input)], options.threads);
  bands->chosen.planes = planes_of_values(bands->network, on_band(options, view));
  return bands;
}

std::shared_ptr<const Bands> make_bands(const Network& network, const ChooseOptions& options, const std::vector<rows::Planes>& planes, std::size_t first, std::size_t end) {
  std::shared_ptr<Bands> bands = cut_bands(network, options, planes, first, end);
  const rows::Planes view = band_view(planes[index(network.operators[first].inputs[0])], options.threads);
  bands->chosen = choose_together(bands->network, on_band(options, view));
  return bands;
}

void choose_bands(const Network& network, const ChooseOptions& options, Chosen& chosen) {
  constexpr std::size_t fewest_operators = 4;
  constexpr double may_lose = 1.02;  // cores may be further apart another time, which bands hardly feel
  if (options.threads < 2 || options.tune == Tune::off || options.kernel != plan::KernelWish::automatic) return;
  std::vector<TensorProgram> programs;
  programs.push_back(build_program(network, chosen.choices, chosen.planes, options.isa, options.threads, chosen.arrangement));
  std::size_t first = programs[0].after_chains, end = first;
  for (std::size_t k = first; k < network.operators.size(); ++k)
    if (const std::size_t end_of_k = end_of_bands(network, chosen.choices, chosen.planes, k, options.threads); end_of_k - k > end - first) std::tie(first, end) = std::pair(k, end_of_k);
  if (end - first < fewest_operators) return;
  std::shared_ptr<const Bands> bands = make_bands(network, options, chosen.planes, first, end);
  programs.push_back(build_program(network, chosen.choices, chosen.planes, options.isa, options.threads, {Sharing::all, chosen.arrangement.chains}, bands.get()));
  const std::vector<double> seconds = run_seconds(programs);
  if (seconds[1] > may_lose * seconds[0]) return;
  chosen.bands = std::move(bands);
  chosen.arrangement.sharing = Sharing::all;
}

}  // namespace lacuna::engine::tensors
