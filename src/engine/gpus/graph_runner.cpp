#include "engine/gpus/graph_runner.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <lacuna/error.hpp>

#include "base/round_up.hpp"
#include "devices/gpu/usable_memory.hpp"
#include "plan/gpus/kernel_text.hpp"

namespace lacuna::engine::gpus {
namespace {

constexpr std::uint64_t four_tiles = 128;           // inputs: whatever a thread has, tiles are whole
constexpr std::uint32_t most_blocks_y = 65535;
constexpr std::uint64_t most_inputs = 1 << 20;      // at a time: blocks_y stay below their limit
constexpr std::uint64_t unknown_memory = 256 << 20;

using base::round_up;

std::uint32_t all_columns(const plan::gpus::PackedGraphs& packed) {
  std::uint32_t columns = 0;
  for (const std::uint32_t width : packed.widths) columns += width;
  return columns;
}

}  // namespace

gpu::KernelPointer KernelCache::find(const std::string& name, const std::function<kernel::ThreadProgram()>& write) {
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = kernels_.find(name); found != kernels_.end()) return found->second;
  }
  // Not under our lock: loading waits for the device's turn, and who records has that turn when they ask here.
  const kernel::ThreadProgram program = write();
  gpu::KernelPointer loaded = plan::gpus::load_kernels(std::span(&program, 1), *device_).front();
  const std::scoped_lock lock(mutex_);
  return kernels_.try_emplace(name, std::move(loaded)).first->second;  // where another session was first, ours goes after the lock
}

gpu::KernelPointer KernelCache::find(const kernel::GraphShape& shape, kernel::GraphPart part) {
  return find(kernel::name_of(shape, part), [&] { return kernel::neuron_graph(shape, part); });
}

LoadedGraphs load_graphs(const plan::gpus::GraphTables& tables, std::shared_ptr<gpu::Device> device, std::shared_ptr<KernelCache> kernels) {
  LoadedGraphs loaded{std::move(device), std::move(kernels), {}};
  const auto add = [&](std::span<const std::byte> bytes) {
    constexpr std::size_t least = 16;  // a table may be empty, a buffer not
    loaded.tables.push_back(loaded.device->allocate(std::max(least, bytes.size())));
    if (!bytes.empty()) loaded.device->write(loaded.tables.back(), 0, bytes);
  };
  add(std::as_bytes(std::span(tables.members)));
  for (const auto* const words : {&tables.records, &tables.extras, &tables.quads, &tables.functions, &tables.levels, &tables.outputs}) add(std::as_bytes(std::span(*words)));
  return loaded;
}

gpu::BufferPointer& GraphRunner::at_least(gpu::BufferPointer& buffer, std::uint64_t bytes) {
  if (!buffer || buffer->bytes() < bytes) {
    buffer = nullptr;  // first give back what it has
    buffer = loaded_.device->allocate(std::max<std::uint64_t>(bytes, 16));
  }
  return buffer;
}

std::size_t GraphRunner::begin(const GraphInputs& inputs, std::size_t first, std::size_t count, bool keeps_state) {
  const gpu::Limits& limits = loaded_.device->limits();
  first_ = first;
  share_ = count;
  seconds_ = 0;
  plans_.clear();
  std::uint64_t state_bytes = 0;  // of one input
  for (const plan::gpus::GraphGroup& group : packed_.groups) {
    plans_.push_back(plan::gpus::plan_group(group, packed_.kinds, limits, count));
    const kernel::GraphShape& shape = plans_.back().shape;
    if (!shape.is_in_shared) state_bytes = std::max(state_bytes, shape.state_bytes() / shape.plane_inputs());
  }
  keeps_state_ = keeps_state;
  if (keeps_state && (!kept_ || kept_inputs_ != count)) {
    const std::uint64_t bytes = packed_.planes * round_up(count, four_tiles) * 4;
    kept_ = nullptr;
    at_least(kept_, bytes);
    loaded_.device->fill_zero(kept_, 0, bytes);
    kept_inputs_ = count;
  }
  std::uint64_t budget = limits.free_bytes == 0 ? unknown_memory : gpu::usable_bytes(limits) / 2;
  if (limits.largest_buffer_bytes != 0) budget = std::min<std::uint64_t>(budget, limits.largest_buffer_bytes);
  arena_bytes_ = budget / 2;
  const std::uint64_t outputs = packed_.tables.outputs.size() * inputs.steps;
  const std::uint64_t input_bytes = std::max<std::uint64_t>(1, 4 * (2 * all_columns(packed_) * inputs.steps + outputs) + 2 * state_bytes);
  std::uint64_t at_once = std::min({most_inputs, budget / input_bytes, (std::uint64_t{1} << 32) / std::max<std::uint64_t>(1, outputs)});
  if (at_once < four_tiles && at_once < count)
    throw Unsupported(fmt::format("{} outputs in {} steps for {} inputs at a time are more than {} holds; give it shorter sequences", packed_.tables.outputs.size(), inputs.steps,
                                  std::min<std::size_t>(count, four_tiles), limits.name));
  return std::max(four_tiles, at_once / four_tiles * four_tiles);
}

