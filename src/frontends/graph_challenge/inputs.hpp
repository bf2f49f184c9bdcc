// Sparse inputs: `input \t neuron \t value`, counted from 1, or a Matrix Market matrix with one row an input.
#pragma once

#include <cstdint>
#include <lacuna/sparse_matrix.hpp>
#include <string>

#include "base/byte_source.hpp"
#include "base/progress_counter.hpp"

namespace lacuna::frontends {

struct InputRules {
  std::uint32_t neurons = 0;     ///< 0: found from the name, the head or the largest index
  std::uint32_t count = 0;       ///< inputs expected; 0: not known
  std::uint64_t file_bytes = 0;  ///< bounds how many inputs without entries are believed
  unsigned threads = 1;
};

/// All inputs of the file; rows up to the largest index (TSV) or as the head says (Matrix Market).
SparseMatrix read_inputs(base::ByteSource& source, const std::string& name, const InputRules& rules,
                         base::ProgressCounter* progress, std::uint64_t& text_bytes);

}  // namespace lacuna::frontends
