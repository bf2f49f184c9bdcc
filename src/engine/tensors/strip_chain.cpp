#include "engine/tensors/strip_chain.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "base/round_up.hpp"
#include "base/team.hpp"
#include "devices/cpu/cpu_info.hpp"
#include "engine/tensors/pool_rows.hpp"
#include "engine/tensors/pool_shape.hpp"
#include "engine/tensors/strip_rows.hpp"
#include "rows/conv_rows.hpp"

namespace lacuna::engine::tensors {
namespace {

using plan::SparseConv;
using rows::Planes;

std::size_t index(ValueId id) { return static_cast<std::size_t>(id); }

/// Strips of `rows` rows, each with all channels side by side, so that a tile touches few pages. Lines of pixels begin where lines of the cache do, an odd number of them apart: channels
/// then share no set of L1. What is between them is zero.
Planes strip_planes(std::uint32_t channels, std::uint32_t rows, std::uint32_t width) {
  constexpr std::size_t line = 16;
  Planes planes;
  planes.channels = channels;
  planes.height = rows;
  planes.width = width;
  planes.channel = ((width / line + 1) | 1) * line;
  planes.row = channels * planes.channel;
  planes.halo_x = static_cast<std::uint32_t>(planes.channel - width);
  planes.image = rows * planes.row;
  planes.origin = line;
  planes.floats = planes.origin + planes.image + 4 * line;
  return planes;
}

/// Of one image.
Planes with_height(Planes planes, std::int32_t height) {
  planes.batch = 1;
  planes.height = static_cast<std::uint32_t>(height);
  planes.halo_y = 0;
  return planes;
}

/// A convolution, and the strip it writes.
struct Stage {
  StageShape shape;
  std::shared_ptr<const SparseConv> conv;
  Planes strip;
  std::size_t place = 0;  ///< of the strip in a thread's memory
};

/// Adds what passed since the last time, if anybody wants to know.
class Clock {
 public:
  explicit Clock(double* seconds) : seconds_(seconds) {
    if (seconds_ != nullptr) last_ = std::chrono::steady_clock::now();
  }
  void add_to(std::size_t operation) {
    if (seconds_ == nullptr) return;
    const auto now = std::chrono::steady_clock::now();
    seconds_[operation] += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }

 private:
  double* seconds_;
  std::chrono::steady_clock::time_point last_;
};

/// What a thread has: the strips of all stages, then scratch of the convolutions.
struct ThreadMemory {
  std::size_t scratch = 0;  ///< where it begins
  std::size_t floats = 0;
};

/// The rows of all stages, for each strip of each thread.
using Strips = std::vector<std::vector<std::vector<StripRows>>>;

class PooledChain : public StripChain {
 public:
  PooledChain(std::vector<Stage> stages, PoolRows pool, Strips strips, Planes from, Planes to, ThreadMemory memory)
      : stages_(std::move(stages)), pool_(std::move(pool)), strips_(std::move(strips)), from_(from), to_(to), memory_(memory) {}

  std::size_t thread_floats() const override { return memory_.floats; }

  void run(const float* input, float* output, float* of_threads, std::size_t thread_pitch, double* seconds) const override {
    base::run_team(static_cast<unsigned>(strips_.size()), [&](unsigned worker) {
      const std::vector<std::vector<StripRows>>& strips = strips_[worker];
      float* const memory = of_threads + worker * thread_pitch;
      rows::zero_halo(to_, output, static_cast<std::size_t>(strips.front().back().begin), static_cast<std::size_t>(strips.back().back().end));
      for (const Stage& stage : stages_) zero_gaps(stage.strip, memory + stage.place);
      for (std::size_t image = 0; image < to_.batch; ++image)
        for (std::size_t k = 0; k < strips.size(); ++k) run_strip(strips[k], k == 0 ? nullptr : &strips[k - 1], input + image * from_.image, output + image * to_.image, memory, worker == 0 ? seconds : nullptr);
    });
  }

