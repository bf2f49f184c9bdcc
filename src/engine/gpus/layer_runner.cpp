#include "engine/gpus/layer_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include <lacuna/error.hpp>

#include "engine/gpus/stored_values.hpp"
#include "kernel/templates/gpu_layer_table.hpp"
#include "kernel/templates/gpu_looks.hpp"
#include "kernel/templates/gpu_row_block.hpp"
#include "kernel/templates/gpu_tiles.hpp"

namespace lacuna::engine::gpus {

using gpu::Argument;
using gpu::BufferPointer;
using kernel::tile_lanes;

namespace {

constexpr std::uint32_t blocks_of_multiprocessor = 2;
constexpr std::uint32_t nobody = static_cast<std::uint32_t>(-1);

template <typename T>
void write_all(gpu::Device& device, const BufferPointer& target, const std::vector<T>& values, std::size_t offset = 0) {
  device.write(target, offset, std::as_bytes(std::span(values)));
}

template <typename T>
std::vector<T> read_some(gpu::Device& device, const BufferPointer& source, std::size_t first, std::size_t count) {
  std::vector<T> values(count);
  device.read(source, first * sizeof(T), std::as_writable_bytes(std::span(values)));
  return values;
}

}  // namespace

/// Of a chunk of inputs on the device.
struct LayerRunner::Memory {
  std::uint32_t tiles = 0;
  BufferPointer arena, control, bits{};
  BufferPointer flags, ranks, counts, bases, history, hashes, seats, ids, leaders;
  std::uint32_t seat_count = 0;

  /// A stretch of groups that stay on the device, with their looks; or a group whose table has to be brought to `turn` before.
  struct Step {
    std::unique_ptr<gpu::Recording> work;
    std::span<const std::uint32_t> streamed;
    BufferPointer turn;
  };
  std::array<BufferPointer, 2> turns{};
  std::vector<Step> steps{};

