// Runs many models with the reference, for test_nodes.py: one process for all of them. Each line of the list (argument 1) names a model, a folder and the
// model's inputs, between tabs; <folder>/input_<k> holds the elements of the k-th, as they stand in memory. The outputs go to <folder>/output_<k>, and a line
// for each model to the standard output: "ok" with types and shapes, or "refused" (Unsupported), "wrong" (InputError) or "broken" with the message.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>

#include <lacuna/error.hpp>
#include <lacuna/load.hpp>

#include "operators/operators.hpp"
#include "reference/reference.hpp"

namespace {

using namespace lacuna;

std::vector<std::string> split(const std::string& line, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(line);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

std::vector<std::byte> read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw DeviceError(path.string() + " cannot be read");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// Types and shapes of the outputs.
std::string run(const std::string& model, const std::filesystem::path& folder, const std::vector<std::string>& names) {
  LoadOptions options;
  options.use_store = false;
  const Network network = load(model, options);
  std::vector<TypedTensor> inputs;
  for (const ValueId id : network.all_inputs()) {
    const Value& value = network.value(id);
    const auto place = std::find(names.begin(), names.end(), value.name);
    if (place == names.end()) throw InternalError("the model has an input " + value.name + " that the list does not name");
    inputs.push_back({value.type, {value.shape.extents.begin(), value.shape.extents.end()}, read_bytes(folder / ("input_" + std::to_string(place - names.begin())))});
  }
  std::string report;
  std::size_t number = 0;
  for (const TypedTensor& output : reference::evaluate(network, inputs)) {
    std::ofstream(folder / ("output_" + std::to_string(number++)), std::ios::binary)
        .write(reinterpret_cast<const char*>(output.bytes.data()), static_cast<std::streamsize>(output.bytes.size()));
    report += std::string("\t") + std::string(name_of(output.type));
    for (const std::size_t extent : output.shape) report += " " + std::to_string(extent);
  }
  return report;
}

std::string in_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::replace(text.begin(), text.end(), '\t', ' ');
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: run_reference LIST | --operators\n";
    return 2;
  }
  if (argv[1] == std::string("--operators")) {
    for (const std::string_view name : operators::known_operators()) std::cout << name << "\n";
    return 0;
  }
  std::ifstream list(argv[1]);
  for (std::string line; std::getline(list, line);) {
    const std::vector<std::string> parts = split(line, '\t');
    std::string answer;
    try {
      answer = "ok" + run(parts.at(0), parts.at(1), {parts.begin() + 2, parts.end()});
    } catch (const Unsupported& error) {
      answer = "refused\t" + in_one_line(error.what());
    } catch (const InputError& error) {
      answer = "wrong\t" + in_one_line(error.what());
    } catch (const std::exception& error) {
      answer = "broken\t" + in_one_line(error.what());
    }
    std::cout << answer << std::endl;  // at once: after a crash the next line's model is to blame
  }
}
