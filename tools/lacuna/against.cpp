#include "against.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <optional>

namespace cli {
namespace {

struct Side {
  std::string optimise;
  lacuna::Program program;
  lacuna::Session session;
  std::vector<double> seconds = {};  ///< on the cores, all threads
  lacuna::Verdict verdict = {};

  double best() const { return *std::min_element(seconds.begin(), seconds.end()); }
  double active(double of_seconds) const { return static_cast<double>(session.report().active_edges) / of_seconds; }
};

Side prepare(const lacuna::Network& network, const CommonOptions& common, const std::string& optimise) {
  lacuna::CompileOptions options = compile_options(common);
  options.optimise = optimise;
  lacuna::Program program = lacuna::compile(network, options);
  lacuna::Session session = program.open();
  return {optimise, std::move(program), std::move(session)};
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

Json to_json(const Side& side) {
  return {{"optimise", side.optimise},
          {"cpu_seconds", median(side.seconds)},
          {"cpu_seconds_best", side.best()},
          {"active_edges_per_cpu_s", side.active(median(side.seconds))},
          {"verified", side.verdict.right}};
}

void print_side(const Side& side) {
  print_line(side.optimise, fmt::format("{} CPU, median; best {}, {} active edges/s of a core's time; {}", in_seconds(median(side.seconds)), in_seconds(side.best()),
                                        in_words(side.active(side.best())), side.verdict.right ? green("verified") : red("WRONG")));
}

}  // namespace

void run_against(const lacuna::Network& network, const lacuna::SparseMatrix& inputs, const CommonOptions& options, const std::string& against, unsigned repeat) {
  std::array sides{prepare(network, options, options.optimise), prepare(network, options, against)};
  std::optional<lacuna::BitMatrix> bits;
  if (lacuna::is_smaller_as_bits(inputs)) bits = lacuna::pack_bits(inputs, options.threads);
  for (unsigned round = 0; round <= repeat; ++round)
    for (std::size_t k = 0; k < sides.size(); ++k) {
      Side& side = sides[(k + round) % sides.size()];  // who goes first takes turns
      const double start = cpu_seconds();
      lacuna::Outputs outputs = bits ? side.session.run(*bits) : side.session.run(inputs);
      const double seconds = cpu_seconds() - start;
      if (round == 0)  // warm-up
        side.verdict = lacuna::check_outputs(network, inputs, outputs, sample_size(side.program.edges()) / 4 + 1, tolerance_of(options, network), side.program.threads());
      else
        side.seconds.push_back(seconds);
      side.session.reuse(std::move(outputs));
    }

  std::vector<double> ratios;
  for (unsigned round = 0; round < repeat; ++round) ratios.push_back(sides[0].seconds[round] / sides[1].seconds[round]);
  const double ratio = median(ratios);
  const double ratio_of_bests = sides[0].best() / sides[1].best();
  if (options.json) {
    print_json({{"rounds", repeat}, {"ratio", ratio}, {"ratio_of_bests", ratio_of_bests}, {"sides", {to_json(sides[0]), to_json(sides[1])}}});
  } else {
    for (const Side& side : sides) print_side(side);
    print_line("ratio", fmt::format("{:.4f}, median of {} rounds; of the bests {:.4f}", ratio, repeat, ratio_of_bests));
  }
  for (const Side& side : sides)
    if (!side.verdict.right) throw WrongAnswer{fmt::format("{}: {}", side.optimise, side.verdict.sentence)};
}

}  // namespace cli
