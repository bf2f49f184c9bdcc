// goNEAT's YAML: the nodes, genes and modules of a genome.
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <cmath>

#include <lacuna/error.hpp>

#include "base/text.hpp"
#include "frontends/neuro/read/genome.hpp"
#include "frontends/neuro/read/readers.hpp"

namespace lacuna::frontends {
namespace {

class GoneatReader {
 public:
  explicit GoneatReader(std::string_view file) : file_(file) {}

  Genome read(const YAML::Node& document) {
    if (!document.IsMap() || !document["genome"] || !document["genome"].IsMap()) throw InputError(file_, "has no \"genome\"; goNEAT writes one");
    const YAML::Node genome = document["genome"];
    for (const char* key : {"nodes", "genes"})
      if (!genome[key] || !genome[key].IsSequence()) throw InputError(file_, fmt::format("the genome has no list of {}", key));
    for (const YAML::Node& node : genome["nodes"]) read_node(node);
    for (const YAML::Node& gene : genome["genes"]) read_gene(gene);
    if (genome["modules"] && !genome["modules"].IsNull()) {
      if (!genome["modules"].IsSequence()) fail(genome["modules"], "modules are no list");
      for (const YAML::Node& module : genome["modules"]) read_module(module);
    }
    return std::move(genome_);
  }

 private:
  [[noreturn]] void fail(const YAML::Node& node, const std::string& sentence) const {
    const YAML::Mark mark = node.Mark();
    if (mark.is_null()) throw InputError(file_, sentence);
    throw InputError(file_, static_cast<std::uint64_t>(mark.line) + 1, static_cast<std::uint64_t>(mark.column) + 1, sentence);
  }
  static std::uint64_t line_of(const YAML::Node& node) { return static_cast<std::uint64_t>(node.Mark().line) + 1; }

  YAML::Node member(const YAML::Node& node, const char* key, std::string_view what) const {
    if (!node.IsMap()) fail(node, fmt::format("{} is no mapping", what));
    const YAML::Node found = node[key];
    if (!found || !found.IsScalar()) fail(node, fmt::format("{} has no \"{}\"", what, key));
    return found;
  }

  template <typename Value>
  Value value(const YAML::Node& node, const char* key, std::string_view what, std::string_view kind) const {
    const YAML::Node found = member(node, key, what);
    Value value{};
    if (!YAML::convert<Value>::decode(found, value)) fail(found, fmt::format("{} {} of {} is not {}", key, base::quote(found.Scalar()), what, kind));
    return value;
  }
  std::int64_t id(const YAML::Node& node, const char* key, std::string_view what) const { return value<std::int64_t>(node, key, what, "a whole number"); }

  void read_node(const YAML::Node& node) {
    GenomeNode listed{id(node, "id", "a node"), GenomeNodeKind::hidden, {}, line_of(node)};
    const std::string what = fmt::format("node {}", listed.id);
    const std::string type = member(node, "type", what).Scalar();
    if (type == "HIDN") listed.kind = GenomeNodeKind::hidden;
    else if (type == "INPT") listed.kind = GenomeNodeKind::input;
    else if (type == "OUTP") listed.kind = GenomeNodeKind::output;
    else if (type == "BIAS") listed.kind = GenomeNodeKind::bias;
    else fail(node, fmt::format("{} has the type {}; goNEAT has INPT, BIAS, HIDN and OUTP", what, base::quote(type)));
    const std::string activation = member(node, "activation", what).Scalar();
    const auto function = parse_function(activation);
    if (!function) fail(node, fmt::format("{} has the activation {}, which is unknown; docs/neuroevolution.md lists the functions", what, base::quote(activation)));
    listed.function = *function;
    genome_.nodes.push_back(listed);
  }

  void read_gene(const YAML::Node& node) {
    const Gene gene{id(node, "src_id", "a gene"), id(node, "tgt_id", "a gene"), value<double>(node, "weight", "a gene", "a number"), line_of(node)};
    const bool is_recurrent = value<bool>(node, "recurrent", "a gene", "true or false");
    if (!value<bool>(node, "enabled", "a gene", "true or false")) return;
    genome_.genes.push_back(gene);
    genome_.is_recurrent |= is_recurrent;
  }

  std::vector<std::int64_t> read_links(const YAML::Node& node, const char* key, std::string_view what) const {
    const YAML::Node links = node[key];
    if (!links || !links.IsSequence()) fail(node, fmt::format("{} has no list of {}", what, key));
    std::vector<std::int64_t> ids;
    for (const YAML::Node& link : links) ids.push_back(id(link, "id", what));
    return ids;
  }

  void read_module(const YAML::Node& node) {
    const std::string what = fmt::format("module {}", id(node, "id", "a module"));
    if (node["enabled"] && !value<bool>(node, "enabled", what, "true or false")) return;
    GenomeModule module;
    module.line = line_of(node);
    const std::string activation = member(node, "activation", what).Scalar();
    if (activation == "MultiplyModuleActivation") module.aggregation = Aggregation::product;
    else if (activation == "MaxModuleActivation") module.aggregation = Aggregation::max;
    else if (activation == "MinModuleActivation") module.aggregation = Aggregation::min;
    else fail(node, fmt::format("{} has the activation {}, which is unknown; goNEAT has Multiply-, Max- and MinModuleActivation", what, base::quote(activation)));
    module.sources = read_links(node, "inputs", what);
    const std::vector<std::int64_t> outputs = read_links(node, "outputs", what);
    if (outputs.size() != 1) fail(node, fmt::format("{} has {} outputs; goNEAT's modules give one value", what, outputs.size()));
    module.output = outputs[0];
    genome_.modules.push_back(std::move(module));
  }

  std::string file_;
  Genome genome_;
};

}  // namespace

NeuronGraph read_goneat_yaml(std::string_view text, std::string_view file) {
  Genome genome;
  try {
    genome = GoneatReader(file).read(YAML::Load(std::string(text)));
  } catch (const YAML::Exception& error) {
    const std::string sentence = fmt::format("is not YAML: {}", error.msg);
    if (error.mark.is_null()) throw InputError(file, sentence);
    throw InputError(file, static_cast<std::uint64_t>(error.mark.line) + 1, static_cast<std::uint64_t>(error.mark.column) + 1, sentence);
  }
  return graph_of(genome, file);
}

}  // namespace lacuna::frontends
