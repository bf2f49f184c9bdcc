#include "engine/tensors/choices_cache.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include <lacuna/error.hpp>

#include "base/atomic_file.hpp"
#include "base/cache_folder.hpp"
#include "base/hash.hpp"
#include "devices/cpu/cpu_info.hpp"
#include "engine/tensors/bands.hpp"

namespace lacuna::engine::tensors {
namespace {

/// Raise it when candidates or rules change.
constexpr int version = 23;

}  // namespace

ChoicesCache::ChoicesCache(std::string_view what, const Network& network, const ChooseOptions& options) {
  const std::filesystem::path folder = base::cache_folder();
  if (folder.empty() || options.tune == Tune::off) return;
  key_ = fmt::format("{} {} {} {:016x} {} {} {} {} {} {}", what, LACUNA_VERSION, version, hash(network), cpu::name(options.isa), options.threads, static_cast<int>(options.kernel),
                     static_cast<int>(options.tune), static_cast<int>(options.precision), cpu::cpu_info().model);
  file_ = folder / fmt::format("{}.tensors", base::hash_text(key_));
}

std::optional<Remembered> ChoicesCache::recall(std::size_t operators) const {
  if (file_.empty()) return std::nullopt;
  std::ifstream stream(file_);
  std::string line;
  if (!std::getline(stream, line) || line != key_) return std::nullopt;
  Remembered found;
  bool shares_alike = false;
  if (!(stream >> found.seconds_mixed >> found.seconds_dense >> found.fell_back >> found.is_split >> shares_alike >> found.arrangement.chains >> found.band_first >> found.band_end)) return std::nullopt;
  found.arrangement.sharing = shares_alike ? Sharing::alike : Sharing::all;
  if (found.band_first > found.band_end || found.band_end > operators) return std::nullopt;
  for (std::size_t k = 0; k < operators; ++k) {
    int world = 0;
    Timing timing;
    if (!(stream >> world >> timing.candidate >> timing.seconds_sparse >> timing.seconds_dense >> timing.seconds_bf16) || world < 0 || world >= static_cast<int>(world_count)) return std::nullopt;
    std::getline(stream, line);
    for (std::size_t start = 0; start < line.size();) {  // runners-up, each behind a |
      const std::size_t end = std::min(line.find('|', start + 1), line.size());
      if (line[start] == '|') timing.losers.push_back(line.substr(start + 1, end - start - 1));
      start = end;
    }
    found.worlds.push_back(static_cast<World>(world));
    found.timings.push_back(std::move(timing));
  }
  std::string end;
  if (!(stream >> end) || end != "end") return std::nullopt;
  return found;
}

std::string ChoicesCache::remember(const Chosen& chosen) const {
  if (file_.empty()) return "";
  std::string text = fmt::format("{}\n{} {} {:d} {:d} {:d} {} {} {}\n", key_, chosen.seconds_mixed, chosen.seconds_dense, chosen.fell_back, chosen.split != nullptr,
                                 chosen.arrangement.sharing == Sharing::alike, chosen.arrangement.chains, chosen.bands ? chosen.bands->first : 0, chosen.bands ? chosen.bands->end : 0);
  for (std::size_t k = 0; k < chosen.choices.size(); ++k) {
    const Timing& timing = chosen.timings[k];
    text += fmt::format("{} {} {} {} {}", static_cast<int>(chosen.choices[k].world), timing.candidate, timing.seconds_sparse, timing.seconds_dense, timing.seconds_bf16);
    for (const std::string& loser : timing.losers) text += "|" + loser;
    text += '\n';
  }
  text += "end\n";
  try {
    std::error_code failed;
    std::filesystem::create_directories(file_.parent_path(), failed);
    base::AtomicFile file(file_);
    file.write(text.data(), text.size());
    file.commit();
    return "";
  } catch (const DeviceError& error) {
    return fmt::format("the figures are not remembered: {}", error.what());
  }
}

}  // namespace lacuna::engine::tensors
