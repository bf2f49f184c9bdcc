// Matrix Market files as layers, inputs and categories.
#include "frontends/graph_challenge/categories.hpp"
#include "frontends/graph_challenge/folder.hpp"
#include "frontends/graph_challenge/inputs.hpp"
#include "harness.hpp"

using namespace lacuna;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::as_text(data, size);
  std::uint64_t text_bytes = 0;
  fuzz::may_refuse([&] {
    const auto source = base::open_source(bytes, "n4-l1.mtx");
    frontends::read_challenge_layer(*source, "n4-l1.mtx", 4, 1, 1, text_bytes);
  });
  fuzz::may_refuse([&] {
    const auto source = base::open_source(bytes, "images.mtx");
    frontends::read_inputs(*source, "images.mtx", {.file_bytes = size}, nullptr, text_bytes);
  });
  fuzz::may_refuse([&] {
    const auto source = base::open_source(bytes, "truth.mtx");
    frontends::read_categories(*source, "truth.mtx", 100, true);
  });
  return 0;
}
