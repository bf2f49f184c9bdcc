// Synthetic inputs: a few random curves in the middle of the image, brightest along the curve. How much ink they become
// is decided by the threshold afterwards, as if the pen were thin or thick. Integers only.
#include <algorithm>
#include <array>

#include "generate/image_source.hpp"
#include "generate/random.hpp"

namespace lacuna::generate {
namespace {

constexpr std::int32_t grid = 16;      // positions are in 1/16 pixel
constexpr std::int32_t pen_reach = 4;  // pixels to each side that a point of a curve brightens
constexpr std::int32_t points_a_curve = 16;

struct Point {
  std::int32_t x;
  std::int32_t y;
};

/// In the middle of the image, at a height from `top` to `bottom` (pixels).
Point random_point(Random& random, std::int32_t top, std::int32_t bottom) {
  return {random.between(6 * grid, 22 * grid), random.between(top * grid, bottom * grid)};
}

void brighten_around(Point centre, std::span<std::uint8_t> pixels, std::int32_t size) {
  constexpr std::int32_t fading = pen_reach * grid * pen_reach * grid / 256;
  const auto first = [](std::int32_t c) { return std::max(0, c / grid - pen_reach); };
  const auto last = [&](std::int32_t c) { return std::min(size - 1, c / grid + pen_reach); };
  for (std::int32_t x = first(centre.x); x <= last(centre.x); ++x) {
    const std::int32_t dx = x * grid + grid / 2 - centre.x;
    for (std::int32_t y = first(centre.y); y <= last(centre.y); ++y) {
      const std::int32_t dy = y * grid + grid / 2 - centre.y;
      const std::int32_t light = std::max(0, 255 - (dx * dx + dy * dy) / fading);
      pixels[x * size + y] = std::max(pixels[x * size + y], static_cast<std::uint8_t>(light));
    }
  }
}

/// A quadratic Bezier curve.
void draw_curve(const std::array<Point, 3>& p, std::span<std::uint8_t> pixels, std::int32_t size) {
  constexpr std::int32_t n = points_a_curve;
  for (std::int32_t t = 0; t <= n; ++t) {
    const std::int32_t a = (n - t) * (n - t), b = 2 * t * (n - t), c = t * t;
    brighten_around(
        {(a * p[0].x + b * p[1].x + c * p[2].x) / (n * n), (a * p[0].y + b * p[1].y + c * p[2].y) / (n * n)}, pixels,
        size);
  }
}

}  // namespace

ImageSource stroke_source(std::uint64_t seed) {
  ImageSource source;
  source.name = "synthetic strokes";
  source.draw = [seed](std::uint32_t input, std::span<std::uint8_t> pixels) {
    Random random(seed, input);
    std::fill(pixels.begin(), pixels.end(), std::uint8_t{0});
    // Down and up again, so that the ink spreads over the rows as a digit's does: concentrated ink survives too often.
    const auto high = [&] { return random_point(random, 4, 13); };
    const auto low = [&] { return random_point(random, 15, 24); };
    Point pen = high();
    for (std::uint32_t curves = 2 + random.below(2); curves > 0; --curves) {
      const Point bend = random_point(random, 4, 24);
      const Point next = pen.y < 14 * grid ? low() : high();
      draw_curve({pen, bend, next}, pixels, 28);
      pen = next;
    }
  };
  source.ink = [seed](std::uint32_t input) { return digit_ink(seed, input); };
  return source;
}

}  // namespace lacuna::generate
