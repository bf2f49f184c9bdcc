// Layers are timed one by one, by a kernel of ours and by a library. On the simulated driver the times mean nothing, but everything that is timed is run.
#include "engine/gpus/conv_times.hpp"

#include <gmock/gmock.h>

#include "support/mixed_network.hpp"
#include "support/stand_ins.hpp"

namespace lacuna::engine::gpus {
namespace {

using tests::Variable;

class ConvTimesTest : public tests::StandIns {
 protected:
  static std::vector<std::optional<ConvTimes>> times_of(const Network& network) {
    const gpu::DevicePointer device = open();
    TensorTarget target;
    const DenseLibraries libraries = open_dense_libraries(network, device, plan::KernelWish::automatic, target);
    return time_convs(network, choose_convs(network, {}, plan::KernelWish::table), device, libraries);
  }
};

TEST_F(ConvTimesTest, EveryLayerThatALibraryCanComputeHasBothTimes) {
  const Network network = test::mixed_network(2, 3).network;
  const auto times = times_of(network);
  ASSERT_EQ(times.size(), network.operators.size());
  for (std::size_t k = 0; k < times.size(); ++k) {
    EXPECT_EQ(times[k].has_value(), std::holds_alternative<Conv>(network.operators[k].operation)) << k;
    EXPECT_GT(times[k].value_or(ConvTimes{1, 1}).own_seconds, 0) << k;
  }
}

TEST_F(ConvTimesTest, ALayerThatTheLibraryRefusesHasNone) {
  const Variable none("LACUNA_STANDIN_ALGORITHMS", "none");
  test::TensorNetwork net({{1, 3, 8, 8}});
  net.conv(net.network.input, {});
  EXPECT_FALSE(times_of(net.network)[0].has_value());
}

TEST_F(ConvTimesTest, WithoutLibrariesNothingIsTimed) {
  const Variable none("LACUNA_CUDNN_LIBRARY", "/nonexistent/libcudnn.so");
  test::TensorNetwork net({{1, 3, 8, 8}});
  net.conv(net.network.input, {});
  EXPECT_FALSE(times_of(net.network)[0].has_value());
}

}  // namespace
}  // namespace lacuna::engine::gpus