void GraphRunner::start(const GraphInputs& inputs, std::size_t from, std::size_t count) {
  chunk_ = {from, count, inputs.steps, static_cast<std::uint32_t>(round_up(count, four_tiles) / 32)};
  reserve(inputs);
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const std::size_t width = packed_.widths[k], of_step = count * width;
    if (of_step == 0) continue;
    if (count == inputs.batch) {
      loaded_.device->write(rows_[k], 0, std::as_bytes(inputs.rows[k]));
      continue;
    }
    for (std::size_t step = 0; step < inputs.steps; ++step)
      loaded_.device->write(rows_[k], 4 * step * of_step, std::as_bytes(inputs.rows[k].subspan((step * inputs.batch + first_ + from) * width, of_step)));
  }
  loaded_.device->start_clock();
  const auto work = [&] {
    Work all{chunk_, share_, keeps_state_, rows_};
    for (const gpu::BufferPointer& buffer : {columns_, results_, kept_, arena_}) all.buffers.push_back(buffer);
    return all;
  };
  if (work() != last_) {
    recorded_ = nullptr;
    launch_all();
    last_ = work();
    return;
  }
  if (!recorded_) recorded_ = loaded_.device->record([&] { launch_all(); });
  recorded_->run();
}

void GraphRunner::launch_all() {
  launch_columns();
  for (std::size_t g = 0; g < packed_.groups.size(); ++g) run_group(packed_.groups[g], plans_[g]);
}

std::span<const float> GraphRunner::finish() {
  seconds_ += loaded_.device->stop_clock();
  read_.resize(packed_.tables.outputs.size() * chunk_.steps * chunk_.count);
  if (!read_.empty()) loaded_.device->read(results_, 0, std::as_writable_bytes(std::span(read_)));
  return read_;
}

void GraphRunner::reserve(const GraphInputs& inputs) {
  rows_.resize(inputs.rows.size());
  for (std::size_t k = 0; k < rows_.size(); ++k) at_least(rows_[k], std::uint64_t{4} * chunk_.count * packed_.widths[k] * inputs.steps);
  at_least(columns_, std::uint64_t{4} * 32 * chunk_.tiles * all_columns(packed_) * inputs.steps);
  at_least(results_, std::uint64_t{4} * packed_.tables.outputs.size() * inputs.steps * chunk_.count);
  if (!arena_) at_least(arena_, 0);
  if (!kept_) at_least(kept_, 0), kept_inputs_ = 0;
}

void GraphRunner::launch_columns() {
  const gpu::KernelPointer kernel = loaded_.kernels->find("rows_to_columns", &kernel::rows_to_columns);
  const std::uint32_t columns = all_columns(packed_);
  std::uint32_t first = 0;
  for (std::size_t k = 0; k < rows_.size(); first += packed_.widths[k], ++k)
    for (std::size_t step = 0; step < chunk_.steps && packed_.widths[k] > 0; step += most_blocks_y) {
      const auto steps = static_cast<std::uint32_t>(std::min<std::size_t>(most_blocks_y, chunk_.steps - step));
      loaded_.device->launch({kernel, chunk_.tiles / 4, steps,
                              {rows_[k], columns_, static_cast<std::uint32_t>(chunk_.count), chunk_.tiles, packed_.widths[k], first, columns, static_cast<std::uint32_t>(step)}});
    }
}