 private:
  static void zero_gaps(const Planes& strip, float* memory) {
    std::fill_n(memory, strip.origin, 0.0f);
    for (std::size_t line = 0; line < std::size_t{strip.height} * strip.channels; ++line) std::fill_n(memory + strip.origin + line * strip.channel + strip.width, strip.channel - strip.width, 0.0f);
  }

  void run_strip(const std::vector<StripRows>& rows, const std::vector<StripRows>* before, const float* input, float* output, float* memory, double* seconds) const {
    Clock clock(seconds);
    for (std::size_t k = 0; k < stages_.size(); ++k) {
      const Stage& stage = stages_[k];
      float* const strip = memory + stage.place;
      if (before != nullptr) keep_rows(stage.strip, (*before)[k], rows[k], strip);
      if (k + 1 < stages_.size()) zero_outside(stage, rows[k], strip);
      if (rows[k].begin == rows[k].end) continue;
      const std::int64_t first = stage.shape.reads_from(rows[k].begin);
      const float* const source = k == 0 ? input + first * static_cast<std::int64_t>(from_.row)
                                         : memory + stages_[k - 1].place + static_cast<std::size_t>(first - rows[k - 1].held_from) * stages_[k - 1].strip.row;
      stage.conv->run_rows(source, strip + static_cast<std::size_t>(rows[k].begin - rows[k].held_from) * stage.strip.row, static_cast<std::uint32_t>(rows[k].end - rows[k].begin), memory + memory_.scratch);
      clock.add_to(k);
    }
    pool_strip(rows, memory, output);
    clock.add_to(stages_.size());
  }

  /// Each channel gets a few rows: no stream that a CPU would see, so what is written next is asked for ahead.
  void pool_strip(const std::vector<StripRows>& rows, const float* memory, float* output) const {
    constexpr std::size_t ahead = 4, line = 16;
    const Stage& last = stages_.back();
    const StripRows& pooled = rows.back();
    const std::int64_t above = rows[stages_.size() - 1].held_from * static_cast<std::int64_t>(last.strip.row);
    const std::size_t first = static_cast<std::size_t>(pooled.begin) * to_.row, floats = static_cast<std::size_t>(pooled.end - pooled.begin) * to_.row;
    for (std::size_t c = 0; c < to_.channels; ++c) {
      for (std::size_t lane = 0; c + ahead < to_.channels && lane < floats; lane += line) __builtin_prefetch(output + to_.at(0, c + ahead, 0, 0) + first + lane, 1);
      pool_.run(memory + last.place + last.strip.at(0, c, 0, 0) - above, output + to_.at(0, c, 0, 0), static_cast<std::uint32_t>(pooled.begin), static_cast<std::uint32_t>(pooled.end));
    }
  }

  /// Rows that are read again move to where the strip now begins.
  static void keep_rows(const Planes& strip, const StripRows& before, const StripRows& now, float* memory) {
    const std::int32_t kept = before.end - now.held_from;
    if (kept <= 0 || now.held_from == before.held_from) return;
    float* const rows = memory + strip.origin;
    std::memmove(rows, rows + static_cast<std::size_t>(now.held_from - before.held_from) * strip.row, static_cast<std::size_t>(kept) * strip.row * sizeof(float));
  }

  /// Rows that the next convolution reads above and below the image.
  static void zero_outside(const Stage& stage, const StripRows& rows, float* memory) {
    const auto zero = [&](std::int32_t begin, std::int32_t end) {
      if (begin < end) std::fill_n(memory + stage.strip.origin + static_cast<std::size_t>(begin - rows.held_from) * stage.strip.row, static_cast<std::size_t>(end - begin) * stage.strip.row, 0.0f);
    };
    zero(rows.held_from, std::min(0, rows.held_before));
    zero(std::max(stage.shape.height, rows.held_from), rows.held_before);
  }

