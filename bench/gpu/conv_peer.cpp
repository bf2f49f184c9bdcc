#include "conv_peer.hpp"

#include <algorithm>
#include <limits>

#include <lacuna/error.hpp>
#include <lacuna/lacuna.hpp>

#include "engine/gpus/conv_times.hpp"
#include "peer_report.hpp"
#include "support/tensor_network.hpp"

namespace peers {

using namespace lacuna;

namespace {

/// Empty: its answers are those of the reference.
std::string what_is_wrong(test::TensorNetwork& net, const std::string& device, const std::string& kernel) {
  const TypedTensor input = net.random_input();
  const auto outputs = compile(net.network, {.device = device, .optimise = "none", .kernel = kernel}).open().run(std::span(&input, 1));
  const Verdict verdict = check_outputs(net.network, std::span(&input, 1), outputs, 1e-4);
  return verdict.right ? "" : verdict.sentence;
}

/// Throws Unsupported where the library refuses it.
engine::gpus::ConvTimes times_of(const Network& network, const gpu::DevicePointer& device, plan::KernelWish kernel, const engine::gpus::DenseLibraries& libraries) {
  const engine::gpus::TensorTarget target{device->language(), std::max(device->limits().multiprocessors, 1u), {}, {}, {}};
  const auto times = engine::gpus::time_convs(network, engine::gpus::choose_convs(network, target, kernel), device, libraries);
  if (!times.at(0)) throw Unsupported("cuDNN does not compute this convolution");
  return *times[0];
}

}  // namespace

int compare_conv(const std::string& device_name, const ConvCase& wanted) {
  test::TensorNetwork net({{wanted.images, wanted.inputs, wanted.extent, wanted.extent}});
  net.conv(net.network.input, {.outputs = wanted.outputs, .kernel = {wanted.window, wanted.window}, .pad = wanted.window / 2, .sparsity = wanted.sparsity, .activation = Activation::relu()});
  const gpu::DevicePointer device = gpu::open_devices(device_name).at(0);
  engine::gpus::TensorTarget target;
  const auto libraries = engine::gpus::open_dense_libraries(net.network, device, plan::KernelWish::dense, target);

  for (const char* kernel : {"table", "baked", "dense"})
    if (const std::string wrong = what_is_wrong(net, device_name, kernel); !wrong.empty()) return fmt::print(stderr, "WRONG: {}: {}\n", kernel, wrong), 1;
  Report report{fmt::format("\"device\": \"{}\", \"layer\": \"conv {}x{} {}->{} @{}, {:.0f}% zeros\", \"inputs\": {}", device->limits().name, wanted.window, wanted.window, wanted.inputs, wanted.outputs,
                            wanted.extent, 100 * wanted.sparsity, wanted.images),
                device->limits().is_simulated, std::numeric_limits<double>::infinity()};
  double theirs = std::numeric_limits<double>::infinity();
  for (const auto& [name, kernel] : {std::pair{"lacuna table", plan::KernelWish::table}, std::pair{"lacuna baked", plan::KernelWish::baked}}) {
    const engine::gpus::ConvTimes times = times_of(net.network, device, kernel, libraries);
    report.print_lacuna(name, times.own_seconds);
    report.lacuna_seconds = std::min(report.lacuna_seconds, times.own_seconds);
    theirs = std::min(theirs, times.dense_seconds);
  }
  report.print_peer(target.convs.name, theirs);
  return 0;
}

}  // namespace peers
