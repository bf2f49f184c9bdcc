#include "engine/tensors/one_by_one.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/round_up.hpp"
#include "engine/tensors/choices_cache.hpp"
#include "engine/tensors/choose_whole.hpp"
#include "engine/tensors/value_planes.hpp"

namespace lacuna::engine::tensors {
namespace {

std::size_t index(ValueId id) { return static_cast<std::size_t>(id); }

/// Whether each input of the batch has its own part of the value, one after the other.
bool has_batch(const Value& value, std::uint32_t batch) {
  return !value.is_constant && value.type == ElementType::f32 && value.shape.extents.size() >= 3 && value.shape.extents[0] == batch;
}

bool treats_inputs_apart(const Network& network, const Operator& op, std::uint32_t batch) {
  if (!std::holds_alternative<Conv>(op.operation) && !can_run_on_planes(network, op)) return false;
  return has_batch(network.value(op.output), batch) && std::all_of(op.inputs.begin(), op.inputs.end(), [&](ValueId id) { return id != no_value && has_batch(network.value(id), batch); });
}

/// For each value the last operator that reads it; all of them for outputs of the network.
std::vector<std::size_t> last_readers(const Network& network) {
  std::vector<std::size_t> last(network.values.size(), 0);
  for (std::size_t k = 0; k < network.operators.size(); ++k)
    for (ValueId id : network.operators[k].inputs)
      if (id != no_value) last[index(id)] = k;
  for (ValueId id : network.all_outputs()) last[index(id)] = network.operators.size();
  return last;
}

std::uint32_t batch_of(const Network& network) { return network.value(network.input).shape.extents[0]; }

double share_of_one(const Network& network, unsigned threads) { return static_cast<double>((batch_of(network) + threads - 1) / threads); }

/// As a layer of the batch on all threads, which each take an input at a time.
Timing for_batch(Timing timing, double inputs_of_thread) {
  for (double* seconds : {&timing.seconds_sparse, &timing.seconds_dense, &timing.seconds_bf16}) *seconds *= inputs_of_thread;
  return timing;
}

/// After how many operators one value is all that the others read; only those that treat inputs apart come before.
std::vector<std::size_t> handovers(const Network& network) {
  const std::vector<std::size_t> last = last_readers(network);
  const std::uint32_t batch = batch_of(network);
  std::vector<std::size_t> found;
  std::size_t furthest = last[index(network.input)];  // the last reader of any value before the one at hand
  for (std::size_t k = 0; k < network.operators.size() && treats_inputs_apart(network, network.operators[k], batch); ++k) {
    if (furthest <= k) found.push_back(k + 1);
    furthest = std::max(furthest, last[index(network.operators[k].output)]);
  }
  return found;
}

std::size_t nonzeros_of(const Conv& conv) {
  return static_cast<std::size_t>(std::count_if(conv.weights.begin(), conv.weights.end(), [](float weight) { return weight != 0; }));
}

/// How many inputs a thread takes at a time, so that all threads take as many. Activations of eight would leave the cache.
std::uint32_t inputs_together(std::uint32_t batch, unsigned threads) {
  for (std::uint32_t inputs : {4u, 2u})
    if (batch % (inputs * threads) == 0) return inputs;
  return 1;
}

/// The same for so many inputs, whose planes follow each other.
std::vector<rows::Planes> for_inputs(std::vector<rows::Planes> planes, std::uint32_t inputs) {
  for (rows::Planes& of_value : planes) {
    of_value.batch = inputs;
    of_value.floats += of_value.image * (inputs - 1);
  }
  return planes;
}

/// What both parts choose, as if of the whole.
Chosen join(const Network& network, std::shared_ptr<const Split> split, unsigned threads) {
  Chosen chosen;
  chosen.isa = split->of_one.isa;
  chosen.choices = split->of_one.choices;
  chosen.choices.insert(chosen.choices.end(), split->of_rest.choices.begin(), split->of_rest.choices.end());
  for (const Timing& timing : split->of_one.timings) chosen.timings.push_back(for_batch(timing, share_of_one(network, threads) / split->inputs));
  chosen.timings.insert(chosen.timings.end(), split->of_rest.timings.begin(), split->of_rest.timings.end());
  chosen.is_timed = split->of_one.is_timed;
  chosen.cache_note = split->of_one.cache_note;
  chosen.split = std::move(split);
  return chosen;
}

/// Whether the last `operators - before` operators can take several inputs that were left side by side on planes: images begin where lines of the cache do, as the kernels that write and read them suppose.
bool can_be_grouped(const Network& one, const std::vector<rows::Planes>& planes, std::size_t before) {
  constexpr std::size_t line_floats = 16;
  return std::all_of(one.operators.begin() + static_cast<std::ptrdiff_t>(before) - 1, one.operators.end(), [&](const Operator& op) {
    const rows::Planes& of_output = planes[index(op.output)];
    return of_output.floats > 0 && of_output.image > 1 && (of_output.image % line_floats == 0 || of_output.height * of_output.width == 1);
  }) && planes[index(one.operators[before - 1].output)].image % line_floats == 0;
}

/// For `inputs` inputs on one thread: the first operators input by input, the others on all of them. Both have the planes of the whole, on which the first leave what the others read.
Chosen choose_grouped(const Network& network, std::size_t operators, const std::vector<rows::Planes>& planes, const ChooseOptions& options) {
  auto split = std::make_shared<Split>();
  std::tie(split->one, split->rest) = split_at(network, operators);
  const auto choose_part = [&](const Network& part, std::string_view which, std::vector<rows::Planes> of_part) {
    const PartPlanes with_planes{fmt::format("the {} part at {} of {:016x}", which, operators, hash(network)), std::move(of_part)};
    ChooseOptions of_part_options = options;
    of_part_options.part = &with_planes;
    return choose_together(part, of_part_options);
  };
  split->of_one = choose_part(split->one, "first", planes);
  split->of_rest = choose_part(split->rest, "last", for_inputs(planes, batch_of(network)));
  split->of_one.arrangement.gives_planes = split->of_rest.arrangement.takes_planes = true;
  return join(network, std::move(split), options.threads);
}

Chosen choose_parts(const Network& network, std::size_t operators, const ChooseOptions& options) {
  auto split = std::make_shared<Split>();
  std::tie(split->one, split->rest) = split_at(network, operators);
  ChooseOptions alone = options;
  alone.threads = 1;
  const std::size_t before = count_before_large_code(split->one);
  const std::uint32_t together = inputs_together(batch_of(network), options.threads);
  const std::vector<rows::Planes> planes = planes_of_values(split->one, alone);
  if (before < operators && together > 1 && can_be_grouped(split->one, planes, before)) {
    split->inputs = together;
    split->one = split_at(network, operators, together).first;
    split->of_one = choose_grouped(split->one, before, planes, alone);
  } else {
    split->of_one = choose_together(split->one, alone);
  }
  split->of_rest = choose_together(split->rest, options);
  return join(network, std::move(split), options.threads);
}

void take_figures(const Remembered& remembered, Chosen& chosen) {
  chosen.seconds_mixed = remembered.seconds_mixed;
  chosen.seconds_dense = remembered.seconds_dense;
  chosen.fell_back = remembered.fell_back;
}

/// Multiply-adds of a run. Where they are few, trying all ways takes little time, and a batch may well fit the cache.
double work_of(const Network& network) {
  double work = 0;
  for (const Operator& op : network.operators)
    if (const auto* conv = std::get_if<Conv>(&op.operation)) work += static_cast<double>(nonzeros_of(*conv)) * static_cast<double>(network.value(op.output).shape.size()) / conv->output_channels;
  return work;
}
constexpr double little_work = 5e8;

}  // namespace

std::size_t count_one_by_one(const Network& network, const ChooseOptions& options) {
  const std::vector<std::uint32_t>& extents = network.value(network.input).shape.extents;
  if (options.kernel == plan::KernelWish::dense || network.all_inputs().size() != 1 || extents.empty() || !has_batch(network.value(network.input), extents[0])) return 0;
  const std::uint32_t batch = extents[0];
  const bool threads_are_busy = batch % options.threads == 0 || batch >= 4 * options.threads;
  if (batch < 2 || !threads_are_busy) return 0;
  const auto is_conv = [](const Operator& op) { return std::holds_alternative<Conv>(op.operation); };
  const std::size_t first_conv = static_cast<std::size_t>(std::find_if(network.operators.begin(), network.operators.end(), is_conv) - network.operators.begin());
  const std::vector<std::size_t> found = handovers(network);
  return found.empty() || found.back() <= first_conv ? 0 : found.back();
}

std::size_t count_before_large_code(const Network& one) {
  constexpr std::size_t few_pixels = 200;  // 14x14; 7x7 alone gain half as much, 28x28 lose (decision 0027)
  constexpr std::size_t large = 16 << 20, bytes_of_nonzero = 14;
  const std::vector<std::size_t> found = handovers(one);
  std::size_t code = 0, count = one.operators.size();
  for (std::size_t k = one.operators.size(); k-- > 0;) {
    const Operator& op = one.operators[k];
    const Shape& shape = one.value(op.output).shape;
    if (shape.size() > few_pixels * shape.extents[1]) break;
    if (const auto* conv = std::get_if<Conv>(&op.operation)) code += bytes_of_nonzero * nonzeros_of(*conv);
    if (std::find(found.begin(), found.end(), k) != found.end()) count = k;
  }
  return code > large ? count : one.operators.size();
}

std::pair<Network, Network> split_at(const Network& network, std::size_t operators, std::uint32_t inputs) {
  Network one = network, rest = network;
  const auto cut = static_cast<std::ptrdiff_t>(operators);
  one.operators.erase(one.operators.begin() + cut, one.operators.end());
  rest.operators.erase(rest.operators.begin(), rest.operators.begin() + cut);
  one.output = rest.input = one.operators.back().output;
  one.other_outputs.clear();
  one.values[index(one.input)].shape.extents[0] = inputs;
  for (const Operator& op : one.operators) one.values[index(op.output)].shape.extents[0] = inputs;
  return {std::move(one), std::move(rest)};
}

Chosen choose_one_by_one(const Network& network, std::size_t operators, const ChooseOptions& options) {
  const ChoicesCache cache("ways", network, options);
  ChooseOptions dense_options = options;
  dense_options.kernel = plan::KernelWish::dense;
  dense_options.precision = Precision::f32;
  if (const auto remembered = cache.recall(network.operators.size())) {
    Chosen chosen = remembered->is_split ? choose_parts(network, operators, options) : choose_together(network, remembered->fell_back ? dense_options : options);
    take_figures(*remembered, chosen);
    return chosen;
  }
  std::vector<Chosen> ways;
  ways.push_back(choose_parts(network, operators, options));
  if (options.tune == Tune::off || options.kernel != plan::KernelWish::automatic) return std::move(ways[0]);
  if (options.tune == Tune::full || work_of(network) < little_work) ways.push_back(choose_together(network, options));
  ways.push_back(choose_together(network, dense_options));
  std::vector<TensorProgram> programs;
  for (const Chosen& way : ways) programs.push_back(build(network, way, options.threads));
  const std::vector<double> seconds = run_seconds(programs);
  const auto fastest = static_cast<std::size_t>(std::min_element(seconds.begin(), seconds.end()) - seconds.begin());
  Chosen& best = ways[fastest];
  best.seconds_mixed = *std::min_element(seconds.begin(), seconds.end() - 1);
  best.seconds_dense = seconds.back();
  best.fell_back = best.fell_back || fastest + 1 == ways.size();
  cache.remember(best);
  return std::move(best);
}

TensorProgram build_split(const Network& network, const Split& split, unsigned threads) {
  TensorProgram one = build(split.one, split.of_one, 1);
  TensorProgram whole = build_program(split.rest, split.of_rest.choices, split.of_rest.planes, split.of_rest.isa, threads, split.of_rest.arrangement);
  for (TensorProgram::StepOf& step : whole.steps) step.op += split.one.operators.size();
  whole.arena_bytes = base::round_up(whole.arena_bytes, 64);
  const Value& input = network.value(network.input);
  const Operand first = std::exchange(whole.inputs[0], {input.name, input.type, input.shape, {}, {}}).memory;
  const std::size_t arena_bytes = base::round_up(one.arena_bytes, 64);
  const std::size_t step = split.of_one.arrangement.gives_planes ? split.of_one.planes[index(split.one.output)].image * sizeof(float) : one.outputs[0].shape.size() * size_of(one.outputs[0].type);
  whole.front = TensorProgram::Front{std::make_shared<const TensorProgram>(std::move(one)), batch_of(network) / split.inputs, first.buffer, step, whole.arena_bytes, arena_bytes};
  whole.arena_bytes += threads * arena_bytes;
  whole.least_bytes += threads * whole.front->program->least_bytes;
  return whole;
}

}  // namespace lacuna::engine::tensors
