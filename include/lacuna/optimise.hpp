// What the compiler can leave out, by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

/// An optimisation that can be switched by name. All are exact: the answer does not change, in floats within the rounding bound of the
/// network as given.
enum class Serves { all_networks, layered_networks, networks_of_tensors, neuron_graphs };

struct Optimisation {
  std::string_view name;
  std::string_view what;
  bool is_pass;     ///< changes the network; otherwise it is done to its rows or while the program runs
  bool keeps_bits;  ///< every bit of the answer; otherwise sums are rounded differently
  Serves serves;    ///< networks of another kind are left as they are
};

/// The one list: `--optimise`, its help and the tests read it.
std::vector<Optimisation> optimisations();

/// "all", "bitwise" (those that keep every bit of the answer), "none" or "a,b" -> names in list order. Throws InputError for a name nobody
/// knows. "all" leaves out what another one of the list does better.
std::vector<std::string> select_optimisations(std::string_view text);

}  // namespace lacuna
