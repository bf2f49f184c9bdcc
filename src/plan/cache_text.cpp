// The text of a plan cache file. A checksum line ends it, so that a damaged file is seen whatever the damage.
#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

#include "plan/cache.hpp"

namespace lacuna::plan {
namespace {

constexpr std::string_view title = "lacuna plan 4";

std::string checksum(std::string_view text) { return fmt::format("end {:016x}\n", XXH3_64bits(text.data(), text.size())); }

int number_of(Layout layout) { return layout == Layout::fours ? 4 : 1; }

/// Numbers and words, one after the other; after the first mistake everything reads as zero.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool word(std::string_view expected) { return good_ = good_ && next() == expected; }

  template <typename T>
  T number() {
    const std::string_view token = next();
    T value{};
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
    good_ = good_ && error == std::errc() && end == token.data() + token.size();
    return good_ ? value : T{};
  }

  bool good() const { return good_; }

 private:
  std::string_view next() {
    text_.remove_prefix(std::min(text_.find_first_not_of(" \n"), text_.size()));
    const std::string_view token = text_.substr(0, text_.find_first_of(" \n"));
    text_.remove_prefix(token.size());
    return token;
  }

  std::string_view text_;
  bool good_ = true;
};

}  // namespace

std::string write_choices(const Plan& plan, std::string_view key) {
  std::string text = fmt::format("{}\nkey {}\npanel {} {} {} gain {}\nwidths {}\n", title, key, plan.panel_lanes, number_of(plan.layout), plan.panel_set, plan.gain_of_baked, plan.candidates.size());
  auto out = std::back_inserter(text);
  for (const Candidate& candidate : plan.candidates) fmt::format_to(out, "{} {} {} {}\n", candidate.lanes, number_of(candidate.layout), candidate.set, candidate.edges_per_s);
  fmt::format_to(out, "kinds {}\n", plan.kinds.size());
  for (const GroupKind& kind : plan.kinds) {
    fmt::format_to(out, "kind {} {} {} {}\n", kind.groups.size(), kind.chosen.shape.vectors, kind.chosen.shape.rows, kind.candidates.size());
    for (const KernelCandidate& candidate : kind.candidates)
      fmt::format_to(out, "{} {} {} {} {}\n", candidate.kernel.shape.vectors, candidate.kernel.shape.rows, candidate.edges_per_s, candidate.code_bytes,
                     candidate.over_budget ? 1 : 0);
  }
  return text + checksum(text);
}

bool read_choices(std::string_view text, std::string_view key, Plan& plan) {
  const std::size_t body = text.rfind("end ");
  if (body == std::string_view::npos || checksum(text.substr(0, body)) != text.substr(body)) return false;
  if (!text.starts_with(title)) return false;
  Reader reader(text.substr(title.size(), body - title.size()));
  if (!reader.word("key") || !reader.word(key) || !reader.word("panel")) return false;

  const auto layout = [&] { return reader.number<int>() == 4 ? Layout::fours : Layout::rows; };
  const auto panel_lanes = reader.number<unsigned>();
  const Layout panel_layout = layout();
  const auto panel_set = reader.number<unsigned>();
  reader.word("gain");
  const auto gain = reader.number<double>();
  reader.word("widths");
  std::vector<Candidate> candidates;
  for (std::size_t left = reader.number<std::size_t>(); left > 0 && reader.good(); --left) {
    const auto lanes = reader.number<unsigned>();
    const Layout tried = layout();
    const auto set = reader.number<unsigned>();
    candidates.push_back({lanes, tried, set, reader.number<double>()});
  }
  reader.word("kinds");
  std::vector<GroupKind> kinds = plan.kinds;
  if (reader.number<std::size_t>() != kinds.size()) return false;
  for (GroupKind& kind : kinds) {
    reader.word("kind");
    if (reader.number<std::size_t>() != kind.groups.size()) return false;
    kind.chosen.shape.vectors = reader.number<unsigned>();
    kind.chosen.shape.rows = reader.number<unsigned>();
    for (std::size_t left = reader.number<std::size_t>(); left > 0 && reader.good(); --left) {
      KernelCandidate& candidate = kind.candidates.emplace_back();
      candidate.kernel.shape.vectors = reader.number<unsigned>();
      candidate.kernel.shape.rows = reader.number<unsigned>();
      candidate.edges_per_s = reader.number<double>();
      candidate.code_bytes = reader.number<std::size_t>();
      candidate.over_budget = reader.number<int>() != 0;
    }
  }
  if (!reader.good() || panel_set == 0) return false;
  plan.panel_lanes = panel_lanes;
  plan.layout = panel_layout;
  plan.panel_set = panel_set;
  plan.gain_of_baked = gain;
  plan.candidates = std::move(candidates);
  plan.kinds = std::move(kinds);
  return true;
}

}  // namespace lacuna::plan
