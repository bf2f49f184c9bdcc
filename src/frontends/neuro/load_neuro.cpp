// Which reader a file has, and graphs as Networks.
#include "frontends/neuro/load_neuro.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include <lacuna/error.hpp>

#include "frontends/neuro/read/readers.hpp"

namespace lacuna::frontends {
namespace {

struct Extension {
  std::string_view name;
  GraphReader reader;
};
constexpr auto extensions = std::to_array<Extension>({{".json", read_neat_python},
                                                      {".net", read_sharpneat},
                                                      {".graphml", read_graphml},
                                                      {".edges", read_edge_lines},
                                                      {".yml", read_goneat_yaml},
                                                      {".yaml", read_goneat_yaml}});

[[noreturn]] NeuronGraph refuse_multineat_genome(std::string_view, std::string_view file) {
  throw Unsupported(fmt::format("{}: is a genome of MultiNEAT; save the network that is built from it (NeuralNetwork::Save)", file));
}

constexpr auto first_words = std::to_array<Extension>({{"genomestart", read_stanley}, {"NNstart", read_multineat}, {"GenomeStart", refuse_multineat_genome}});

/// Without byte order mark, blanks and comments between /* and */.
std::string_view first_word(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    if (!text.starts_with("/*")) break;
    text.remove_prefix(std::min(text.find("*/"), text.size() - 2) + 2);
  }
  return text.substr(0, text.find_first_of(blanks));
}

std::string_view without_packing(std::string_view name) {
  for (const std::string_view packing : {".gz", ".zst"})
    if (name.ends_with(packing)) return name.substr(0, name.size() - packing.size());
  return name;
}

const Extension* find_extension(const std::filesystem::path& name) {
  const std::string whole = name.filename().string();
  const std::string_view plain = without_packing(whole);
  const auto found = std::find_if(extensions.begin(), extensions.end(), [&](const Extension& extension) { return plain.ends_with(extension.name); });
  return found == extensions.end() ? nullptr : &*found;
}

void set_steps(Member& member, const LoadOptions& options) {
  NeuronGraph& graph = member.graph;
  if (options.steps == 0 && options.time_step == 0) return;
  if (graph.update == Update::feed_forward) throw InputError(member.file, "is feed forward: every neuron is computed once; steps and a time step cannot be given for it");
  if (options.steps != 0) graph.steps = options.steps;
  if (options.time_step == 0) return;
  if (graph.update != Update::continuous) throw InputError(member.file, "is updated stepwise; a time step is for continuous networks only");
  graph.time_step = options.time_step;
}

}  // namespace

GraphReader find_graph_reader(const std::filesystem::path& name, std::string_view beginning) {
  if (const Extension* extension = find_extension(name)) return extension->reader;
  const std::string_view word = first_word(beginning);
  const auto found = std::find_if(first_words.begin(), first_words.end(), [&](const Extension& entry) { return entry.name == word; });
  return found == first_words.end() ? nullptr : found->reader;
}

bool has_graph_extension(const std::filesystem::path& name) { return find_extension(name) != nullptr; }

Network network_of(std::vector<Member> members, std::string_view where, const LoadOptions& options) {
  constexpr std::string_view input_name = "inputs";
  Network network;
  network.input = network.add_value(std::string(input_name), {{members.at(0).graph.inputs}});
  std::set<std::string> names{std::string(input_name)};
  for (Member& member : members) {
    if (member.graph.inputs != members[0].graph.inputs)
      throw InputError(where, fmt::format("{} has {} inputs, but {} has {}; the members of a population read the same inputs", member.name, member.graph.inputs,
                                          members[0].name, members[0].graph.inputs));
    set_steps(member, options);
    const std::string name = member.name.empty() ? "outputs" : member.name;
    if (name == input_name) throw InputError(where, "a member is called inputs, as what they all read; give it another name");
    if (!names.insert(name).second) throw InputError(where, fmt::format("two members are called {}; names without their extensions must differ", name));
  }
  for (Member& member : members) {
    const ValueId output =
        network.add_value(member.name.empty() ? "outputs" : std::move(member.name), {{static_cast<std::uint32_t>(member.graph.outputs.size())}});
    network.operators.push_back({std::move(member.graph), {network.input}, output});
    if (network.operators.size() == 1)
      network.output = output;
    else
      network.other_outputs.push_back(output);
  }
  verify(network);
  return network;
}

Network load_graph_file(std::string_view text, const std::filesystem::path& file, GraphReader reader, const LoadOptions& options) {
  std::vector<Member> members;
  if (reader == read_stanley) {
    std::vector<ListedGenome> genomes = read_stanley_genomes(text, file.string());
    for (ListedGenome& genome : genomes) members.push_back({genomes.size() == 1 ? "" : genome.name, file.string(), std::move(genome.graph)});
  } else {
    members.push_back({"", file.string(), reader(text, file.string())});
  }
  return network_of(std::move(members), file.string(), options);
}

}  // namespace lacuna::frontends