  std::vector<Stage> stages_;  ///< without the pooling
  PoolRows pool_;
  Strips strips_;
  Planes from_, to_;
  ThreadMemory memory_;
};

class ChainStep : public Step {
 public:
  ChainStep(std::unique_ptr<const StripChain> chain, std::size_t first, std::size_t input, std::size_t output) : chain_(std::move(chain)), first_(first), input_(input), output_(output) {}
  void run(const Frame& frame) const override {
    chain_->run(frame.floats(input_), frame.floats(output_), frame.of_threads, frame.thread_pitch, frame.seconds == nullptr ? nullptr : frame.seconds->data() + first_);
  }

 private:
  std::unique_ptr<const StripChain> chain_;
  std::size_t first_, input_, output_;
};

StageShape shape_of(const Conv& conv, std::uint32_t height) {
  const rows::Window w = rows::window_of(conv);
  return {static_cast<std::int32_t>(w.kernel_y), static_cast<std::int32_t>(w.stride_y), static_cast<std::int32_t>(w.pad_y), static_cast<std::int32_t>(height)};
}

class Maker {
 public:
  Maker(const Planned& planned, std::size_t first, std::size_t end) : planned_(planned), first_(first), end_(end), to_(planned.planes[index(op(end - 1).output)]) {
    for (std::size_t k = first; k + 1 < end; ++k) shapes_.push_back(shape_of(conv(k), out(k).height));
    const dense::PoolShape pool = PoolRows(*pool_shape(planned.network, op(end - 1)), out(end - 2), to_, planned.isa).shape();
    shapes_.push_back({static_cast<std::int32_t>(pool.kernel[0]), static_cast<std::int32_t>(pool.strides[0]), static_cast<std::int32_t>(pool.pads_begin[0]), static_cast<std::int32_t>(to_.height)});
  }

  std::unique_ptr<const StripChain> make() {
    if (!find_step()) return nullptr;
    std::vector<Stage> stages;
    std::size_t place = 0, scratch = 0;
    for (std::size_t k = first_; k + 1 < end_; ++k) {
      Stage& stage = stages.emplace_back(Stage{shapes_[k - first_], nullptr, strip_of(k), place});
      stage.conv = conv_of(k, k == first_ ? planned_.planes[index(op(k).inputs[0])] : stages[stages.size() - 2].strip, stage.strip);
      if (!stage.conv->has_rows()) return nullptr;
      scratch = std::max(scratch, stage.conv->scratch_floats());
      place += base::round_up(stage.strip.floats + rows::apart_in_page, 16);
    }
    Planes whole_strip = stages.back().strip;
    whole_strip.height = out(end_ - 2).height;
    PoolRows pool(*pool_shape(planned_.network, op(end_ - 1)), whole_strip, to_, planned_.isa);
    return std::make_unique<PooledChain>(std::move(stages), std::move(pool), strips_, planned_.planes[index(op(first_).inputs[0])], to_, ThreadMemory{place, place + base::round_up(scratch, 16)});
  }

 private:
  const Operator& op(std::size_t k) const { return planned_.network.operators[k]; }
  const Conv& conv(std::size_t k) const { return std::get<Conv>(op(k).operation); }
  const Planes& out(std::size_t k) const { return planned_.planes[index(op(k).output)]; }

  /// The most rows at a time whose strips fit L2; code is read once for each strip.
  bool find_step() {
    const std::size_t l2 = cpu::cpu_info().l2_bytes;
    std::size_t code_bytes = 0;
    for (std::size_t k = first_; k + 1 < end_; ++k) code_bytes += planned_.choices[k].sparse->code_bytes();
    if (code_bytes > l2 / 2) return false;
    for (std::int32_t step : {8, 4, 2, 1}) {
      strips_.clear();
      for (unsigned worker = 0; worker < planned_.threads; ++worker) {
        const auto row = [&](std::size_t part) { return static_cast<std::int32_t>(to_.height * part / planned_.threads); };
        strips_.push_back(strip_rows(shapes_, row(worker), row(worker + std::size_t{1}), step));
        if (strips_.back().empty()) return false;
      }
      std::size_t strip_bytes = 0;
      for (std::size_t k = first_; k + 1 < end_; ++k) strip_bytes += strip_of(k).floats * sizeof(float);
      if (strip_bytes <= l2 * 85 / 100) return true;
    }
    return false;
  }

