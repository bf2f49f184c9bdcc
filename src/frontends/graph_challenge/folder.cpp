#include "frontends/graph_challenge/folder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <lacuna/error.hpp>
#include <map>
#include <optional>
#include <set>
#include <string_view>

namespace lacuna::frontends {
namespace {

namespace fs = std::filesystem;

/// In order of preference.
constexpr std::string_view endings[] = {".tsv", ".mtx", ".tsv.zst", ".tsv.gz", ".mtx.zst", ".mtx.gz"};
constexpr std::string_view bias_endings[] = {"-bias.tsv", "-bias.tsv.zst", "-bias.tsv.gz"};

struct LayerName {
  std::uint32_t neurons = 0;
  std::uint32_t number = 0;
  bool is_bias = false;
  std::size_t preference = 0;  ///< lower is better
};

std::optional<std::uint32_t> take_number(std::string_view& text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || text.starts_with('0')) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

std::optional<LayerName> parse_layer_name(std::string_view name) {
  if (!name.starts_with('n')) return std::nullopt;
  name.remove_prefix(1);
  const auto neurons = take_number(name);
  if (!neurons || *neurons > max_neurons || !name.starts_with("-l")) return std::nullopt;
  name.remove_prefix(2);
  const auto number = take_number(name);
  if (!number) return std::nullopt;
  for (std::size_t k = 0; k < std::size(endings); ++k)
    if (name == endings[k]) return LayerName{*neurons, *number, false, k};
  for (std::size_t k = 0; k < std::size(bias_endings); ++k)
    if (name == bias_endings[k]) return LayerName{*neurons, *number, true, k};
  return std::nullopt;
}

struct Found {
  fs::path file;
  std::size_t preference = 0;
};

/// Layer number -> file, for one number of neurons.
struct FoundLayers {
  std::map<std::uint32_t, Found> weights;
  std::map<std::uint32_t, Found> biases;
};

std::map<std::uint32_t, FoundLayers> scan(const fs::path& folder) {
  std::map<std::uint32_t, FoundLayers> sizes;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::optional<LayerName> name = parse_layer_name(entry.path().filename().string());
    if (!name) continue;
    auto& layers = name->is_bias ? sizes[name->neurons].biases : sizes[name->neurons].weights;
    const auto [at, fresh] = layers.try_emplace(name->number, Found{entry.path(), name->preference});
    if (!fresh && name->preference < at->second.preference) at->second = {entry.path(), name->preference};
  }
  return sizes;
}

std::uint32_t choose_size(const std::map<std::uint32_t, FoundLayers>& sizes, const fs::path& folder,
                          const LoadOptions& options) {
  std::set<std::uint32_t> present;
  for (const auto& [neurons, layers] : sizes)
    if (!layers.weights.empty()) present.insert(neurons);
  if (present.empty())
    throw InputError(folder.string(), "holds no layers; they are called n<neurons>-l<layer>.tsv, such as n1024-l1.tsv");
  if (options.neurons == 0) {
    if (present.size() > 1)
      throw InputError(folder.string(),
                       fmt::format("holds networks of {} neurons; say which one", fmt::join(present, " and ")));
    return *present.begin();
  }
  if (!present.contains(options.neurons))
    throw InputError(folder.string(), fmt::format("holds no layers of {} neurons, but of {}", options.neurons,
                                                  fmt::join(present, " and ")));
  return options.neurons;
}

}  // namespace

bool has_challenge_layers(const fs::path& folder) {
  for (const auto& [neurons, layers] : scan(folder))
    if (!layers.weights.empty()) return true;
  return false;
}

ChallengeFolder find_challenge_layers(const fs::path& folder, const LoadOptions& options) {
  const std::map<std::uint32_t, FoundLayers> sizes = scan(folder);
  ChallengeFolder found;
  found.neurons = choose_size(sizes, folder, options);
  const FoundLayers& layers = sizes.at(found.neurons);
  const std::uint32_t last = layers.weights.rbegin()->first;
  const std::uint32_t wanted = options.layers != 0 ? options.layers : last;
  for (std::uint32_t number = 1; number <= wanted; ++number) {
    const auto weights = layers.weights.find(number);
    if (weights == layers.weights.end())
      throw InputError((folder / fmt::format("n{}-l{}.tsv", found.neurons, number)).string(),
                       fmt::format("is missing: {} layers {}, and the folder holds {} (the last is layer {})", wanted,
                                   options.layers != 0 ? "were asked for" : "are needed", layers.weights.size(), last));
    const auto bias = layers.biases.find(number);
    found.layers.push_back({weights->second.file, bias == layers.biases.end() ? fs::path() : bias->second.file});
  }
  return found;
}

}  // namespace lacuna::frontends
