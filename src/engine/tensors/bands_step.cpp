#include <chrono>
#include <cstring>

#include "base/team.hpp"
#include "engine/tensors/bands.hpp"

namespace lacuna::engine::tensors {
namespace {

class BandsStep : public Step {
 public:
  BandsStep(TensorProgram band, std::size_t first, rows::Planes input_planes, std::size_t input, std::size_t arenas, unsigned bands, std::vector<LeavingBands> leaving)
      : band_(std::move(band)), first_(first), input_planes_(input_planes), input_(input), arenas_(arenas), bands_(bands), leaving_(std::move(leaving)) {
    for (std::size_t k = 0; k < band_.steps.size(); ++k)
      if (k == 0 || band_.steps[k].begins_phase) phases_.push_back(k);
    phases_.push_back(band_.steps.size());
  }

  void run(const Frame& frame) const override {
    std::vector<Frame> frames;
    for (unsigned band = 0; band < bands_; ++band) {
      Frame& of_band = frames.emplace_back(band_.frame_in(frame.at(arenas_) + band * band_.arena_bytes));
      of_band.buffers[band_.inputs[0].memory.buffer] = reinterpret_cast<std::byte*>(frame.floats(input_) + band * input_planes_.height * input_planes_.row);
    }
    for (unsigned band = 0; band < bands_; ++band) {
      if (band > 0) frames[band].above = &frames[band - 1];
      if (band + 1 < bands_) frames[band].below = &frames[band + 1];
    }
    for (std::size_t phase = 0; phase + 1 < phases_.size(); ++phase)
      base::run_team(bands_, [&](unsigned band) {
        run_phase(phase, frames[band], band == 0 ? frame.seconds : nullptr);
        if (phase + 2 == phases_.size())
          for (const LeavingBands& value : leaving_) leave(value, frames[band], frame, band);
      });
  }

 private:
  void run_phase(std::size_t phase, const Frame& frame, std::vector<double>* seconds) const {
    for (std::size_t k = phases_[phase]; k < phases_[phase + 1]; ++k) {
      const auto start = std::chrono::steady_clock::now();
      band_.steps[k].step->run(frame);
      if (seconds != nullptr) (*seconds)[first_ + band_.steps[k].op] += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
  }

  static void leave(const LeavingBands& value, const Frame& of_band, const Frame& whole, unsigned band) {
    rows::copy_band(value.band, of_band.floats(value.from), value.whole, whole.floats(value.to), std::size_t{band} * value.band.height);
  }

  TensorProgram band_;
  std::vector<std::size_t> phases_;  ///< their first steps, and the number of all
  std::size_t first_;
  rows::Planes input_planes_;
  std::size_t input_, arenas_;
  unsigned bands_;
  std::vector<LeavingBands> leaving_;
};

class FetchRowsStep : public Step {
 public:
  FetchRowsStep(const rows::Planes& planes, rows::RowsBeyond beyond, std::size_t buffer) : planes_(planes), beyond_(beyond), buffer_(buffer) {}

  void run(const Frame& frame) const override {
    float* const own = frame.floats(buffer_) + planes_.origin;
    if (frame.above != nullptr) fetch(frame.above->floats(buffer_) + planes_.origin + (planes_.height - beyond_.above) * planes_.row, own - beyond_.above * planes_.row, beyond_.above);
    if (frame.below != nullptr) fetch(frame.below->floats(buffer_) + planes_.origin, own + planes_.height * planes_.row, beyond_.below);
  }

 private:
  void fetch(const float* source, float* target, std::size_t rows) const {
    for (std::size_t c = 0; c < planes_.channels; ++c)
      for (std::size_t y = 0; y < rows; ++y) std::memcpy(target + c * planes_.channel + y * planes_.row, source + c * planes_.channel + y * planes_.row, planes_.width * sizeof(float));
  }

  rows::Planes planes_;
  rows::RowsBeyond beyond_;
  std::size_t buffer_;
};

}  // namespace

StepPointer bands_step(TensorProgram band, std::size_t first, rows::Planes input_planes, std::size_t input, std::size_t arenas, unsigned bands, std::vector<LeavingBands> leaving) {
  return std::make_unique<BandsStep>(std::move(band), first, input_planes, input, arenas, bands, std::move(leaving));
}

StepPointer fetch_rows_step(const rows::Planes& planes, rows::RowsBeyond beyond, std::size_t buffer) { return std::make_unique<FetchRowsStep>(planes, beyond, buffer); }

}  // namespace lacuna::engine::tensors
