#include "engine/tensors/conv_trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <lacuna/error.hpp>

#include "base/team.hpp"
#include "engine/tensors/pool_shape.hpp"
#include "plan/measure.hpp"

namespace lacuna::engine::tensors {
namespace {

using dense::Type;
using plan::KernelWish;

double sparsity_of(const Conv& conv) {
  if (conv.weights.empty()) return 0;
  return static_cast<double>(std::count(conv.weights.begin(), conv.weights.end(), 0.0f)) / static_cast<double>(conv.weights.size());
}

/// Nearly full weights run dense: code for them takes long to make and does not win. First and depthwise layers have few weights, many pixels, and want the planes of their neighbours.
bool is_worth_trying_sparse(const Conv& conv, Tune tune) {
  constexpr double nearly_full = 0.3;
  constexpr std::size_t few_weights = 10'000;
  return tune == Tune::full || conv.group_channels == 1 || conv.weights.size() <= few_weights || sparsity_of(conv) >= nearly_full;
}

bool has_dense_reader(const Network& network, ValueId id) {
  return std::any_of(network.operators.begin(), network.operators.end(), [&](const Operator& op) {
    const bool reads = std::find(op.inputs.begin(), op.inputs.end(), id) != op.inputs.end();
    return reads && (std::holds_alternative<Conv>(op.operation) || pool_shape(network, op));
  });
}

/// Instead of the clock: sparse from 70% zeros, and bf16 does two multiply-adds where f32 does one.
void guess(const Conv& conv, const Candidates& made, Timing& timing) {
  constexpr double worth_it = 0.7;
  timing.seconds_sparse = made.sparse ? (sparsity_of(conv) > worth_it ? 1e-9 : 1e9) : 0;
  timing.seconds_dense = made.dense ? 1 : 0;
  timing.seconds_bf16 = made.dense_bf16 ? 0.5 : 0;
}

/// Reads a part of every `pitch` floats, as threads that divide planes by rows do.
void read_part(const base::AlignedFloats& memory, std::size_t pitch, unsigned part, unsigned parts) {
  constexpr std::size_t line = 16;
  const volatile float* const floats = memory.data();
  for (std::size_t plane = 0; pitch > 0 && plane < memory.size(); plane += pitch)
    for (std::size_t k = plane + pitch * part / parts; k < std::min(plane + pitch * (part + 1) / parts, memory.size()); k += line) static_cast<void>(floats[k]);
}

}  // namespace

void pick_fastest(const std::vector<plan::ConvKernelChoice>& choices, Timing& timing) {
  const std::vector<double>& seconds = timing.seconds_of_candidates;
  take_candidate(choices, static_cast<int>(std::min_element(seconds.begin(), seconds.end()) - seconds.begin()), timing);
}

void take_candidate(const std::vector<plan::ConvKernelChoice>& choices, int candidate, Timing& timing) {
  const std::vector<double>& seconds = timing.seconds_of_candidates;
  const auto best = static_cast<std::size_t>(candidate);
  timing.candidate = candidate;
  timing.seconds_sparse = seconds[best];
  timing.losers.clear();
  for (std::size_t k = 0; k < seconds.size(); ++k)
    if (k != best) timing.losers.push_back(fmt::format("{}: {:.3f} ms", to_string(choices[k]), seconds[k] * 1e3));
}

ConvTrial::ConvTrial(const Network& network, const Operator& op, const std::vector<rows::Planes>& planes, const ChooseOptions& options)
    : network_(network), op_(op), conv_(std::get<Conv>(op.operation)), options_(options), in_(planes[static_cast<std::size_t>(op.inputs[0])]),
      out_(planes[static_cast<std::size_t>(op.output)]) {
  if (has_skip()) skip_ = planes[static_cast<std::size_t>(op.inputs[1])];
}

std::shared_ptr<const dense::DenseConv> ConvTrial::dense(Type type) const {
  dense::use_threads(options_.threads);  // oneDNN cuts up the work when a convolution is made
  const Type written = has_dense_reader(network_, op_.output) ? type : Type::f32;
  try {
    return std::make_shared<const dense::DenseConv>(conv_, network_.value(op_.inputs[0]).shape, network_.value(op_.output).shape, has_skip(), dense::ConvTypes{type, written});
  } catch (const Unsupported&) {
    return nullptr;
  }
}

std::vector<plan::ConvKernelChoice> ConvTrial::sparse_choices() const {
  if (conv_.kernel.size() > 2 || in_.floats == 0 || out_.floats == 0) return {};
  auto all = plan::conv_candidates(conv_, in_, out_, has_skip() ? &skip_ : nullptr, options_.isa);
  std::erase_if(all, [&](const plan::ConvKernelChoice& choice) {
    const bool is_baked = choice.kind == plan::ConvKernelKind::baked;
    if (choice.kind == plan::ConvKernelKind::depthwise && has_skip()) return true;  // it would be a table under another name
    return (options_.kernel == KernelWish::table && (is_baked || choice.kind == plan::ConvKernelKind::line_pairs)) || (options_.kernel == KernelWish::baked && !is_baked);
  });
  return all;
}

std::shared_ptr<const plan::SparseConv> ConvTrial::sparse(const plan::ConvKernelChoice& choice) const {
  return std::make_shared<const plan::SparseConv>(conv_, in_, out_, has_skip() ? &skip_ : nullptr, choice, options_.isa, options_.threads);
}

std::vector<double> ConvTrial::time(const base::AlignedFloats& others, const DenseList& dense, const SparseList& sparse) const {
  std::size_t input_bytes = in_.floats * sizeof(float), output_bytes = out_.floats * sizeof(float), scratch_bytes = 0;
  for (const auto& conv : dense) {
    input_bytes = std::max(input_bytes, conv->input().get_size());
    output_bytes = std::max(output_bytes, conv->output().get_size());
    scratch_bytes = std::max(scratch_bytes, conv->scratch_bytes());
  }
  for (const auto& conv : sparse) scratch_bytes = std::max(scratch_bytes, conv->scratch_floats() * sizeof(float));
  constexpr std::size_t apart = rows::apart_in_page;
  const auto memory = [](std::size_t bytes) {
    base::AlignedFloats made(bytes / sizeof(float) + 2 * apart + 16);
    std::fill_n(made.data(), made.size(), 0.25f);  // as bf16: 0 and 0.25 by turns
    return made;
  };
  base::AlignedFloats input = memory(input_bytes), output = memory(output_bytes), scratch = memory(scratch_bytes);
  base::AlignedFloats skip = memory(has_skip() ? std::max(skip_.floats * sizeof(float), output_bytes) : 0);
  float *const written = output.data() + apart, *const added = has_skip() ? skip.data() + 2 * apart : nullptr;
  const auto bytes_of = [](float* floats) { return reinterpret_cast<std::byte*>(floats); };
  dense::use_threads(options_.threads);
  std::vector<std::function<void()>> rivals;
  for (const auto& conv : dense) rivals.push_back([&, conv] { conv->run(bytes_of(input.data()), bytes_of(added), bytes_of(written), bytes_of(scratch.data())); });
  for (const auto& conv : sparse) rivals.push_back([&, conv] { conv->run(input.data(), added, written, scratch.data()); });
  const auto forget = [&] {  // all but the activations, which the layers before have just used
    base::run_team(options_.threads, [&](unsigned worker) {
      read_part(others, others.size(), worker, options_.threads);
      read_part(skip, skip_.divided(), worker, options_.threads);
      read_part(output, out_.divided(), worker, options_.threads);
      read_part(input, in_.divided(), worker, options_.threads);
    });
  };
  return rivals.empty() ? std::vector<double>{} : plan::fewest_seconds_after(forget, rivals, options_.tune == Tune::full ? 0.2 : 0.02);
}

std::string ConvTrial::mark() const {
  constexpr double alike = 1.03;  // nonzeros
  const auto nonzeros = static_cast<double>(std::count_if(conv_.weights.begin(), conv_.weights.end(), [](float weight) { return weight != 0; }));
  const auto list = [](const auto& numbers) { return fmt::format("{}", fmt::join(numbers, "x")); };
  std::string candidates;
  for (const plan::ConvKernelChoice& choice : sparse_choices()) candidates += to_string(choice) + ";";
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", list(network_.value(op_.inputs[0]).shape.extents), list(network_.value(op_.output).shape.extents), conv_.groups, list(conv_.kernel),
                     list(conv_.strides), list(conv_.dilations), list(conv_.pads_begin), list(conv_.pads_end), static_cast<int>(conv_.activation.kind), has_skip(), in_.halo_x, out_.halo_x, in_.slab, out_.slab, skip_.slab,
                     std::lround(std::log(nonzeros + 1) / std::log(alike)), candidates);
}

