// neat-python's JSON.
#include "frontends/neuro/read/readers.hpp"
#include "neuron_graphs.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  lacuna::fuzz::read_graph(lacuna::frontends::read_neat_python, lacuna::fuzz::as_text(data, size), "n.json");
  return 0;
}
