// generate_inputs: which images become inputs, and for what sizes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <lacuna/error.hpp>
#include <lacuna/generate.hpp>

#include "generate/image_source.hpp"

namespace lacuna {
namespace generate {
namespace {

constexpr const char* fashion_file = "/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz";

std::uint32_t side_of(const InputOptions& options) {
  const auto side = static_cast<std::uint32_t>(std::lround(std::sqrt(static_cast<double>(options.neurons))));
  if (options.neurons == 0 || static_cast<std::uint64_t>(side) * side != options.neurons)
    throw InputError(
        fmt::format("{} neurons: inputs are square images, so the number of neurons must be a square, such as {}",
                    options.neurons, std::max(1u, side * side)));
  return side;
}

ImageSource choose_source(const InputOptions& options) {
  if (!options.images.empty()) return digit_source(options.images);
  const char* data = std::getenv("LACUNA_DATA");
  if (data != nullptr && *data != '\0') {
    const auto file = std::filesystem::path(data) / "graph-challenge" / "t10k-images-idx3-ubyte.gz";
    if (std::filesystem::exists(file)) return digit_source(file);
  }
  if (std::filesystem::exists(fashion_file)) return fashion_source(fashion_file, options.seed);
  return stroke_source(options.seed);
}

}  // namespace
}  // namespace generate

SparseMatrix generate_inputs(const InputOptions& options, std::string* source) {
  const std::uint32_t side = generate::side_of(options);
  if (options.count == 0) throw InputError("0 inputs: give at least 1");
  const generate::ImageSource images = generate::choose_source(options);
  if (source != nullptr) *source = images.name;
  return generate::make_inputs(images, side, options.count);
}

}  // namespace lacuna
