// Which values share memory on a GPU: those that never live at once and stand in exactly the same way, so that the zeros around the pixels of one are the zeros
// around those of the other, and nobody ever has to write them again.
#pragma once

#include <cstddef>
#include <vector>

#include "rows/planes.hpp"

namespace lacuna::engine::gpus {

class SharedBuffers {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  /// A value that `step` writes first; returns its number.
  std::size_t add(const rows::Planes& planes, std::size_t step);
  /// `step` reads or writes it.
  void use(std::size_t standing, std::size_t step);
  /// It lives until the end of the run.
  void keep(std::size_t standing);

  /// The buffer of each, and the bytes of all buffers.
  std::vector<std::size_t> assign(std::vector<std::size_t>& bytes) const;

 private:
  struct Standing {
    rows::Planes planes;
    std::size_t first, last;
  };
  std::vector<Standing> standings_;
};

}  // namespace lacuna::engine::gpus
