// `lacuna challenge --ladder`: what each optimisation is worth, one rung at a time, on one network and one set of inputs.
#pragma once

#include <optional>
#include <vector>

#include "command.hpp"

namespace cli {

/// Measures all rungs, interleaved round by round; a rung that would take many seconds gets fewer inputs. Every rung's answer is verified.
/// Prints the table, or one JSON object. Throws WrongAnswer.
void run_ladder(const lacuna::Network& network, const lacuna::SparseMatrix& inputs, const CommonOptions& options, unsigned repeat);

}  // namespace cli
