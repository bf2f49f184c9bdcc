#include "engine/simplify.hpp"

#include <fmt/format.h>

#include <chrono>

#include <lacuna/error.hpp>

#include "passes/pass_list.hpp"
#include "store/network_store.hpp"

namespace lacuna::engine {
namespace {

/// What the passes make of a network may change with this number: raise it when a pass does something else than before.
constexpr std::string_view passes_version = "passes 1";

store::Fingerprint fingerprint_of(const std::string& network_key, const std::vector<std::string>& selected) {
  store::FingerprintBuilder builder;
  builder.add_text(passes_version);
  builder.add_text(network_key);
  for (const passes::ListedPass& pass : passes::pass_list())
    if (pass.run != nullptr && passes::is_selected(selected, pass.name)) builder.add_text(pass.name);
  return builder.finish();
}

class SimplifiedStore {
 public:
  SimplifiedStore(const CompileOptions& options, const std::vector<std::string>& selected) : file_(options.simplified_store) {
    if (file_.empty()) return;
    if (options.network_key.empty())
      throw InputError(file_.string(), "cannot keep a simplified network without a key of the network it is made from; give network_key (LoadReport::key)");
    fingerprint_ = fingerprint_of(options.network_key, selected);
  }

  /// Whether `result.network` was read.
  bool read(Simplified& result, unsigned threads) const {
    std::error_code none;
    if (file_.empty() || !std::filesystem::exists(file_, none)) return false;
    try {
      std::optional<Network> network = store::open_fresh_network(file_, fingerprint_, threads);
      if (!network) return false;
      result.network = *std::move(network);
      result.report.from_store = true;
      result.report.store = file_;
      return true;
    } catch (const InputError& error) {
      result.report.note = fmt::format("simplified anew: {}", error.what());
      return false;
    }
  }

  /// Only what is much smaller than the network itself: the rest is found again in the time it takes to read.
  void write(Simplified& result, std::uint64_t edges_as_given) const {
    if (file_.empty() || count_edges(result.network) * 2 > edges_as_given) return;
    try {
      store::write_network(result.network, file_, fingerprint_);
      result.report.store = file_;
    } catch (const DeviceError& error) {
      result.report.note = fmt::format("no simplified store: {}", error.what());
    }
  }

 private:
  std::filesystem::path file_;  ///< empty: none
  store::Fingerprint fingerprint_;
};

}  // namespace

Simplified simplify(const Network& network, const std::vector<std::string>& selected, const CompileOptions& options, unsigned threads) {
  using Clock = std::chrono::steady_clock;
  const SimplifiedStore store(options, selected);
  Simplified result;
  auto start = Clock::now();
  const auto stop = [&] { result.report.seconds = std::chrono::duration<double>(Clock::now() - start).count(); };
  if (store.read(result, threads)) {
    stop();
    return result;
  }
  verify(network);
  start = Clock::now();
  result.network = passes::run_passes(network, selected, {threads, options.progress}, options.after_pass);
  stop();
  store.write(result, count_edges(network));
  return result;
}

}  // namespace lacuna::engine
