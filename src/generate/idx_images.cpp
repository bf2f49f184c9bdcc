// Image sources read from MNIST-style idx files.
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <lacuna/error.hpp>
#include <lacuna/load.hpp>
#include <memory>
#include <utility>
#include <vector>

#include "generate/image_source.hpp"

namespace lacuna::generate {
namespace {

struct Images {
  std::uint32_t count;
  std::uint32_t height;
  std::uint32_t width;
  std::vector<std::uint8_t> pixels;  ///< row-major

  std::uint8_t at(std::uint32_t image, std::int64_t x, std::int64_t y) const {
    if (x < 0 || x >= width || y < 0 || y >= height) return 0;
    return pixels[(static_cast<std::size_t>(image) * height + static_cast<std::size_t>(y)) * width +
                  static_cast<std::size_t>(x)];
  }
};

Images read_images(const std::filesystem::path& file) {
  const Tensor tensor = load_tensor(file);
  if (tensor.shape.size() != 3 || tensor.values.empty() || tensor.shape[1] > 4096 || tensor.shape[2] > 4096)
    throw InputError(file.string(), "is not an idx file of images (3 dimensions, at most 4096 x 4096 pixels)");
  Images images{static_cast<std::uint32_t>(tensor.shape[0]), static_cast<std::uint32_t>(tensor.shape[1]),
                static_cast<std::uint32_t>(tensor.shape[2]), std::vector<std::uint8_t>(tensor.values.size())};
  for (std::size_t i = 0; i < tensor.values.size(); ++i)
    images.pixels[i] = static_cast<std::uint8_t>(tensor.values[i] * 255 + 0.5f);
  return images;
}

/// How far the n-th pass over the images moves them: nearest first.
constexpr std::array<std::pair<int, int>, 25> shifts{{{0, 0},  {1, 0},   {0, 1},   {-1, 0}, {0, -1}, {1, 1},  {1, -1},
                                                      {-1, 1}, {-1, -1}, {2, 0},   {0, 2},  {-2, 0}, {0, -2}, {2, 1},
                                                      {2, -1}, {-2, 1},  {-2, -1}, {1, 2},  {-1, 2}, {1, -2}, {-1, -2},
                                                      {2, 2},  {2, -2},  {-2, 2},  {-2, -2}}};

template <typename Look>
ImageSource shifted_images(const std::filesystem::path& file, Look look) {
  const auto images = std::make_shared<const Images>(read_images(file));
  ImageSource source;
  source.width = images->width;
  source.height = images->height;
  source.draw = [images, look](std::uint32_t input, std::span<std::uint8_t> pixels) {
    const auto [right, down] = shifts[input / images->count % shifts.size()];
    std::size_t i = 0;
    for (std::int64_t x = 0; x < images->width; ++x)
      for (std::int64_t y = 0; y < images->height; ++y)
        pixels[i++] = look(*images, input % images->count, x - right, y - down);
  };
  return source;
}

std::uint8_t grey(const Images& images, std::uint32_t image, std::int64_t x, std::int64_t y) {
  return images.at(image, x, y);
}

/// The outline: how much the grey changes around a pixel. Clothes fill areas where digits are strokes.
std::uint8_t outline(const Images& images, std::uint32_t image, std::int64_t x, std::int64_t y) {
  const auto at = [&](std::int64_t dx, std::int64_t dy) { return static_cast<int>(images.at(image, x + dx, y + dy)); };
  return static_cast<std::uint8_t>((3 * std::abs(at(1, 0) - at(-1, 0)) + 2 * std::abs(at(0, 1) - at(0, -1))) / 5);
}

}  // namespace

ImageSource digit_source(const std::filesystem::path& file) {
  ImageSource source = shifted_images(file, grey);
  source.name = fmt::format("MNIST images of {}", file.string());
  source.threshold = 187;  // 0.735 of 255: about 10% ones and, as in the challenge, about 3% survivors
  return source;
}

ImageSource fashion_source(const std::filesystem::path& file, std::uint64_t seed) {
  ImageSource source = shifted_images(file, outline);
  source.name = fmt::format("Fashion-MNIST images of {}", file.string());
  source.ink = [seed](std::uint32_t input) { return digit_ink(seed, input); };
  return source;
}

}  // namespace lacuna::generate
