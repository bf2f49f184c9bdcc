// goNEAT's YAML.
#include "frontends/neuro/read/readers.hpp"
#include "neuron_graphs.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  lacuna::fuzz::read_graph(lacuna::frontends::read_goneat_yaml, lacuna::fuzz::as_text(data, size), "n.yml");
  return 0;
}