  std::uint32_t lanes() const { return tiles * tile_lanes; }
  std::uint32_t look_blocks() const { return tiles / tiles_of_look; }
};

LayerPart LayerRunner::run(const Batch& batch, std::size_t first, std::size_t count) {
  LayerPart part;
  if (count == 0) return part;
  reserve(count);
  for (std::size_t done = 0; done < count;) {
    const std::size_t now = std::min<std::size_t>(count - done, memory_->lanes());
    lay_inputs(batch, first + done, now);
    loaded_.device->start_clock();
    if (batch.bits() != nullptr) expand_bits(*batch.bits());
    run_steps();
    part.seconds += loaded_.device->stop_clock();
    collect(first + done, now, part);
    part.active_edges += count_active_edges(now);
    part.streamed_bytes += loaded_.residency.streamed_bytes();
    ++part.chunks;
    done += now;
  }
  return part;
}

/// Memory for `count` inputs, or as many as fit.
void LayerRunner::reserve(std::size_t count) {
  gpu::Device& device = *loaded_.device;
  const std::size_t tile_bytes = arena_bytes_of_tile(plan_);
  const std::size_t blocks = std::clamp<std::size_t>((count + kernel::look_lanes - 1) / kernel::look_lanes, 1, most_tiles_of(plan_, loaded_) / tiles_of_look);
  const std::size_t tiles = blocks * tiles_of_look;
  if (memory_ && memory_->tiles >= tiles) return;
  memory_.reset();  // before the new memory is asked for
  auto memory = std::make_shared<Memory>();
  memory->tiles = static_cast<std::uint32_t>(tiles);
  const std::size_t lanes = memory->lanes();
  memory->seat_count = std::bit_ceil(memory->lanes() * 2);
  const auto words = [&](std::size_t number) { return device.allocate(std::max<std::size_t>(number, 1) * 4); };
  memory->arena = device.allocate(tiles * tile_bytes);
  device.fill_zero(memory->arena, 0, tiles * tile_bytes);  // the plane of zeros; nobody writes it
  memory->control = words(kernel::control_words);
  memory->flags = words(lanes);
  memory->ranks = words(lanes);
  memory->counts = words(blocks);
  memory->bases = words(blocks);
  memory->history = words(plan_.looks.size());
  memory->hashes = words(2 * lanes);
  memory->seats = words(memory->seat_count);
  memory->ids = words(2 * lanes);
  memory->leaders = words(lanes);
  for (std::size_t turn = 0; turn < loaded_.residency.turns; ++turn) memory->turns[turn] = device.allocate(loaded_.residency.turn_bytes);
  memory_ = std::move(memory);
  try {
    record_steps();
  } catch (...) {
    memory_.reset();  // the next run must not take a part for the whole
    throw;
  }
}

void LayerRunner::lay_inputs(const Batch& batch, std::size_t first, std::size_t count) {
  gpu::Device& device = *loaded_.device;
  std::vector<std::uint32_t> control(kernel::control_words, 0);
  control[kernel::control_lanes] = static_cast<std::uint32_t>(count);
  write_all(device, memory_->control, control);
  std::vector<std::uint32_t> ids(count);
  std::iota(ids.begin(), ids.end(), 0u);
  write_all(device, memory_->ids, ids);
  write_all(device, memory_->leaders, ids);
  if (batch.bits() != nullptr) return copy_bits(*batch.bits(), first, count);
  std::vector<float> planes(std::size_t{plan_.input.count} * tile_lanes);
  std::vector<std::byte> bytes;
  for (std::size_t tile = 0; tile * tile_lanes < count; ++tile) {
    batch.fill(planes.data(), tile_lanes, first + tile * tile_lanes, std::min<std::size_t>(tile_lanes, count - tile * tile_lanes));
    check_inputs(planes, first + tile * tile_lanes);
    device.write(memory_->arena, (tile * plan_.tiles.planes + plan_.input.first) * plan_.tiles.plane_bytes(), narrow(planes, plan_.tiles.value, bytes));
  }
}

/// What is kept in 16 bits may be too small for an input. `first`: the number of the first lane's.
void LayerRunner::check_inputs(std::span<const float> planes, std::size_t first) const {
  if (plan_.tiles.value == kernel::Element::f32) return;
  for (std::size_t k = 0; k < planes.size(); ++k)
    if (is_too_large(planes[k], plan_.tiles.value))
      throw InputError(fmt::format("input {} has the value {:g}, and {}", first + k % tile_lanes + 1, planes[k], advice_on_overflow(plan_.tiles.value)));
}

void LayerRunner::copy_bits(const BitMatrix& bits, std::size_t first, std::size_t count) {
  gpu::Device& device = *loaded_.device;
  check_inputs(std::span(&bits.value, 1), first);
  const std::size_t words = bits.words_per_row();
  if (!memory_->bits || memory_->bits->bytes() < count * words * 8) memory_->bits = device.allocate(std::max<std::size_t>(count * words, 1) * 8);
  device.write(memory_->bits, 0, std::as_bytes(std::span(bits.words).subspan(first * words, count * words)));
}

void LayerRunner::expand_bits(const BitMatrix& bits) {
  launch(plan_.looking.expand_bits, (bits.columns + 31) / 32, memory_->look_blocks(),
         {memory_->bits, static_cast<std::uint32_t>(2 * bits.words_per_row()), bits.columns, plan_.input.first * plan_.tiles.plane_bytes(), bits.value});
}

void LayerRunner::launch(std::uint32_t kernel, std::uint32_t blocks_x, std::uint32_t blocks_y, std::vector<Argument> arguments) {
  if (blocks_x == 0) return;
  std::vector<Argument> all{memory_->arena, memory_->control, memory_->tiles};
  std::move(arguments.begin(), arguments.end(), std::back_inserter(all));
  loaded_.device->launch({loaded_.kernels[kernel], blocks_x, blocks_y, std::move(all)});
}

void LayerRunner::record_steps() {
  const std::vector<bool>& stays = loaded_.residency.stays;
  auto look = plan_.looks.begin();
  const auto launch_with_look = [&](std::size_t k, const BufferPointer& table, std::uint32_t rows_at) {
    launch_group(plan_.groups[k], table, rows_at);
    if (look == plan_.looks.end() || look->after != plan_.groups[k].group) return;
    launch_look(*look, static_cast<std::uint32_t>(look - plan_.looks.begin()));
    ++look;
  };
  std::size_t streamed = 0;
  for (std::size_t k = 0, end = 0; k < plan_.groups.size(); k = end) {
    Memory::Step step;
    end = k + 1;
    if (stays[k]) {
      while (end < plan_.groups.size() && stays[end]) ++end;
      step.work = loaded_.device->record([&] {
        for (std::size_t group = k; group < end; ++group) launch_with_look(group, loaded_.table, loaded_.rows_at[group]);
      });
    } else {
      step.streamed = plan_.table_of(plan_.groups[k]);
      step.turn = memory_->turns[streamed++ % memory_->turns.size()];
      step.work = loaded_.device->record([&] { launch_with_look(k, step.turn, 0); });
    }
    memory_->steps.push_back(std::move(step));
  }
}

/// Nothing here waits for the device: a table travels while the groups before it are computed, and waits only for the one that had its buffer before.
void LayerRunner::run_steps() {
  for (const Memory::Step& step : memory_->steps) {
    if (step.turn) loaded_.device->write(step.turn, 0, std::as_bytes(step.streamed));
    step.work->run();
  }
}

/// Few, so that what a block read of its tile is in the first cache for many rows; but some for every multiprocessor, and so many that the tiles that are
/// worked on at once stay in the second cache.
std::uint32_t LayerRunner::blocks_of_tile(const plan::gpus::GroupLaunch& group) const {
  const gpu::Limits& limits = loaded_.device->limits();
  const std::size_t at_once = std::max(limits.multiprocessors, 1u);
  const std::size_t for_all = blocks_of_multiprocessor * at_once / memory_->tiles;
  const std::size_t for_l2 = limits.l2_bytes == 0 ? 1 : at_once * group.planes * plan_.tiles.plane_bytes() / limits.l2_bytes;
  return static_cast<std::uint32_t>(std::max({for_all, for_l2, std::size_t{1}}));
}

/// All kernels of the group for some tiles, then for the next ones: as many as the second cache holds, so that only the first kernel reads them from afar.
void LayerRunner::launch_baked(const plan::gpus::GroupLaunch& group) {
  const std::size_t fitting = loaded_.device->limits().l2_bytes / 4 * 3 / (std::size_t{group.planes} * plan_.tiles.plane_bytes() * kernel::row_block_tiles);
  const auto blocks = static_cast<std::uint32_t>((memory_->tiles + kernel::row_block_tiles - 1) / kernel::row_block_tiles);
  const std::uint32_t at_once = group.baked.size() == 1 || loaded_.device->limits().l2_bytes == 0 ? blocks : static_cast<std::uint32_t>(std::clamp<std::size_t>(fitting, 1, blocks));
  for (std::uint32_t first = 0; first < blocks; first += at_once)
    for (const plan::gpus::BakedKernel& part : group.baked) launch(part.kernel, part.row_blocks, std::min(at_once, blocks - first), {first * kernel::row_block_tiles});
}

void LayerRunner::launch_group(const plan::gpus::GroupLaunch& group, const BufferPointer& table, std::uint32_t rows_at) {
  if (!group.baked.empty()) return launch_baked(group);
  if (group.rows == 0) return;
  const std::uint32_t all_rounds = (group.rows + group.rows_at_once - 1) / group.rows_at_once;
  const std::uint32_t blocks = std::clamp(blocks_of_tile(group), 1u, all_rounds);
  const std::uint32_t rounds = all_rounds / blocks;  // rather more blocks than were asked for than fewer
  std::vector<Argument> arguments{table, rows_at, group.rows, rounds, group.weight};
  arguments.insert(arguments.end(), group.residuals.begin(), group.residuals.end());
  launch(group.kernel, (all_rounds + rounds - 1) / rounds, memory_->tiles, std::move(arguments));
}

void LayerRunner::launch_look(const plan::gpus::Look& look, std::uint32_t number) {
  const Memory& at = *memory_;
  const auto& kernels = plan_.looking;
  const std::uint32_t ranges_at = look.ranges_at - plan_.looks_at + loaded_.looks_at;
  const std::uint32_t blocks = at.look_blocks();
  if (look.dead)
    launch(kernels.mark, 1, blocks, {loaded_.table, ranges_at, look.ranges, at.flags});
  else
    launch(kernels.mark_all, 1, blocks, {at.flags});
  if (look.equal) {
    launch(kernels.hash, 1, blocks, {loaded_.table, ranges_at, look.ranges, at.hashes});
    loaded_.device->fill_zero(at.seats, 0, std::size_t{at.seat_count} * 4);
    launch(kernels.follow, 1, blocks,
           {loaded_.table, ranges_at, look.ranges, at.flags, at.hashes, at.seats, at.seat_count - 1, at.ids, at.lanes(), at.leaders});
  }
  launch(kernels.rank, 1, blocks, {at.flags, at.ranks, at.counts});
  launch(kernels.close, 1, 1, {at.counts, at.bases, at.history, number});
  launch(kernels.move, kernel::move_blocks, blocks, {loaded_.table, ranges_at, look.ranges, at.ranks, at.bases, at.ids, at.lanes()});
}

/// Every group's edges for the inputs that were in the batch then.
std::uint64_t LayerRunner::count_active_edges(std::size_t count) {
  const auto history = read_some<std::uint32_t>(*loaded_.device, memory_->history, 0, plan_.looks.size());
  std::uint64_t edges = 0;
  std::size_t lanes = count;
  for (std::size_t k = 0, look = 0; k < plan_.groups.size(); ++k) {
    edges += plan_.edges[k] * lanes;
    if (look < plan_.looks.size() && plan_.looks[look].after == k) lanes = history[look++];
  }
  return edges;
}

/// Every input that arrived with an output other than zero, or follows one that did.
void LayerRunner::collect(std::size_t first, std::size_t count, LayerPart& part) {
  gpu::Device& device = *loaded_.device;
  const auto control = read_some<std::uint32_t>(device, memory_->control, 0, kernel::control_words);
  const std::uint32_t lanes = control[kernel::control_lanes], half = control[kernel::control_half];
  if (control[kernel::control_overflow] != 0) throw Unsupported(fmt::format("a value between the layers is too large: {}", advice_on_overflow(plan_.tiles.value)));
  const auto ids = read_some<std::uint32_t>(device, memory_->ids, std::size_t{half} * memory_->lanes(), lanes);
  auto leaders = read_some<std::uint32_t>(device, memory_->leaders, 0, count);
  const std::size_t width = plan_.output.count;
  std::vector<std::uint32_t> row_of(count, nobody);
  std::vector<float> planes(width * tile_lanes);
  for (std::size_t tile = 0; tile * tile_lanes < lanes; ++tile) {
    const std::size_t plane = (std::size_t{half} * memory_->tiles + tile) * plan_.tiles.planes + plan_.output.first;
    widen(read_some<std::byte>(device, memory_->arena, plane * plan_.tiles.plane_bytes(), width * plan_.tiles.plane_bytes()), plan_.tiles.value, planes);
    for (std::size_t lane = 0; lane < std::min<std::size_t>(tile_lanes, lanes - tile * tile_lanes); ++lane) {
      bool any = false;
      for (std::size_t k = 0; k < width && !any; ++k) any = planes[k * tile_lanes + lane] != 0;
      if (!any) continue;
      row_of[ids[tile * tile_lanes + lane]] = static_cast<std::uint32_t>(width == 0 ? 0 : part.values.size() / width);
      for (std::size_t k = 0; k < width; ++k) part.values.push_back(planes[k * tile_lanes + lane]);
    }
  }
  for (std::uint32_t id = 0; id < count; ++id) {
    std::uint32_t& last = leaders[id];
    while (leaders[last] != last) last = leaders[last];  // a leader may follow another further on
    if (row_of[last] == nobody) continue;
    part.survivors.push_back(static_cast<std::uint32_t>(first) + id);
    part.rows.push_back(row_of[last]);
  }
}

}  // namespace lacuna::engine::gpus
