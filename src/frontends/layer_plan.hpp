// What every front end of layered files says: how many layers there are and how to read one of them. Reading them all,
// in memory or through the store, is then the same for all.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <lacuna/load.hpp>

#include "store/fingerprint.hpp"

namespace lacuna::frontends {

struct LayerPlan {
  std::uint32_t layers = 0;
  /// Reads layer `k` (from 0); called from many threads; adds the bytes of text it read to `text_bytes`.
  std::function<Linear(std::uint32_t k, std::atomic<std::uint64_t>& text_bytes)> read;
  std::filesystem::path store;     ///< where the store goes unless the options say otherwise
  store::Fingerprint fingerprint;  ///< of the files and of the options that change the network
};

/// The network "input" -> "l1" -> ... -> "l<n>". With a store, layers go to it as they are read, and the result borrows
/// from its mapping: no more than one layer a thread is in memory at a time.
Network load_layers(const LayerPlan& plan, const LoadOptions& options, LoadReport& report);

}  // namespace lacuna::frontends
