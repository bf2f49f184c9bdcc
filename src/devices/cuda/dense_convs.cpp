#include "devices/cuda/dense_convs.hpp"

#include <algorithm>
#include <limits>

#include "devices/cuda/cudnn_api.hpp"

namespace lacuna::cuda {
namespace {

using DnnLibrary = OpenedLibrary<DnnApi>;

constexpr std::size_t most_work_bytes = std::size_t{256} << 20;  // beside the network's own memory
constexpr int most_algorithms = 16;                              // there are eight

int number(std::size_t of) { return static_cast<int>(of); }

void check_counts(const gpu::DensePlanes& planes) {
  if (planes.floats() > std::numeric_limits<int>::max()) throw Unsupported(fmt::format("a value of {} floats, and cuDNN counts in 31 bits: use a smaller batch", planes.floats()));
}

/// The descriptors of a convolution, and the algorithm that cuDNN expects to be the fastest.
class Convolution final : public gpu::DenseWork {
 public:
  Convolution(std::shared_ptr<DnnLibrary> library, const gpu::DenseConv& conv)
      : library_(std::move(library)), conv_(conv), source_(api().destroy_tensor), output_(api().destroy_tensor), filter_(api().destroy_filter), window_(api().destroy_conv) {
    check_counts(conv.source);
    check_counts(conv.output);
    const Context::Turn turn(*library_->context);
    describe(conv.source, source_);
    describe(conv.output, output_);
    library_->call(api().create_filter, filter_.place());
    library_->call(api().set_filter, filter_.get(), DnnType::f32, DnnOrder::channels_first, number(conv.output.channels), number(conv.source.channels / conv.groups), number(conv.kernel_y),
                   number(conv.kernel_x));
    library_->call(api().create_conv, window_.place());
    library_->call(api().set_conv, window_.get(), number(conv.pad_y), number(conv.pad_x), number(conv.stride_y), number(conv.stride_x), number(conv.dilation_y), number(conv.dilation_x),
                   DnnConvMode::cross_correlation, DnnType::f32);
    library_->call(api().set_groups, window_.get(), number(conv.groups));
    library_->call(api().set_math, window_.get(), DnnMath::f32_only);
    choose_algorithm();
  }

  void run(const gpu::BufferPointer& source, const gpu::BufferPointer& weights, const gpu::BufferPointer& output) override {
    const Context::Turn turn(*library_->context);
    const std::array buffers{library_->own(source, conv_.source.floats() * sizeof(float)), library_->own(weights, conv_.weights() * sizeof(float)),
                             library_->own(output, conv_.output.floats() * sizeof(float))};
    const DeviceAddress work = library_->work(work_bytes_);
    const float one = 1, zero = 0;
    for (const auto& buffer : buffers) buffer->begin_use();
    library_->call(api().convolve, library_->handle, static_cast<const void*>(&one), source_.get(), buffers[0]->address() + conv_.source.origin * sizeof(float), filter_.get(),
                   buffers[1]->address(), window_.get(), algorithm_, work, work_bytes_, static_cast<const void*>(&zero), output_.get(),
                   buffers[2]->address() + conv_.output.origin * sizeof(float));
    for (const auto& buffer : buffers) buffer->end_use();
  }

 private:
  const DnnApi& api() const { return library_->api; }

  void describe(const gpu::DensePlanes& planes, Held<DnnTensor, DnnStatus>& tensor) {
    library_->call(api().create_tensor, tensor.place());
    library_->call(api().set_tensor, tensor.get(), DnnType::f32, number(planes.images), number(planes.channels), number(planes.height), number(planes.width), number(planes.image),
                   number(planes.channel), number(planes.row), 1);
  }

  /// The first that it offers for these planes in f32, that gives the same bits every time and needs little memory. Algorithms that want planes without gaps are not offered.
  void choose_algorithm() {
    std::array<DnnExpected, most_algorithms> expected{};
    int count = 0;
    library_->call(api().algorithms, library_->handle, source_.get(), filter_.get(), window_.get(), output_.get(), most_algorithms, &count, expected.data());
    const auto end = expected.begin() + std::clamp(count, 0, most_algorithms);
    const auto found = std::find_if(expected.begin(), end, [](const DnnExpected& one) {
      return one.status == DnnStatus::success && one.determinism == DnnDeterminism::same_bits && (one.math == DnnMath::any || one.math == DnnMath::f32_only) && one.work_bytes <= most_work_bytes;
    });
    if (found == end) throw Unsupported("cuDNN has no algorithm for it in f32");
    algorithm_ = found->algorithm;
    library_->call(api().work_bytes, library_->handle, source_.get(), filter_.get(), window_.get(), output_.get(), algorithm_, &work_bytes_);
    library_->work(work_bytes_);  // now, so that no run has to find it
  }

  std::shared_ptr<DnnLibrary> library_;
  gpu::DenseConv conv_;
  Held<DnnTensor, DnnStatus> source_, output_;  // these live on the host: they go without a turn
  Held<DnnFilter, DnnStatus> filter_;
  Held<DnnConv, DnnStatus> window_;
  DnnAlgorithm algorithm_{};
  std::size_t work_bytes_ = 0;
};

class DnnConvs final : public gpu::DenseConvs {
 public:
  explicit DnnConvs(const gpu::DevicePointer& device) : library_(std::make_shared<DnnLibrary>(cudnn, device)) {
    const std::size_t version = library_->api.version.function(), major_unit = version >= 90000 ? 10000 : 1000;  // 91900: 9.19.0; 8907: 8.9.7
    name_ = fmt::format("cuDNN {}.{}.{}", version / major_unit, version % major_unit / 100, version % 100);
  }

  const std::string& name() const override { return name_; }
  std::unique_ptr<gpu::DenseWork> prepare(const gpu::DenseConv& conv) override { return std::make_unique<Convolution>(library_, conv); }

 private:
  std::shared_ptr<DnnLibrary> library_;
  std::string name_;
};

}  // namespace

std::shared_ptr<gpu::DenseConvs> open_dense_convs(const gpu::DevicePointer& device) { return std::make_shared<DnnConvs>(device); }

}  // namespace lacuna::cuda
