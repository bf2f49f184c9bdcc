// The dense library, oneDNN: its layouts, and copies from one layout to another.
#pragma once

#include <cstddef>
#include <vector>

#include <oneapi/dnnl/dnnl.hpp>

#include <lacuna/network.hpp>

namespace lacuna::dense {

/// A layout of float32 elements: row-major, strided, or in blocks of channels as oneDNN likes it.
using Layout = dnnl::memory::desc;

dnnl::engine& cpu_engine();

/// The stream of this thread.
dnnl::stream& stream();

dnnl::memory::dims dims_of(const Shape& shape);

dnnl::memory::dims dims_of(const std::vector<std::uint32_t>& numbers);

Layout row_major(const dnnl::memory::dims& dims);
inline Layout row_major(const Shape& shape) { return row_major(dims_of(shape)); }
Layout strided(const Shape& shape, const std::vector<std::size_t>& strides);

/// Extents only; oneDNN chooses.
Layout any_layout(const Shape& shape);

/// A copy between two layouts of the same extents.
class Copy {
 public:
  Copy(const Layout& from, const Layout& to);
  void run(const float* from, float* to) const;

 private:
  Layout from_;
  Layout to_;
  dnnl::reorder reorder_;
};

/// Runs the threads of oneDNN's next calls. OpenMP's setting, which is the calling thread's own.
void use_threads(unsigned threads);

}  // namespace lacuna::dense
