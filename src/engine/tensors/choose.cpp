#include "engine/tensors/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>

#include <lacuna/error.hpp>

#include "base/aligned_buffer.hpp"
#include "base/parallel.hpp"
#include "engine/tensors/choices_cache.hpp"
#include "engine/tensors/pool_shape.hpp"
#include "plan/measure.hpp"
#include "rows/conv_rows.hpp"

namespace lacuna::engine::tensors {
namespace {

using plan::KernelWish;
constexpr double infinite = std::numeric_limits<double>::infinity();

bool may_stand_on_planes(const Value& value) {
  const std::size_t axes = value.shape.extents.size();
  return !value.is_constant && value.type == ElementType::f32 && axes >= 2 && axes <= 4 && value.shape.size() > 0;
}

std::vector<rows::Planes> planes_of_values(const Network& network) {
  std::vector<rows::Halo> halos(network.values.size());
  for (const Operator& op : network.operators)
    if (const auto* conv = std::get_if<Conv>(&op.operation); conv != nullptr && conv->kernel.size() <= 2) {
      const rows::Halo halo = rows::halo_of(*conv);
      rows::Halo& most = halos[static_cast<std::size_t>(op.inputs[0])];
      most = {std::max(most.y, halo.y), std::max(most.x, halo.x)};
    }
  std::map<std::uint32_t, std::uint32_t> halo_of_width;  // rows of one pitch let a sweep run over a whole plane
  for (std::size_t k = 0; k < halos.size(); ++k)
    if (may_stand_on_planes(network.values[k])) {
      std::uint32_t& most = halo_of_width[network.values[k].shape.extents.back()];
      most = std::max(most, halos[k].x);
    }
  std::vector<rows::Planes> planes(network.values.size());
  for (std::size_t k = 0; k < planes.size(); ++k) {
    const Value& value = network.values[k];
    if (!may_stand_on_planes(value)) continue;
    const auto lanes = value.shape.extents.size() == 2 ? rows::Lanes::batch : rows::Lanes::pixels;
    planes[k] = rows::planes_for(value.shape, halos[k].y, halo_of_width[value.shape.extents.back()], lanes);
  }
  return planes;
}

/// One convolution with memory to try kernels on.
class Trial {
 public:
  Trial(const Network& network, const Operator& op, const std::vector<rows::Planes>& planes, const ChooseOptions& options)
      : network_(network), op_(op), conv_(std::get<Conv>(op.operation)), options_(options), in_(planes[static_cast<std::size_t>(op.inputs[0])]),
        out_(planes[static_cast<std::size_t>(op.output)]) {
    if (has_skip()) skip_ = planes[static_cast<std::size_t>(op.inputs[1])];
  }

  bool has_skip() const { return op_.inputs.size() > 1; }

  std::shared_ptr<const dense::DenseConv> dense() const {
    try {
      return std::make_shared<const dense::DenseConv>(conv_, network_.value(op_.inputs[0]).shape, network_.value(op_.output).shape, has_skip());
    } catch (const Unsupported&) {
      return nullptr;  // the plan then has one candidate less
    }
  }

  std::vector<plan::ConvKernelChoice> candidates() const {
    if (conv_.kernel.size() > 2 || in_.floats == 0 || out_.floats == 0) return {};
    auto all = plan::conv_candidates(conv_, in_, out_, options_.isa, options_.threads);
    std::erase_if(all, [&](const plan::ConvKernelChoice& choice) {
      const bool is_baked = choice.kind == plan::ConvKernelKind::baked;
      return (options_.kernel == KernelWish::table && is_baked) || (options_.kernel == KernelWish::baked && !is_baked);
    });
    return all;
  }

  std::shared_ptr<const plan::SparseConv> sparse(const plan::ConvKernelChoice& choice) const {
    return std::make_shared<const plan::SparseConv>(conv_, in_, out_, has_skip() ? &skip_ : nullptr, choice, options_.isa, options_.threads);
  }

  /// Times the dense one (may be null) and some sparse ones by turns; seconds in that order.
  std::vector<double> time(const std::shared_ptr<const dense::DenseConv>& dense, const std::vector<std::shared_ptr<const plan::SparseConv>>& sparse) const {
    std::size_t scratch_floats = dense ? dense->scratch_bytes() / sizeof(float) + 1 : 1;
    for (const auto& conv : sparse) scratch_floats = std::max(scratch_floats, conv->scratch_floats());
    const auto memory = [&](std::size_t floats, std::size_t bytes) {
      base::AlignedFloats made(std::max(floats, bytes / sizeof(float)) + 16);
      std::fill_n(made.data(), made.size(), 0.25f);
      return made;
    };
    base::AlignedFloats input = memory(in_.floats, dense ? dense->input().get_size() : 0);
    base::AlignedFloats output = memory(out_.floats, dense ? dense->output().get_size() : 0);
    base::AlignedFloats skip = memory(has_skip() ? std::max(skip_.floats, output.size()) : 0, 0);
    base::AlignedFloats scratch = memory(scratch_floats, 0);
    const float* const added = has_skip() ? skip.data() : nullptr;
    dense::use_threads(options_.threads);
    std::vector<std::function<void()>> rivals;
    if (dense) rivals.push_back([&] { dense->run(input.data(), added, output.data(), reinterpret_cast<std::byte*>(scratch.data())); });
    for (const auto& conv : sparse) rivals.push_back([&, conv] { conv->run(input.data(), added, output.data(), scratch.data()); });
    return rivals.empty() ? std::vector<double>{} : plan::fewest_seconds(rivals, options_.tune == Tune::full ? 0.2 : 0.01);
  }

