// Files of neuroevolution as Networks: one network, or a population from a folder or an archive.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <lacuna/load.hpp>
#include <lacuna/neuron_graph.hpp>

namespace lacuna::frontends {

using GraphReader = NeuronGraph (*)(std::string_view text, std::string_view file);

/// The reader for a file of this name that begins so, unpacked; nullptr: it is none of them.
GraphReader find_graph_reader(const std::filesystem::path& name, std::string_view beginning);

/// Does its name alone say that a file holds such a network?
bool has_graph_extension(const std::filesystem::path& name);

/// .zip, .tar, .tar.gz, .tgz, .tar.zst, by its name.
bool is_archive(const std::filesystem::path& file);

struct Member {
  std::string name;  ///< what its value is called
  std::string file;  ///< for messages
  NeuronGraph graph;
};

/// One input value "inputs" for all, one output value for each; `where` stands for the population in messages. With a single member called "" the output is
/// called "outputs". Steps and time step of the options are set in each.
Network network_of(std::vector<Member> members, std::string_view where, const LoadOptions& options);

Network load_graph_file(std::string_view text, const std::filesystem::path& file, GraphReader reader, const LoadOptions& options);

/// A folder that holds at least one file of a known kind; files of other kinds are left alone. Members in the natural order of their names: g2 before g10.
bool has_population(const std::filesystem::path& folder);
Network load_population(const std::filesystem::path& folder, const LoadOptions& options, LoadReport& report);

Network load_archive(const std::filesystem::path& file, const LoadOptions& options, LoadReport& report);

}  // namespace lacuna::frontends
