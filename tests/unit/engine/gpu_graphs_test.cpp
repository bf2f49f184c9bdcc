// Neuron graphs on GPUs with little memory and on several of them: cut up however, a batch has the same answer. On the simulator.
#include <gtest/gtest.h>

#include <cstring>

#include <lacuna/lacuna.hpp>

#include "engine/gpus/gpu_program.hpp"
#include "passes/pass_list.hpp"
#include "support/gpu_devices.hpp"
#include "support/random_graph.hpp"

namespace lacuna::tests {
namespace {

/// A device that claims to have less memory than it has.
class SmallDevice : public gpu::Device {
 public:
  SmallDevice(std::shared_ptr<gpu::Device> real, std::size_t bytes) : real_(std::move(real)), limits_(real_->limits()) {
    limits_.name = "a small GPU";
    limits_.free_bytes = limits_.largest_buffer_bytes = bytes;
  }
  const gpu::Limits& limits() const override { return limits_; }
  gpu::Language language() const override { return real_->language(); }
  gpu::BufferPointer allocate(std::size_t bytes) override { return real_->allocate(bytes); }
  void write(const gpu::BufferPointer& target, std::size_t offset, std::span<const std::byte> bytes) override { real_->write(target, offset, bytes); }
  void read(const gpu::BufferPointer& source, std::size_t offset, std::span<std::byte> bytes) override { real_->read(source, offset, bytes); }
  void copy(const gpu::BufferPointer& source, std::size_t from, const gpu::BufferPointer& target, std::size_t to, std::size_t bytes) override {
    real_->copy(source, from, target, to, bytes);
  }
  void fill_zero(const gpu::BufferPointer& target, std::size_t offset, std::size_t bytes) override { real_->fill_zero(target, offset, bytes); }
  std::vector<gpu::KernelPointer> load(const std::string& text, std::span<const gpu::KernelInfo> kernels) override { return real_->load(text, kernels); }
  void launch(const gpu::Launch& launch) override {
    ++launches;
    real_->launch(launch);
  }
  std::unique_ptr<gpu::Recording> record(const std::function<void()>& work) override { return real_->record(work); }
  void finish() override { real_->finish(); }
  void start_clock() override { real_->start_clock(); }
  double stop_clock() override { return real_->stop_clock(); }

  std::size_t launches = 0;

 private:
  std::shared_ptr<gpu::Device> real_;
  gpu::Limits limits_;
};

Network population(Update update) {
  std::mt19937 random(17);
  std::vector<NeuronGraph> graphs;
  for (int m = 0; m < 4; ++m) graphs.push_back(passes::levelise(random_graph({.update = update, .functions = 5, .only_smooth = true}, random), true, "y"));
  return network_of(std::move(graphs));
}

TypedTensor inputs_of(std::vector<std::size_t> shape) {
  std::mt19937 random(18);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::size_t count = 1;
  for (const std::size_t extent : shape) count *= extent;
  std::vector<float> values(count);
  for (float& value : values) value = uniform(random);
  return make_tensor<float>(std::move(shape), values);
}

void expect_same_bits(const std::vector<TypedTensor>& a, const std::vector<TypedTensor>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t m = 0; m < a.size(); ++m) {
    ASSERT_EQ(a[m].shape, b[m].shape);
    EXPECT_EQ(std::memcmp(a[m].bytes.data(), b[m].bytes.data(), a[m].bytes.size()), 0) << "graph " << m;
  }
}

class GraphsOnSimulatedGpus : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string missing = why_missing("sim:a100"); !missing.empty()) GTEST_SKIP() << missing;
  }
};

TEST_F(GraphsOnSimulatedGpus, ABatchThatDoesNotFitIsCutUp) {
  for (const Update update : {Update::feed_forward, Update::stepwise}) {
    const Network network = population(update);
    const std::vector<TypedTensor> inputs{inputs_of({3, 500, 5})};
    const auto run = [&](std::size_t bytes, bool keeps_state) {
      const auto device = std::make_shared<SmallDevice>(gpu::open_devices("sim:a100")[0], bytes);
      const auto program = engine::gpus::compile_for_gpus(network, {device}, {});
      const auto session = program->open();
      if (keeps_state) session->keep_state(true);
      RunReport report;
      auto outputs = session->run(inputs, report);
      if (keeps_state) outputs = session->run(inputs, report);  // goes on from the states of all parts
      return std::pair(outputs, device->launches);
    };
    for (const bool keeps_state : {false, true}) {
      const auto [at_once, few] = run(1 << 30, keeps_state);
      const auto [in_parts, many] = run(256 << 10, keeps_state);
      EXPECT_GE(many, 2 * few);
      expect_same_bits(at_once, in_parts);
    }
  }
}

TEST_F(GraphsOnSimulatedGpus, ASequenceWithTooManyOutputsIsRefused) {
  const auto program = engine::gpus::compile_for_gpus(population(Update::stepwise), {std::make_shared<SmallDevice>(gpu::open_devices("sim:a100")[0], 64 << 10)}, {});
  const std::vector<TypedTensor> inputs{inputs_of({200, 300, 5})};
  RunReport report;
  try {
    program->open()->run(inputs, report);
    FAIL() << "it fit";
  } catch (const Unsupported& error) {
    EXPECT_STREQ(error.what(), "16 outputs in 200 steps for 128 inputs at a time are more than a small GPU holds; give it shorter sequences");
  }
}

TEST_F(GraphsOnSimulatedGpus, TwoGpusGiveTheBitsOfOne) {
  for (const Update update : {Update::feed_forward, Update::continuous}) {
    const Network network = population(update);
    const std::vector<TypedTensor> inputs{inputs_of({2, 333, 5})};
    const auto one = compile(network, {.device = "sim:a100"}).open().run(inputs);
    const auto two = compile(network, {.device = "sim:a100:2"}).open().run(inputs);
    expect_same_bits(one, two);
  }
}

TEST_F(GraphsOnSimulatedGpus, WhoeverSharesABlockTheBitsAreTheSame) {
  std::mt19937 random(19);
  const Network network = network_of(std::vector<NeuronGraph>(150, random_graph({.neurons = 60, .functions = 5, .only_smooth = true}, random)));
  const TypedTensor inputs = inputs_of({400, 5});
  Session session = compile(network, {.device = "sim:a100"}).open();
  const auto all = session.run(std::vector<TypedTensor>{inputs});  // four inputs a thread
  for (const std::size_t count : {std::size_t{1}, std::size_t{40}}) {
    const auto some = session.run(std::vector<TypedTensor>{make_tensor<float>({count, 5}, inputs.as<float>().first(count * 5))});
    for (std::size_t m = 0; m < all.size(); ++m) EXPECT_EQ(std::memcmp(all[m].bytes.data(), some[m].bytes.data(), some[m].bytes.size()), 0) << count << " inputs, graph " << m;
  }
}

}  // namespace
}  // namespace lacuna::tests
