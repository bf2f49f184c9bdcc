// Challenge layers, inputs, biases and categories as TSV, plain or packed.
#include "frontends/graph_challenge/categories.hpp"
#include "frontends/graph_challenge/folder.hpp"
#include "frontends/graph_challenge/inputs.hpp"
#include "frontends/text/value_list.hpp"
#include "harness.hpp"

using namespace lacuna;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::as_text(data, size);
  std::uint64_t text_bytes = 0;
  fuzz::may_refuse([&] {
    const auto source = base::open_source(bytes, "n16-l1.tsv");
    frontends::read_challenge_layer(*source, "n16-l1.tsv", 16, 1, 1, text_bytes);
  });
  fuzz::may_refuse([&] {
    const auto source = base::open_source(bytes, "images.tsv");
    frontends::read_inputs(*source, "images.tsv", {.file_bytes = size}, nullptr, text_bytes);
  });
  fuzz::may_refuse([&] {
    const auto source = base::open_source(bytes, "n16-l1-bias.tsv");
    frontends::read_values(*source, "n16-l1-bias.tsv");
  });
  fuzz::may_refuse([&] {
    const auto source = base::open_source(bytes, "truth.tsv");
    frontends::read_categories(*source, "truth.tsv", 100, false);
  });
  return 0;
}
