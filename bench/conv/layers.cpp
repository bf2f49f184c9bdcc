#include "layers.hpp"

#include <fmt/format.h>

#include <fstream>
#include <random>
#include <sstream>

namespace lacuna::bench {
namespace {

Conv square_conv(std::uint32_t channels, std::uint32_t rows, std::uint32_t kernel, std::uint32_t stride, std::uint32_t pad) {
  Conv conv;
  conv.output_channels = rows;
  conv.group_channels = channels;
  conv.kernel = {kernel, kernel};
  conv.strides = {stride, stride};
  conv.dilations = {1, 1};
  conv.pads_begin = conv.pads_end = {pad, pad};
  conv.activation = Activation::relu();
  return conv;
}

void set_values(Conv& conv, std::vector<float> weights) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0, 0.1f);
  for (float& weight : weights)
    if (weight != 0) weight = normal(random) + 1e-4f;
  std::vector<float> bias(conv.output_channels);
  for (float& value : bias) value = normal(random);
  conv.weights = std::move(weights);
  conv.bias = std::move(bias);
}

/// Columns of a layer with a window are (ky, kx, channel): counts by column / channels show the window's middle, those by column % 9 nothing.
bool read_pattern(const std::string& file, std::uint32_t kernel, Conv& conv) {
  std::ifstream stream(file);
  std::string line;
  if (!std::getline(stream, line)) return false;
  for (char& letter : line)
    if (letter == ',') letter = ' ';
  std::size_t rows = 0, columns = 0, nonzeros = 0;
  std::istringstream(line) >> rows >> columns >> nonzeros;
  const std::size_t taps = std::size_t{kernel} * kernel, channels = columns / taps;
  if (rows != conv.output_channels || channels != conv.group_channels) throw std::runtime_error(fmt::format("{}: {} x {}", file, rows, columns));
  std::vector<std::size_t> row_begin(rows + 1);
  for (std::size_t& begin : row_begin) stream >> begin;
  std::vector<float> weights(rows * columns, 0);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t e = row_begin[row]; e < row_begin[row + 1]; ++e) {
      std::size_t column = 0;
      stream >> column;
      weights[row * columns + column % channels * taps + column / channels] = 1;
    }
  set_values(conv, std::move(weights));
  return true;
}

}  // namespace

std::vector<Layer> resnet_layers(const std::string& folder) {
  std::vector<Layer> layers;
  for (const char* sparsity : {"0.8", "0.9"})
    for (std::uint32_t group = 1; group <= 4; ++group) {
      const std::uint32_t size = 112u >> group, narrow = 32u << group, wide = 4 * narrow;
      const auto add = [&](const std::string& file, const std::string& what, std::uint32_t channels, std::uint32_t rows, std::uint32_t extent, std::uint32_t kernel, std::uint32_t stride) {
        Layer layer{fmt::format("{} {}->{} @{}", what, channels, rows, extent), channels, extent, extent, square_conv(channels, rows, kernel, stride, kernel / 2), std::stod(sparsity)};
        if (read_pattern(fmt::format("{}/dlmc-rn50/magnitude-{}/{}.smtx", folder, sparsity, file), kernel, layer.conv)) layers.push_back(std::move(layer));
      };
      add(fmt::format("bottleneck_1_block_group{}_1_1", group), "1x1", wide, narrow, size, 1, 1);
      add(fmt::format("bottleneck_2_block_group{}_1_1", group), "3x3", narrow, narrow, size, 3, 1);
      add(fmt::format("bottleneck_3_block_group{}_1_1", group), "1x1", narrow, wide, size, 1, 1);
      if (group > 1) add(fmt::format("bottleneck_2_block_group_projection_block_group{}", group), "3x3 stride 2", narrow, narrow, 2 * size, 3, 2);
      if (group > 1) add(fmt::format("bottleneck_projection_block_group_projection_block_group{}", group), "1x1 stride 2", wide / 2, wide, 2 * size, 1, 2);
    }
  return layers;
}

std::vector<Layer> ten_layers() {
  struct Row {
    std::uint32_t size, channels, rows, kernel;
    bool padded;
  };
  std::vector<Layer> layers;
  for (double sparsity : {0.8, 0.9}) {
    unsigned number = 0;
    for (const Row& row : {Row{28, 1, 20, 5, false}, {12, 20, 50, 5, false}, {32, 3, 32, 5, true}, {16, 32, 32, 5, true}, {8, 32, 64, 5, true}, {56, 64, 64, 3, true}, {28, 128, 128, 3, true},
                           {224, 3, 64, 3, true}, {224, 64, 64, 3, true}, {112, 64, 128, 3, true}}) {
      Layer layer{fmt::format("ten-{} {}x{} {}->{} @{}", ++number, row.kernel, row.kernel, row.channels, row.rows, row.size), row.channels, row.size, row.size,
                  square_conv(row.channels, row.rows, row.kernel, 1, row.padded ? row.kernel / 2 : 0), sparsity};
      std::mt19937 random(number);
      std::bernoulli_distribution is_kept(1 - sparsity);
      std::vector<float> weights(std::size_t{row.rows} * row.channels * row.kernel * row.kernel);
      for (float& weight : weights) weight = is_kept(random) ? 1.0f : 0.0f;
      set_values(layer.conv, std::move(weights));
      layers.push_back(std::move(layer));
    }
  }
  return layers;
}

}  // namespace lacuna::bench
