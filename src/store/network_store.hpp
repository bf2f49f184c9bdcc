// Networks in a store.
#pragma once

#include <filesystem>
#include <lacuna/network.hpp>
#include <optional>
#include <string>

#include "store/section_reader.hpp"
#include "store/section_writer.hpp"

namespace lacuna::store {

/// Writes a network operator by operator, so that its weights need not all be in memory. Here and below: DeviceError if
/// the file cannot be written; what was there before stays.
class NetworkWriter {
 public:
  NetworkWriter(const std::filesystem::path& file, const Fingerprint& fingerprint);

  /// Values are numbered in the order they are added.
  void add_value(const Value& value);
  void add_operator(const Operator& op);
  void finish(ValueId input, ValueId output);

 private:
  void add(const Linear& linear);
  void add(const Add& add);
  void add(const Conv& conv);
  void add(const Call& call);
  void add(const NeuronGraph& graph);

  SectionWriter sections_;
  ByteWriter description_;
};

void write_network(const Network& network, const std::filesystem::path& file, const Fingerprint& fingerprint);

/// Throws InputError unless the file is a sound store of a network. The result passed verify. `key` tells the network from all others
/// (SectionReader::key).
Network open_network(const std::filesystem::path& file, unsigned threads, Checksums checksums = Checksums::check, std::string* key = nullptr);

/// Nothing if the store is stale.
std::optional<Network> open_fresh_network(const std::filesystem::path& file, const Fingerprint& fingerprint, unsigned threads,
                                          std::string* key = nullptr);

/// From an opened reader; for the two above and for tests.
Network read_network(SectionReader& reader, unsigned threads, Checksums checksums);

}  // namespace lacuna::store