 private:
  const Network& network_;
  const Operator& op_;
  const Conv& conv_;
  const ChooseOptions& options_;
  rows::Planes in_, out_, skip_;
};

double sparsity_of(const Conv& conv) {
  if (conv.weights.empty()) return 0;
  return static_cast<double>(std::count(conv.weights.begin(), conv.weights.end(), 0.0f)) / static_cast<double>(conv.weights.size());
}

/// Nearly full weights run dense: code for them takes long to make and never won when it was tried (ResNet-50, AMD EPYC, Zen 3, 2026-11). Depthwise
/// convolutions have few weights and want the planes of their neighbours.
bool is_worth_trying_sparse(const Conv& conv, Tune tune) {
  constexpr double nearly_full = 0.3;
  return tune == Tune::full || conv.group_channels == 1 || sparsity_of(conv) >= nearly_full;
}

/// A convolution's best sparse kernel and its dense one, with times.
void try_conv(const Trial& trial, const Conv& conv, const ChooseOptions& options, Choice& choice, Timing& timing) {
  const bool want_dense = options.kernel == KernelWish::automatic || options.kernel == KernelWish::dense;
  const bool want_sparse = options.kernel != KernelWish::dense && (options.kernel != KernelWish::automatic || is_worth_trying_sparse(conv, options.tune));
  const auto candidates = want_sparse ? trial.candidates() : std::vector<plan::ConvKernelChoice>{};
  if (want_dense || candidates.empty()) choice.dense = trial.dense();  // also where the kernel asked for has no way; the plan says so
  if (options.tune == Tune::off) {  // a rule of thumb instead of the clock
    if (!candidates.empty()) {
      timing.candidate = 0;
      choice.sparse = trial.sparse(candidates[0]);
    }
    constexpr double worth_it = 0.7;
    timing.seconds_sparse = choice.sparse ? (sparsity_of(conv) > worth_it ? 1e-9 : 1e9) : 0;
    timing.seconds_dense = choice.dense ? 1 : 0;
    return;
  }
  const std::size_t tried = candidates.size();
  std::vector<std::shared_ptr<const plan::SparseConv>> sparse;
  for (std::size_t k = 0; k < tried; ++k) sparse.push_back(trial.sparse(candidates[k]));
  const std::vector<double> seconds = trial.time(choice.dense, sparse);
  const std::size_t first = choice.dense ? 1 : 0;
  if (choice.dense) timing.seconds_dense = seconds[0];
  if (sparse.empty()) return;
  const auto best = static_cast<std::size_t>(std::min_element(seconds.begin() + static_cast<std::ptrdiff_t>(first), seconds.end()) - seconds.begin()) - first;
  choice.sparse = sparse[best];
  timing.candidate = static_cast<int>(best);
  timing.seconds_sparse = seconds[best + first];
  for (std::size_t k = 0; k < sparse.size(); ++k)
    if (k != best) timing.losers.push_back(fmt::format("{}: {:.3f} ms", sparse[k]->describe(), seconds[k + first] * 1e3));
}

/// Moving a value through a plain loop; used for what is not measured.
double pass_seconds(const Network& network, const Operator& op, double bytes_per_s) {
  std::uint64_t bytes = network.value(op.output).shape.size() * 4;
  for (ValueId id : op.inputs)
    if (id != no_value && !network.value(id).is_constant) bytes += network.value(id).shape.size() * 4;
  return 1e-6 + static_cast<double>(bytes) / bytes_per_s;
}

std::array<double, 3> cost_of(const Network& network, const Operator& op, const Choice& choice, const Timing& timing) {
  if (std::holds_alternative<Conv>(op.operation)) {
    const double dense = choice.dense ? timing.seconds_dense : infinite;
    const double sparse = choice.sparse ? timing.seconds_sparse : infinite;
    return {dense == infinite && sparse == infinite ? 1.0 : infinite, sparse, dense};
  }
  std::array<double, 3> cost{pass_seconds(network, op, 3e9), infinite, infinite};
  if (can_run_on_planes(network, op)) cost[1] = pass_seconds(network, op, 8e9);
  if (pool_shape(network, op)) cost[2] = pass_seconds(network, op, 8e9);
  return cost;
}

std::vector<Choice> in_worlds(std::vector<Choice> choices, const std::vector<World>& worlds) {
  for (std::size_t k = 0; k < choices.size(); ++k) {
    choices[k].world = worlds[k];
    if (worlds[k] != World::planes) choices[k].sparse = nullptr;
    if (worlds[k] != World::dense) choices[k].dense = nullptr;
  }
  return choices;
}

double run_seconds(const TensorProgram& a, const TensorProgram* b, double& seconds_b) {
  base::AlignedFloats arena(std::max(a.arena_bytes, b == nullptr ? 0 : b->arena_bytes) / sizeof(float) + 16);
  std::fill_n(arena.data(), arena.size(), 0.0f);
  std::vector<TypedTensor> inputs;
  for (const TensorProgram::Port& port : a.inputs)
    inputs.push_back({port.type, {port.shape.extents.begin(), port.shape.extents.end()}, std::vector<std::byte>(port.shape.size() * size_of(port.type))});
  auto* const memory = reinterpret_cast<std::byte*>(arena.data());
  std::vector<std::function<void()>> rivals{[&] { a.run(memory, inputs); }};
  if (b != nullptr) rivals.push_back([&] { b->run(memory, inputs); });
  const auto seconds = plan::fewest_seconds(rivals, 0.1);
  seconds_b = b == nullptr ? 0 : seconds[1];
  return seconds[0];
}

}  // namespace

Tune parse_tune(std::string_view word) {
  if (word == "off") return Tune::off;
  if (word == "fast") return Tune::fast;
  if (word == "full") return Tune::full;
  throw InputError(fmt::format("no tuning is called \"{}\"; give off, fast or full", word));
}

Chosen choose(const Network& network, const ChooseOptions& options) {
  Chosen chosen;
  chosen.planes = planes_of_values(network);
  chosen.choices.resize(network.operators.size());
  chosen.timings.resize(network.operators.size());
  chosen.is_timed = options.tune != Tune::off;
  const ChoicesCache cache(network, options);
  if (const auto remembered = cache.recall(network.operators.size())) {
    base::parallel_for(options.threads, network.operators.size(), [&](std::size_t k, unsigned) {
      Choice& choice = chosen.choices[k];
      choice.world = remembered->worlds[k];
      chosen.timings[k] = remembered->timings[k];
      if (!std::holds_alternative<Conv>(network.operators[k].operation)) return;
      const Trial trial(network, network.operators[k], chosen.planes, options);
      if (choice.world == World::dense) choice.dense = trial.dense();
      if (choice.world == World::planes) choice.sparse = trial.sparse(trial.candidates().at(static_cast<std::size_t>(chosen.timings[k].candidate)));
    });
    chosen.seconds_mixed = remembered->seconds_mixed;
    chosen.seconds_dense = remembered->seconds_dense;
    chosen.fell_back = remembered->fell_back;
    chosen.cache_note = fmt::format("these figures were measured before and are remembered in {}", cache.file().string());
    return chosen;
  }

  for (std::size_t k = 0; k < network.operators.size(); ++k) {
    if (options.progress) options.progress("tuning", k, network.operators.size());
    const auto* conv = std::get_if<Conv>(&network.operators[k].operation);
    if (conv == nullptr) continue;
    try_conv(Trial(network, network.operators[k], chosen.planes, options), *conv, options, chosen.choices[k], chosen.timings[k]);
  }
  std::vector<std::array<double, 3>> cost;
  for (std::size_t k = 0; k < network.operators.size(); ++k) cost.push_back(cost_of(network, network.operators[k], chosen.choices[k], chosen.timings[k]));
  const auto mixed = in_worlds(chosen.choices, choose_worlds(network, cost));
  const bool measures = options.tune != Tune::off && options.kernel == KernelWish::automatic;
  const bool has_dense_for_all = std::all_of(chosen.choices.begin(), chosen.choices.end(), [&](const Choice& choice) { return !choice.sparse || choice.dense; });
  const bool is_mixed = std::any_of(mixed.begin(), mixed.end(), [](const Choice& choice) { return choice.sparse != nullptr; });
  if (measures && has_dense_for_all && is_mixed) {
    for (auto& of_op : cost) of_op[1] = infinite;
    auto dense = in_worlds(chosen.choices, choose_worlds(network, cost));
    const TensorProgram with = build_program(network, mixed, chosen.planes, options.threads);
    const TensorProgram without = build_program(network, dense, chosen.planes, options.threads);
    chosen.seconds_mixed = run_seconds(with, &without, chosen.seconds_dense);
    chosen.fell_back = chosen.seconds_mixed > chosen.seconds_dense;
    chosen.choices = chosen.fell_back ? std::move(dense) : mixed;
  } else {
    chosen.choices = mixed;
  }
  if (options.progress) options.progress("tuning", network.operators.size(), network.operators.size());
  chosen.cache_note = cache.remember(chosen);
  return chosen;
}

}  // namespace lacuna::engine::tensors
