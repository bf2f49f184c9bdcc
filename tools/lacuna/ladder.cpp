#include "ladder.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cli {
namespace {

struct Rung {
  std::string_view name;
  std::string_view adds;  ///< optimisations on top of the rung before
  std::string_view kernel = "table";
};

constexpr Rung rungs[] = {
    {"none", ""},
    {"+ dead inputs", "dead_inputs"},
    {"+ equal neurons", "remove_unread_operators,fold_constant_neurons,remove_dead_neurons,merge_equal_neurons"},
    {"+ equal inputs", "equal_inputs"},
    {"+ depth first", "depth_first"},
    {"+ sparse first layer", "sparse_first_layer"},
    {"+ baked where faster", "", "auto"},
};

/// Inputs in the form that is smaller.
class Inputs {
 public:
  explicit Inputs(lacuna::SparseMatrix rows, unsigned threads) : rows_(std::move(rows)) {
    if (lacuna::is_smaller_as_bits(rows_)) bits_ = lacuna::pack_bits(rows_, threads);
  }
  const lacuna::SparseMatrix& rows() const { return rows_; }
  lacuna::Outputs run(lacuna::Session& session) const { return bits_ ? session.run(*bits_) : session.run(rows_); }

 private:
  lacuna::SparseMatrix rows_;
  std::optional<lacuna::BitMatrix> bits_;
};

struct Measured {
  Rung rung;
  std::string optimise;
  double seconds_compile;
  lacuna::Program program;
  lacuna::Session session;
  Inputs inputs;
  std::vector<double> seconds = {};
  lacuna::Verdict verdict = {};

  double nominal() const { return static_cast<double>(program.edges()) * inputs.rows().rows / median(seconds); }
  double active() const { return static_cast<double>(session.report().active_edges) / median(seconds); }
};

/// How many inputs a rung gets: all, or what it can do in a few seconds.
std::uint32_t affordable_inputs(lacuna::Session& session, const lacuna::SparseMatrix& inputs, unsigned threads) {
  constexpr double most_seconds = 4;
  const std::uint32_t pilot = std::min(inputs.rows, 512u * threads);
  const Inputs few(lacuna::first_rows(inputs, pilot), threads);
  few.run(session);
  const double rate = pilot / std::max(session.report().seconds, 1e-9);
  if (rate * most_seconds >= inputs.rows) return inputs.rows;
  return std::max(static_cast<std::uint32_t>(rate * most_seconds) / pilot, 1u) * pilot;
}

Measured prepare(const Rung& rung, const std::string& optimise, const lacuna::Network& network, const lacuna::SparseMatrix& inputs, const CommonOptions& common) {
  lacuna::CompileOptions options = compile_options(common);
  options.optimise = optimise.empty() ? "none" : optimise;
  options.kernel = rung.kernel;
  const Stopwatch watch;
  lacuna::Program program = lacuna::compile(network, options);
  const double seconds_compile = watch.seconds();
  lacuna::Session session = program.open();
  const std::uint32_t count = affordable_inputs(session, inputs, program.threads());
  Inputs mine(lacuna::first_rows(inputs, count), program.threads());
  return {rung, options.optimise, seconds_compile, std::move(program), std::move(session), std::move(mine)};
}

Json to_json(const Measured& one) {
  return {{"rung", one.rung.name},
          {"optimise", one.optimise},
          {"kernel", one.rung.kernel},
          {"inputs", one.inputs.rows().rows},
          {"seconds_preprocess", one.seconds_compile},
          {"seconds_run", median(one.seconds)},
          {"seconds_run_best", *std::min_element(one.seconds.begin(), one.seconds.end())},
          {"nominal_edges_per_s", one.nominal()},
          {"active_edges_per_s", one.active()},
          {"active_edges", one.session.report().active_edges},
          {"counted_first_layer", one.session.report().counted_first_layer},
          {"verified", one.verdict.right}};
}

void print_rungs(const std::vector<Measured>& ladder, double peak) {
  fmt::print("{:<22} {:>8} {:>12} {:>12} {:>24} {:>24} {:>8}\n", "", "inputs", "preprocess", "run", "nominal edges/s", "active edges/s", "of peak");
  for (const Measured& one : ladder)
    fmt::print("{:<22} {:>8} {:>12} {:>12} {:>24} {:>24} {:>8}  {}\n", one.rung.name, with_commas(one.inputs.rows().rows), in_seconds(one.seconds_compile),
               in_seconds(median(one.seconds)), in_words(one.nominal()), in_words(one.active()), peak > 0 ? fmt::format("{:.0f}%", 100 * one.active() / peak) : "-",
               one.verdict.right ? green("verified") : red("WRONG"));
}

}  // namespace

void run_ladder(const lacuna::Network& network, const lacuna::SparseMatrix& inputs, const CommonOptions& options, unsigned repeat) {
  std::vector<Measured> ladder;
  std::string optimise;
  for (const Rung& rung : rungs) {
    if (!rung.adds.empty()) optimise += (optimise.empty() ? "" : ",") + std::string(rung.adds);
    ladder.push_back(prepare(rung, optimise, network, inputs, options));
  }
  for (unsigned round = 0; round < repeat; ++round)
    for (Measured& one : ladder) {
      lacuna::Outputs outputs = one.inputs.run(one.session);
      one.seconds.push_back(one.session.report().seconds);
      if (round == 0) one.verdict = lacuna::check_outputs(network, one.inputs.rows(), outputs, sample_size(one.program.edges()) / 4 + 1, tolerance_of(options, network), one.program.threads());
      one.session.reuse(std::move(outputs));
    }

  const lacuna::Program& last = ladder.back().program;
  const double peak = peak_of(last);
  if (options.json) {
    Json json{{"neurons", network.width(network.input)}, {"layers", network.operators.size()}, {"edges", last.edges()},    {"isa", last.isa()},
              {"threads", last.threads()},               {"repeat", repeat},                   {"fma_peak_per_s", peak}, {"ladder", Json::array()}};
    for (const Measured& one : ladder) json["ladder"].push_back(to_json(one));
    print_json(json);
  } else {
    print_rungs(ladder, peak);
  }
  for (const Measured& one : ladder)
    if (!one.verdict.right) throw WrongAnswer{fmt::format("{}: {}", one.rung.name, one.verdict.sentence)};
}

}  // namespace cli
