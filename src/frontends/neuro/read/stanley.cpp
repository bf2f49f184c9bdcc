// Genomes as lines of text: `node`, `gene` and `trait` between `genomestart` and `genomeend`, as Stanley's NEAT writes them. goNEAT's lines name the
// function of a node and write true and false for 1 and 0. Traits do not matter here.
#include <fmt/format.h>

#include <utility>

#include <lacuna/error.hpp>

#include "base/text.hpp"
#include "frontends/neuro/read/genome.hpp"
#include "frontends/neuro/read/lines.hpp"
#include "frontends/neuro/read/readers.hpp"

namespace lacuna::frontends {
namespace {

class StanleyReader {
 public:
  StanleyReader(std::string_view text, std::string_view file) : file_(file), lines_(text, file) {}

  std::vector<ListedGenome> read() {
    while (next()) {
      if (lines_.field(0) == "genomestart") {
        if (is_open_) lines_.fail(0, "a genome starts before the one above has ended");
        is_open_ = true;
        genomes_.push_back({lines_.fields() > 1 ? std::string(lines_.field(1)) : std::to_string(genomes_.size() + 1), lines_.line_number(), {}});
      } else if (!is_open_) {
        lines_.fail(0, fmt::format("{} where genomestart is due", base::quote(lines_.field(0))));
      } else if (lines_.field(0) == "genomeend") {
        is_open_ = false;
        genomes_.back().graph = graph_of(std::exchange(genome_, {}), file_);
      } else if (lines_.field(0) == "node") {
        read_node();
      } else if (lines_.field(0) == "gene") {
        read_gene();
      } else if (lines_.field(0) != "trait") {
        lines_.fail(0, fmt::format("{} where trait, node, gene or genomeend is due", base::quote(lines_.field(0))));
      }
    }
    if (genomes_.empty()) throw InputError(file_, "does not start with genomestart");
    if (is_open_) throw InputError(file_, "ends before genomeend; the file may be cut short");
    return std::move(genomes_);
  }

 private:
  bool next() {
    while (lines_.next()) {
      lines_.split();
      if (lines_.fields() > 0 && !lines_.field(0).starts_with("/*")) return true;
    }
    return false;
  }

  bool flag(std::size_t k, std::string_view what) {
    const std::string_view text = lines_.field(k);
    if (text == "1" || text == "true") return true;
    if (text == "0" || text == "false") return false;
    lines_.fail(k, fmt::format("{} {} is neither 1, 0, true nor false", what, base::quote(text)));
  }

  void read_node() {
    lines_.expect_fields(5, 6, "node id trait type place [function]");
    GenomeNode node{lines_.whole(1, "the node"), static_cast<GenomeNodeKind>(lines_.whole(4, "the place", 0, 3)), stanley_sigmoid(), lines_.line_number()};
    if (lines_.fields() == 6) {
      const auto function = parse_function(lines_.field(5));
      if (!function) lines_.fail(5, fmt::format("node {} has the activation {}, which is unknown; docs/neuroevolution.md lists the functions", node.id,
                                                base::quote(lines_.field(5))));
      node.function = *function;
    }
    genome_.nodes.push_back(node);
  }

  void read_gene() {
    lines_.expect_fields(9, 9, "gene trait source target weight recurrent innovation mutation enabled");
    const Gene gene{lines_.whole(2, "the source"), lines_.whole(3, "the target"), lines_.number(4, "the weight"), lines_.line_number()};
    const bool is_recurrent = flag(5, "the mark of a recurrent gene");
    if (!flag(8, "the mark of an enabled gene")) return;
    genome_.genes.push_back(gene);
    genome_.is_recurrent |= is_recurrent;
  }

  std::string file_;
  Lines lines_;
  Genome genome_;  ///< the one that is read
  std::vector<ListedGenome> genomes_;
  bool is_open_ = false;
};

}  // namespace

std::vector<ListedGenome> read_stanley_genomes(std::string_view text, std::string_view file) { return StanleyReader(text, file).read(); }

NeuronGraph read_stanley(std::string_view text, std::string_view file) {
  std::vector<ListedGenome> genomes = read_stanley_genomes(text, file);
  if (genomes.size() > 1) throw InputError(file, genomes[1].line, 1, "a second genome starts here; one is taken from a file of a population");
  return std::move(genomes[0].graph);
}

}  // namespace lacuna::frontends
