// Which layers are dense on a GPU: the faster where both were timed, otherwise those whose weights are mostly not zero.
#include "engine/gpus/conv_choices.hpp"

#include <gmock/gmock.h>

#include <lacuna/error.hpp>

#include "support/temp_folder.hpp"
#include "support/tensor_network.hpp"

namespace lacuna::engine::gpus {
namespace {

using plan::KernelWish;
using plan::gpus::ConvKernel;

/// A convolution with all weights, one with half of them, and a fully connected layer.
Network three_layers() {
  test::TensorNetwork net({{1, 4, 9, 9}});
  const ValueId full = net.conv(net.network.input, {.outputs = 4, .sparsity = 0});
  const ValueId half = net.conv(full, {.outputs = 4, .sparsity = 0});
  auto& weights = std::get<Conv>(net.network.operators[1].operation).weights;
  std::vector<float> values(weights.begin(), weights.end());
  for (std::size_t k = 0; k < values.size(); k += 2) values[k] = 0;
  weights = std::move(values);
  const ValueId flat = net.call("Flatten", {half}, {{1, 324}}, {{"axis", std::int64_t{1}}});
  net.conv(flat, {.outputs = 5, .kernel = {}, .sparsity = 0.1});
  return net.network;
}

TensorTarget with_libraries() { return {gpu::Language::ptx, 80, {"cuDNN 9.1.0", ""}, {"cuBLAS 12.4.5", ""}, "libraries are not timed on a simulated GPU"}; }

TEST(ChooseConvs, WithoutTimesMoreThanHalfOfTheWeightsMakeALayerDense) {
  const auto choices = choose_convs(three_layers(), with_libraries(), KernelWish::automatic);
  EXPECT_TRUE(choices[0].is_dense);
  EXPECT_EQ(choices[0].library, "cuDNN 9.1.0");
  EXPECT_EQ(choices[0].reason, "100% of its weights are not zero; libraries are not timed on a simulated GPU");
  EXPECT_FALSE(choices[1].is_dense) << "half is not more than half";
  EXPECT_EQ(choices[1].reason, "");
  EXPECT_EQ(choices[1].own.kernel, ConvKernel::baked);
  EXPECT_TRUE(choices[3].is_dense);
  EXPECT_EQ(choices[3].library, "cuBLAS 12.4.5");
}

TEST(ChooseConvs, TheFasterWinsWhateverTheShare) {
  const std::vector<std::optional<ConvTimes>> times{ConvTimes{2e-6, 3e-6}, ConvTimes{4e-6, 3.5e-6}, std::nullopt, std::nullopt};
  const auto choices = choose_convs(three_layers(), with_libraries(), KernelWish::automatic, times);
  EXPECT_FALSE(choices[0].is_dense);
  EXPECT_EQ(choices[0].reason, "2.0 us by a kernel of ours, 3.0 us by cuDNN 9.1.0");
  EXPECT_TRUE(choices[1].is_dense);
  EXPECT_EQ(choices[1].reason, "3.5 us by cuDNN 9.1.0, 4.0 us by a kernel of ours");
}

TEST(ChooseConvs, ALibraryThatIsMissingIsTheReason) {
  TensorTarget target = with_libraries();
  target.convs = {"", "cudnn: not here"};
  const auto choices = choose_convs(three_layers(), target, KernelWish::automatic);
  EXPECT_FALSE(choices[0].is_dense);
  EXPECT_EQ(choices[0].reason, "100% of its weights are not zero; cudnn: not here");
  EXPECT_EQ(tests::message_of<Unsupported>([&] { choose_convs(three_layers(), target, KernelWish::dense); }), "cudnn: not here");
}

TEST(ChooseConvs, AKernelThatIsAskedForIsTaken) {
  for (KernelWish wish : {KernelWish::table, KernelWish::baked})
    for (const ConvChoice& choice : choose_convs(three_layers(), with_libraries(), wish)) EXPECT_FALSE(choice.is_dense) << choice.reason;
  const auto choices = choose_convs(three_layers(), with_libraries(), KernelWish::dense);
  EXPECT_TRUE(choices[1].is_dense);
  EXPECT_EQ(choices[1].reason, "asked for");
}

}  // namespace
}  // namespace lacuna::engine::gpus
