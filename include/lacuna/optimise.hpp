// What the compiler can leave out, by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

/// An optimisation that can be switched by name. All are exact: the answer does not change.
struct Optimisation {
  std::string_view name;
  std::string_view what;
  bool is_pass;  ///< changes the network; otherwise it is a check made while the program runs
};

/// The one list: `--optimise`, its help and the tests read it.
std::vector<Optimisation> optimisations();

/// "all", "none" or "a,b" -> names in list order. Throws InputError for a name nobody knows.
std::vector<std::string> select_optimisations(std::string_view text);

}  // namespace lacuna