std::vector<gpu::Argument> GraphRunner::arguments(std::uint32_t first_member, const kernel::GraphShape& shape) {
  std::vector<gpu::Argument> all(loaded_.tables.begin(), loaded_.tables.end());
  for (const gpu::BufferPointer& buffer : {columns_, results_, kept_, arena_}) all.emplace_back(buffer);
  const auto first_block = static_cast<std::uint32_t>(chunk_.from / shape.plane_inputs());
  const auto all_blocks = static_cast<std::uint32_t>(round_up(share_, four_tiles) / shape.plane_inputs());
  for (const std::uint32_t word : {first_member, static_cast<std::uint32_t>(chunk_.count), chunk_.tiles, all_columns(packed_), static_cast<std::uint32_t>(chunk_.steps),
                                   keeps_state_ ? 1u : 0u, first_block, all_blocks, 0u, 0u, 0u, 0u})
    all.emplace_back(word);
  return all;
}

void GraphRunner::run_group(const plan::gpus::GraphGroup& group, const plan::gpus::GraphPlan& plan) {
  plan.is_in_parts ? run_parts(group, plan.shape) : run_whole(group, plan.shape);
}

void GraphRunner::run_whole(const plan::gpus::GraphGroup& group, const kernel::GraphShape& shape) {
  const auto blocks_y = static_cast<std::uint32_t>(round_up(chunk_.count, shape.plane_inputs()) / shape.plane_inputs());
  std::uint32_t at_once = group.count;
  if (!shape.is_in_shared) {
    const std::uint64_t of_member = shape.state_bytes() * blocks_y;
    at_once = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(arena_bytes_ / of_member, 1, group.count));
    at_least(arena_, of_member * at_once);
  }
  const gpu::KernelPointer kernel = loaded_.kernels->find(shape, kernel::GraphPart::whole);
  for (std::uint32_t done = 0; done < group.count; done += at_once)
    loaded_.device->launch({kernel, std::min(at_once, group.count - done), blocks_y, arguments(group.first + done, shape)});
}

void GraphRunner::run_parts(const plan::gpus::GraphGroup& group, const kernel::GraphShape& shape) {
  using kernel::GraphPart;
  const kernel::GraphMember& member = packed_.tables.members[group.first];
  const auto blocks_y = static_cast<std::uint32_t>(round_up(chunk_.count, shape.plane_inputs()) / shape.plane_inputs());
  at_least(arena_, shape.state_bytes() * blocks_y);
  std::vector<gpu::Argument> given = arguments(group.first, shape);
  const std::size_t own = given.size() - 4;  // step, first, end, flip
  const auto launch = [&](GraphPart part, std::uint32_t items, std::uint32_t step, std::uint32_t first, std::uint32_t flip) {
    if (items == 0) return;
    given[own] = step, given[own + 1] = first, given[own + 2] = first + items, given[own + 3] = flip;
    loaded_.device->launch({loaded_.kernels->find(shape, part), (items + shape.warps - 1) / shape.warps, blocks_y, given});
  };
  const bool has_state = group.update != Update::feed_forward;
  std::uint32_t flip = 0;
  if (has_state) launch(GraphPart::begin_state, member.inputs + member.rows, 0, 0, flip);
  for (std::uint32_t step = 0; step < chunk_.steps; ++step) {
    launch(GraphPart::inputs, member.inputs, step, 0, flip);
    for (std::uint32_t update = 0; update < member.updates; ++update) {
      for (std::uint32_t level = 0; level < member.levels; ++level) {
        const std::uint32_t begin = packed_.tables.levels[member.first_level + level], end = packed_.tables.levels[member.first_level + level + 1];
        launch(GraphPart::rows, end - begin, step, begin, flip);
      }
      if (has_state) flip = 1 - flip;
    }
    launch(GraphPart::outputs, member.outputs, step, 0, flip);
  }
  if (has_state && keeps_state_) launch(GraphPart::end_state, member.inputs + member.rows, 0, 0, flip);
}

}  // namespace lacuna::engine::gpus
