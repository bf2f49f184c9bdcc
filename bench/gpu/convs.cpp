// What a simulated GPU counts and predicts for the ten convolutions of the code generation paper (Dong et al. 2020, table 2) at 90% zeros: baked and by table. Answers
// are compared with plain loops before a figure is printed. Usage: gpu_convs MODEL [DENSITY]; one JSON object a line.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>

#include <lacuna/error.hpp>

#include "devices/cuda/open.hpp"
#include "devices/gpu/open.hpp"
#include "plan/gpus/conv_kernels.hpp"
#include "plan/gpus/kernel_text.hpp"
#include "plan/gpus/places.hpp"
#include "support/random_conv.hpp"

namespace {

using namespace lacuna;
using plan::gpus::ConvKernel;
using plan::gpus::ConvKernels;

/// Enough images to fill a GPU; more of them are the same again.
struct Layer {
  std::uint32_t number, pixels, inputs, outputs, window;
  bool is_padded;
  std::uint32_t images;
};
constexpr Layer layers[] = {{1, 24, 1, 20, 5, false, 64}, {2, 8, 20, 50, 5, false, 64},  {3, 32, 3, 32, 5, true, 64}, {4, 16, 32, 32, 5, true, 64}, {5, 8, 32, 64, 5, true, 64},
                            {6, 56, 64, 64, 3, true, 8},  {7, 28, 128, 128, 3, true, 16}, {8, 224, 3, 64, 3, true, 1}, {9, 224, 64, 64, 3, true, 1},  {10, 112, 64, 128, 3, true, 4}};

class Bench {
 public:
  Bench(const std::string& model, double density) : device_(gpu::open_devices("sim:" + model).front()), simulation_(cuda::simulation_of(*device_)), model_(model), density_(density) {}

  void run(const Layer& layer) {
    const std::uint32_t pad = layer.is_padded ? layer.window / 2 : 0, extent = layer.is_padded ? layer.pixels : layer.pixels + layer.window - 1;
    const tests::ConvCase wanted{.batch = layer.images, .group_channels = layer.inputs, .output_channels = layer.outputs, .extents = {extent, extent}, .kernel = {layer.window, layer.window},
                                 .pads_begin = {pad, pad}, .pads_end = {pad, pad}, .density = density_, .activation = Activation::identity()};
    std::mt19937 random(1);
    Conv conv = tests::random_conv(wanted, random);
    conv.bias = {};
    const rows::Planes in = plan::gpus::padded_planes(tests::input_shape(wanted), pad, pad), out = plan::gpus::padded_planes(tests::output_shape(wanted), pad, pad);
    std::vector<float> input(tests::input_shape(wanted).size());
    for (float& value : input) value = std::uniform_real_distribution<float>(-1, 1)(random);
    for (const ConvKernel kernel : {ConvKernel::baked, ConvKernel::table}) run(layer, conv, wanted, in, out, input, kernel);
  }

 private:
  template <typename T>
  gpu::BufferPointer upload(const std::vector<T>& values) {
    const gpu::BufferPointer buffer = device_->allocate(values.size() * sizeof(T));
    device_->write(buffer, 0, std::as_bytes(std::span(values)));
    return buffer;
  }

  void run(const Layer& layer, const Conv& conv, const tests::ConvCase& wanted, const rows::Planes& in, const rows::Planes& out, const std::vector<float>& input, ConvKernel kernel) {
    const ConvKernels made = plan::gpus::plan_conv("conv", conv, in, out, nullptr, {.kernel = kernel, .multiprocessors = device_->limits().multiprocessors});
    std::vector<float> memory(in.floats);
    load_planes(input.data(), in, memory.data());
    const gpu::BufferPointer target = upload(std::vector<float>(out.floats));
    std::vector<gpu::Argument> arguments{upload(memory), target};
    if (!made.rows.empty()) {
      arguments.emplace_back(upload(made.rows));
      arguments.emplace_back(upload(made.edges));
    }
    const auto kernels = plan::gpus::load_kernels(made.programs, *device_);
    simulation_->reset();
    for (const auto& launch : made.launches) device_->launch({kernels[launch.program], launch.blocks_x, launch.blocks_y, arguments});
    std::vector<float> got(out.floats);
    device_->read(target, 0, std::as_writable_bytes(std::span(got)));
    check(conv, wanted, input, out, got);
    print(layer, conv, made);
  }

  /// The first image by plain loops.
  static void check(const Conv& conv, tests::ConvCase wanted, const std::vector<float>& input, const rows::Planes& out, const std::vector<float>& got) {
    wanted.batch = 1;
    const Shape in_shape = tests::input_shape(wanted), out_shape = tests::output_shape(wanted);
    const auto expected = tests::plain_conv(conv, in_shape, out_shape, {input.begin(), input.begin() + static_cast<std::ptrdiff_t>(in_shape.size())}, {});
    std::size_t k = 0;
    for (std::uint32_t c = 0; c < out.channels; ++c)
      for (std::uint32_t y = 0; y < out.height; ++y)
        for (std::uint32_t x = 0; x < out.width; ++x, ++k)
          if (std::abs(got[out.at(0, c, y, x)] - expected.values[k]) > 3e-6 * expected.magnitudes[k] + 1e-6) throw InternalError(fmt::format("element {} differs", k));
  }

  void print(const Layer& layer, const Conv& conv, const ConvKernels& made) {
    const double pixels = static_cast<double>(layer.images) * layer.pixels * layer.pixels, edges = static_cast<double>(plan::gpus::count_nonzeros(conv)) * pixels;
    const double instructions = simulation_->figure("warp_instructions"), multiply_adds = simulation_->figure("warp_instructions_multiply_add");
    const double dram = simulation_->figure("dram_bytes_read") + simulation_->figure("dram_bytes_written");
    std::string bound = "issue";
    for (const char* part : {"fp32", "integer", "special", "shared", "l2", "dram", "launch"})
      if (simulation_->figure("seconds_" + std::string(part)) > simulation_->figure("seconds_" + bound)) bound = part;
    fmt::print("{{\"convolution\": {}, \"model\": \"{}\", \"images\": {}, \"kernel\": \"{}\", \"multiply_add_share\": {:.3f}, \"warp_instructions_per_edge\": {:.3f}, \"index_loads\": {}, "
               "\"dram_bytes\": {:.0f}, \"predicted_us\": {:.1f}, \"bound\": \"{}\", \"predicted_edges_per_s\": {:.3g}}}\n",
               layer.number, model_, layer.images, made.description, multiply_adds / instructions, instructions / (edges / 32), made.rows.empty() ? "false" : "true", dram,
               simulation_->figure("predicted_seconds") * 1e6, bound, edges / simulation_->figure("predicted_seconds"));
    std::fflush(stdout);
  }

  gpu::DevicePointer device_;
  std::unique_ptr<cuda::Simulation> simulation_;
  std::string model_;
  double density_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return fmt::print(stderr, "usage: gpu_convs MODEL [DENSITY]\n"), 2;
  try {
    Bench bench(argv[1], argc > 2 ? std::atof(argv[2]) : 0.1);
    for (const Layer& layer : layers) bench.run(layer);
    return 0;
  } catch (const Error& error) {
    return fmt::print(stderr, "{}\n", error.what()), 1;
  }
}