  /// The most that `rows_of` says of a stage's strips.
  template <typename RowsOf>
  std::int32_t most(std::size_t stage, RowsOf rows_of) const {
    std::int32_t rows = 1;
    for (const auto& of_thread : strips_)
      for (const auto& strip : of_thread) rows = std::max(rows, rows_of(strip[stage]));
    return rows;
  }

  Planes strip_of(std::size_t k) const {
    const std::int32_t rows = most(k - first_, [](const StripRows& strip) { return strip.held_before - strip.held_from; }) + shapes_[k - first_ + 1].stride - 1;
    return strip_planes(out(k).channels, static_cast<std::uint32_t>(rows + rows % 2), out(k).width);  // an even number may be computed
  }

  /// Whether this CPU is one for which that was faster in whole planes.
  bool joins_lines() const {
    return std::any_of(planned_.choices.begin(), planned_.choices.end(), [](const Choice& choice) { return choice.world == World::planes && choice.sparse && choice.sparse->choice().by_lines; });
  }

  /// For the most rows that a strip has new; rows of padding stand in the strips.
  std::shared_ptr<const SparseConv> conv_of(std::size_t k, const Planes& in, const Planes& strip) const {
    const StageShape& shape = shapes_[k - first_];
    const std::int32_t rows = most(k - first_, [](const StripRows& of_strip) { return of_strip.end - of_strip.begin; }), even = rows + rows % 2;
    Conv unpadded = conv(k);
    unpadded.pads_begin[0] = unpadded.pads_end[0] = 0;
    const Planes read = with_height(in, (even - 1) * shape.stride + shape.kernel + shape.stride - 1), written = with_height(strip, even);
    const SparseConv& tuned = *planned_.choices[k].sparse;
    const plan::ConvKernelChoice choice = plan::choice_for_strips(unpadded, read, written, tuned.choice(), tuned.code_bytes(), shape.height % 2 == 0, joins_lines(), planned_.isa);
    return std::make_shared<const SparseConv>(unpadded, read, written, nullptr, choice, planned_.isa, 1);
  }

  const Planned& planned_;
  const std::size_t first_, end_;
  const Planes& to_;
  std::vector<StageShape> shapes_;  ///< of all operators
  Strips strips_;
};

}  // namespace

std::optional<std::size_t> end_of_chain(const Planned& planned, std::size_t first) {
  const unsigned lanes = cpu::kernels_for(planned.isa).vector_lanes;
  for (std::size_t k = first; k < planned.network.operators.size(); ++k) {
    const Operator& op = planned.network.operators[k];
    const Choice& choice = planned.choices[k];
    const auto stands_on_rows = [&](ValueId id) { return planned.planes[index(id)].floats > 0 && planned.planes[index(id)].has_rows_of_pixels(); };
    if (choice.world != World::planes || op.inputs.empty() || !stands_on_rows(op.inputs[0]) || !stands_on_rows(op.output)) return std::nullopt;
    if (k > first && (op.inputs[0] != planned.network.operators[k - 1].output || planned.reads[index(op.inputs[0])] != 1)) return std::nullopt;
    if (k > first && pool_shape(planned.network, op)) return planned.planes[index(op.output)].height >= planned.threads ? std::optional(k + 1) : std::nullopt;
    const Conv* const conv = std::get_if<Conv>(&op.operation);
    if (conv == nullptr || !choice.sparse || conv->kernel.size() != 2 || op.inputs.size() != 1 || planned.planes[index(op.output)].width % lanes != 0) return std::nullopt;
  }
  return std::nullopt;
}

std::unique_ptr<const StripChain> make_strip_chain(const Planned& planned, std::size_t first, std::size_t end) { return Maker(planned, first, end).make(); }

StepPointer strip_chain_step(std::unique_ptr<const StripChain> chain, std::size_t first, std::size_t input, std::size_t output) {
  return std::make_unique<ChainStep>(std::move(chain), first, input, output);
}

}  // namespace lacuna::engine::tensors
