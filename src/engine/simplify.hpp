// The passes, and their result kept in a store so that they are paid once.
#pragma once

#include <string>
#include <vector>

#include <lacuna/compile.hpp>
#include <lacuna/network.hpp>

namespace lacuna::engine {

struct Simplified {
  Network network;
  SimplifyReport report;
};

/// Runs the selected passes over a network (which is verified first), or opens what they gave an earlier time. A store is used when its
/// fingerprint says that the same passes, in the same version, made it from the same network (options.network_key); one that is stale or damaged is made
/// anew. `report.note` says why a store could not be read or written: the answer does not depend on it.
Simplified simplify(const Network& network, const std::vector<std::string>& selected, const CompileOptions& options, unsigned threads);

}  // namespace lacuna::engine
