// Folders and archives of networks.
#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>

#include <lacuna/lacuna.hpp>

#include "support/neuro_files.hpp"
#include "support/temp_folder.hpp"

namespace lacuna::tests {
namespace {

std::string names_of(const Network& network) {
  std::string names;
  for (const ValueId id : network.all_outputs()) names += network.value(id).name + ' ';
  return names;
}

/// Writes a packed file with libarchive: "zip" or "gnutar" through "gzip" or none.
void pack(const std::filesystem::path& file, const char* format, bool has_gzip, const std::vector<std::pair<std::string, std::string>>& members) {
  archive* to = archive_write_new();
  archive_write_set_format_by_name(to, format);
  if (has_gzip) archive_write_add_filter_gzip(to);
  ASSERT_EQ(archive_write_open_filename(to, file.c_str()), ARCHIVE_OK);
  for (const auto& [name, text] : members) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, name.c_str());
    archive_entry_set_size(entry, static_cast<la_int64_t>(text.size()));
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    ASSERT_EQ(archive_write_header(to, entry), ARCHIVE_OK);
    archive_write_data(to, text.data(), text.size());
    archive_entry_free(entry);
  }
  archive_write_free(to);
}

TEST(Population, MembersStandInTheNaturalOrderOfTheirNames) {
  const TempFolder folder;
  for (const char* name : {"g10.net", "g2.net", "g1.edges", "other.json"})
    folder.write(name, std::string_view(name).ends_with("net")     ? std::string(sharpneat_network)
                       : std::string_view(name).ends_with("edges") ? std::string(edge_lines)
                                                                    : json_network("feedforward", json_node(0, "output"), json_edge(-1, 0, "2")));
  folder.write("champion", stanley_genome);
  folder.write("README.md", "not a network");
  folder.write(".hidden", stanley_genome);
  const Network network = load(folder.path());
  EXPECT_EQ(names_of(network), "champion g1 g2 g10 other ");
  EXPECT_EQ(network.value(network.input).name, "inputs");
  EXPECT_EQ(network.width(network.input), 2u);
  EXPECT_TRUE(network.has_neuron_graphs());
}

TEST(Population, ComesFromArchives) {
  const TempFolder folder;
  const std::vector<std::pair<std::string, std::string>> members = {{"pop/b2.net", std::string(sharpneat_network)}, {"pop/b10.net", std::string(sharpneat_network)},
                                                                     {"pop/notes.txt", "nothing"}, {"a.edges", std::string(edge_lines)}};
  pack(folder / "p.zip", "zip", false, members);
  pack(folder / "p.tar.gz", "gnutar", true, members);
  pack(folder / "p.tgz", "gnutar", true, members);
  pack(folder / "p.tar", "gnutar", false, members);
  for (const char* name : {"p.zip", "p.tar.gz", "p.tgz", "p.tar"}) EXPECT_EQ(names_of(load(folder / name)), "a pop/b2 pop/b10 ") << name;
}

TEST(Population, ComesFromOneFileOfGenomes) {
  const TempFolder folder;
  std::string second(stanley_genome);
  second.replace(second.find("genomestart 7"), 13, "genomestart 12");
  const Network network = load(folder.write("generation", std::string(stanley_genome) + second));
  EXPECT_EQ(names_of(network), "7 12 ");
  const std::filesystem::path twice = folder.write("twice", std::string(stanley_genome) + std::string(stanley_genome));
  EXPECT_EQ(message_of<InputError>([&] { load(twice); }), twice.string() + ": two members are called 7; names without their extensions must differ");
}

TEST(Population, MistakesAreSaid) {
  const TempFolder folder;
  const std::string where = folder.path().string();
  folder.write("wide/a.edges", edge_lines);
  folder.write("wide/b.edges", "x y 1\n");
  EXPECT_EQ(message_of<InputError>([&] { load(folder / "wide"); }),
            where + "/wide: b has 1 inputs, but a has 2; the members of a population read the same inputs");
  folder.write("same/a.edges", edge_lines);
  folder.write("same/a.net", sharpneat_network);
  EXPECT_EQ(message_of<InputError>([&] { load(folder / "same"); }), where + "/same: two members are called a; names without their extensions must differ");
  folder.write("named/inputs.edges", edge_lines);
  EXPECT_EQ(message_of<InputError>([&] { load(folder / "named"); }), where + "/named: a member is called inputs, as what they all read; give it another name");
  folder.write("broken/a.net", sharpneat_network);
  folder.write("broken/b.net", "2 1\n\nsideways\n");
  EXPECT_EQ(message_of<InputError>([&] { load(folder / "broken"); }), where + "/broken/b.net:3:1: \"sideways\" where cyclic or acyclic is due");
  folder.write("cut.zip", "PK\x03\x04 and then nothing");
  EXPECT_EQ(message_of<InputError>([&] { load(folder / "cut.zip"); }).substr(0, where.size() + 33), where + "/cut.zip: cannot be unpacked: Tru");
  pack(folder / "none.zip", "zip", false, {{"notes.txt", "nothing"}});
  EXPECT_EQ(message_of<InputError>([&] { load(folder / "none.zip"); }),
            where + "/none.zip: holds no network; give an archive of .json, .net, .edges, .graphml, .yml or genome files");
}

TEST(LoadOptions, StepsAndTimeStepAreForGraphsThatHaveThem) {
  const TempFolder folder;
  const std::filesystem::path cyclic = folder.write("c.net", "1 1\n\ncyclic 3\n\n0 1 0.5\n\n0 TanH\n");
  const auto steps_of = [](const Network& network) { return std::get<NeuronGraph>(network.operators.at(0).operation).steps; };
  EXPECT_EQ(steps_of(load(cyclic)), 3u);
  EXPECT_EQ(steps_of(load(cyclic, {.steps = 9})), 9u);
  EXPECT_EQ(message_of<InputError>([&] { load(cyclic, {.time_step = 0.5}); }), cyclic.string() + ": is updated stepwise; a time step is for continuous networks only");
  const std::filesystem::path continuous = folder.write("c.edges", "@update continuous\na y 1\n");
  EXPECT_EQ(std::get<NeuronGraph>(load(continuous, {.steps = 2, .time_step = 0.5}).operators.at(0).operation).time_step, 0.5);
  const std::filesystem::path plain = folder.write("n.net", sharpneat_network);
  EXPECT_EQ(message_of<InputError>([&] { load(plain, {.steps = 2}); }),
            plain.string() + ": is feed forward: every neuron is computed once; steps and a time step cannot be given for it");
  EXPECT_EQ(message_of<InputError>([&] { load(plain, {.bias = 1.0f}); }), plain.string() + ": brings its own neurons, biases and activations; they cannot be given for it");
  const std::filesystem::path layered = folder.write("n.txt", "lacuna network 1\ninput x 1\ny = linear x 1 relu {\n  0: 0*1\n}\noutput y\n");
  EXPECT_EQ(message_of<InputError>([&] { load(layered, {.steps = 2}); }), layered.string() + ": is no neuron graph; steps and a time step cannot be given for it");
}

}  // namespace
}  // namespace lacuna::tests
