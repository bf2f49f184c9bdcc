// The first program: load a network, compile it for this machine, run inputs through it.
//   first_program NETWORK INPUTS.npy
#include <cstdio>

#include <lacuna/lacuna.hpp>

int main(int argc, char** argv) try {
  if (argc != 3) return std::fprintf(stderr, "usage: first_program NETWORK INPUTS.npy\n"), 2;
  const lacuna::Network network = lacuna::load(argv[1]);
  lacuna::Session session = lacuna::compile(network, {.device = "auto"}).open();
  const lacuna::Outputs outputs = session.run(lacuna::load_tensor(argv[2]));
  std::printf("%zu of %zu inputs have a nonzero output\n", outputs.survivors.size(), outputs.inputs);
} catch (const lacuna::Error& error) {
  std::fprintf(stderr, "first_program: %s\n", error.what());
  return 1;
}
