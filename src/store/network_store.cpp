// The description of a network is a list of items, each with a tag: values and operators as they come, the ends last.
#include "store/network_store.hpp"

#include <fmt/format.h>

#include <lacuna/store.hpp>
#include <utility>

#include "store/matrix_store.hpp"

namespace lacuna::store {
namespace {

enum class Item : std::uint8_t { value = 1, linear = 2, add = 3, ends = 4 };

void put_activation(ByteWriter& out, const Activation& activation) {
  out.put(static_cast<std::uint8_t>(activation.kind));
  out.put(activation.first);
  out.put(activation.second);
}

Activation get_activation(ByteReader& in) {
  Activation activation;
  const auto kind = in.get<std::uint8_t>();
  if (kind > static_cast<std::uint8_t>(ActivationKind::tanh))
    in.fail(fmt::format("has an unknown activation {}", kind));
  activation.kind = static_cast<ActivationKind>(kind);
  activation.first = in.get<float>();
  activation.second = in.get<float>();
  return activation;
}

Value get_value(ByteReader& in) {
  Value value;
  value.name = in.get_text();
  const auto extents = in.get<std::uint32_t>();
  for (std::uint32_t k = 0; k < extents; ++k) value.shape.extents.push_back(in.get<std::uint32_t>());
  return value;
}

ValueId get_id(ByteReader& in, const Network& network) {
  const auto id = in.get<std::uint32_t>();
  if (id >= network.values.size()) in.fail(fmt::format("names value {} of {}", id, network.values.size()));
  return ValueId{id};
}

void get_ends(ByteReader& in, Operator& op, const Network& network) {
  const auto inputs = in.get<std::uint32_t>();
  for (std::uint32_t k = 0; k < inputs; ++k) op.inputs.push_back(get_id(in, network));
  op.output = get_id(in, network);
}

Network get_network(const SectionReader& reader, ByteReader& in) {
  Network network;
  for (;;) {
    const auto item = in.get<std::uint8_t>();
    switch (static_cast<Item>(item)) {
      case Item::value:
        network.values.push_back(get_value(in));
        break;
      case Item::linear: {
        Linear linear;
        linear.weights = get_matrix(reader, in);
        linear.bias = reader.array<float>(in.get<std::uint32_t>());
        linear.activation = get_activation(in);
        get_ends(in, network.operators.emplace_back(Operator{std::move(linear), {}, {}}), network);
        break;
      }
      case Item::add:
        get_ends(in, network.operators.emplace_back(Operator{Add{get_activation(in)}, {}, {}}), network);
        break;
      case Item::ends:
        network.input = get_id(in, network);
        network.output = get_id(in, network);
        if (!in.at_end()) in.fail("has bytes after its end");
        return network;
      default:
        in.fail(fmt::format("has an unknown item {}", item));
    }
  }
}

}  // namespace

NetworkWriter::NetworkWriter(const std::filesystem::path& file, const Fingerprint& fingerprint)
    : sections_(file, Kind::network, fingerprint) {}

void NetworkWriter::add_value(const Value& value) {
  description_.put(Item::value);
  description_.put_text(value.name);
  description_.put(static_cast<std::uint32_t>(value.shape.extents.size()));
  for (const std::uint32_t extent : value.shape.extents) description_.put(extent);
}

void NetworkWriter::add(const Linear& linear) {
  description_.put(Item::linear);
  put_matrix(sections_, description_, linear.weights);
  description_.put(sections_.add(linear.bias));
  put_activation(description_, linear.activation);
}

void NetworkWriter::add(const Add& add) {
  description_.put(Item::add);
  put_activation(description_, add.activation);
}

void NetworkWriter::add(const Conv&) { throw Unsupported("a store holds layered networks; keep a network of tensors as .onnx"); }
void NetworkWriter::add(const Call&) { add(Conv{}); }
void NetworkWriter::add(const NeuronGraph&) { throw Unsupported("a store holds layered networks; keep a neuron graph in its own format"); }

void NetworkWriter::add_operator(const Operator& op) {
  std::visit([&](const auto& operation) { add(operation); }, op.operation);
  description_.put(static_cast<std::uint32_t>(op.inputs.size()));
  for (const ValueId input : op.inputs) description_.put(input);
  description_.put(op.output);
}

void NetworkWriter::finish(ValueId input, ValueId output) {
  description_.put(Item::ends);
  description_.put(input);
  description_.put(output);
  sections_.finish(description_);
}

Network read_network(SectionReader& reader, unsigned threads, Checksums checksums) {
  reader.check(Kind::network, threads, checksums);
  ByteReader description = reader.description();
  Network network = get_network(reader, description);
  try {
    verify(network);
  } catch (const InputError& error) {
    reader.fail(fmt::format("holds a broken network ({})", error.what()));
  }
  return network;
}

void write_network(const Network& network, const std::filesystem::path& file, const Fingerprint& fingerprint) {
  NetworkWriter writer(file, fingerprint);
  for (const Value& value : network.values) writer.add_value(value);
  for (const Operator& op : network.operators) writer.add_operator(op);
  writer.finish(network.input, network.output);
}

Network open_network(const std::filesystem::path& file, unsigned threads, Checksums checksums, std::string* key) {
  SectionReader reader(file);
  if (key != nullptr) *key = reader.key();
  return read_network(reader, threads, checksums);
}

std::optional<Network> open_fresh_network(const std::filesystem::path& file, const Fingerprint& fingerprint, unsigned threads, std::string* key) {
  SectionReader reader(file);
  if (reader.fingerprint() != fingerprint) return std::nullopt;
  if (key != nullptr) *key = reader.key();
  return read_network(reader, threads, Checksums::check);
}

}  // namespace lacuna::store

namespace lacuna {

void save_store(const Network& network, const std::filesystem::path& file) {
  verify(network);
  store::write_network(network, file, {});
}

}  // namespace lacuna
