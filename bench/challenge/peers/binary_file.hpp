// Reads the binary network and inputs files that text_to_binary.py writes (the layout is described there).
#pragma once
#include <fstream>
#include <stdexcept>
#include <vector>

struct Layer {
  std::vector<int> row_start, source;
  std::vector<float> weight, bias;
};

struct Network {
  int neurons = 0;
  long edges = 0;
  std::vector<Layer> layers;
};

struct Inputs {
  int neurons = 0, count = 0;
  std::vector<int> row_start, pixel;
  std::vector<float> value;
};

template <class T>
std::vector<T> take(std::ifstream& file, size_t count) {
  std::vector<T> values(count);
  if (!file.read(reinterpret_cast<char*>(values.data()), count * sizeof(T))) throw std::runtime_error("file too short");
  return values;
}

inline Network read_network(const char* path) {
  std::ifstream file(path, std::ios::binary);
  auto head = take<int>(file, 2);
  Network net{head[0], 0, std::vector<Layer>(head[1])};
  for (Layer& layer : net.layers) {
    const int nnz = take<int>(file, 1)[0];
    layer.row_start = take<int>(file, net.neurons + 1);
    layer.source = take<int>(file, nnz);
    layer.weight = take<float>(file, nnz);
    layer.bias = take<float>(file, net.neurons);
    net.edges += nnz;
  }
  return net;
}

inline Inputs read_inputs(const char* path) {
  std::ifstream file(path, std::ios::binary);
  auto head = take<int>(file, 3);
  return {head[0], head[1], take<int>(file, head[1] + 1), take<int>(file, head[2]), take<float>(file, head[2])};
}