Candidates ConvTrial::run(const base::AlignedFloats& others, Timing& timing) const {
  const bool is_on_planes = options_.band_input != nullptr;
  const bool want_dense = !is_on_planes && (options_.kernel == KernelWish::automatic || options_.kernel == KernelWish::dense);
  const bool want_sparse = is_on_planes || (options_.kernel != KernelWish::dense && (options_.kernel != KernelWish::automatic || is_worth_trying_sparse(conv_, options_.tune)));
  const auto choices = want_sparse ? sparse_choices() : std::vector<plan::ConvKernelChoice>{};
  Candidates made;
  if (want_dense || choices.empty()) {  // also where the kernel asked for has no way; the plan says so
    made.dense = dense(Type::f32);
    if (options_.precision == Precision::bf16) made.dense_bf16 = dense(Type::bf16);
  }
  if (options_.tune == Tune::off) {
    if (!choices.empty()) {
      timing.candidate = 0;
      made.sparse = sparse(choices[0]);
    }
    guess(conv_, made, timing);
    return made;
  }
  DenseList dense_rivals;
  for (const auto& conv : {made.dense, made.dense_bf16})
    if (conv) dense_rivals.push_back(conv);
  SparseList sparse_rivals;
  for (const auto& choice : choices) sparse_rivals.push_back(sparse(choice));
  const std::vector<double> seconds = time(others, dense_rivals, sparse_rivals);
  auto next = seconds.begin();
  if (made.dense) timing.seconds_dense = *next++;
  if (made.dense_bf16) timing.seconds_bf16 = *next++;
  if (sparse_rivals.empty()) return made;
  timing.seconds_of_candidates.assign(next, seconds.end());
  pick_fastest(choices, timing);
  made.sparse = sparse_rivals[static_cast<std::size_t>(timing.candidate)];
  return made;
}

}  // namespace lacuna::engine::tensors
