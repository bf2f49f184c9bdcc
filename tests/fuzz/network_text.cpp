// The text form of networks; what parses must print and parse again to the same network.
#include <cstdlib>
#include <lacuna/network.hpp>

#include "harness.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  lacuna::fuzz::may_refuse([&] {
    const lacuna::Network network = lacuna::parse(lacuna::fuzz::as_text(data, size), "fuzz.txt");
    if (lacuna::hash(lacuna::parse(lacuna::print(network))) != lacuna::hash(network)) std::abort();
  });
  return 0;
}
