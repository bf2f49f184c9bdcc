// The dense library, oneDNN: its layouts, and copies from one layout to another.
#pragma once

#include <cstddef>
#include <vector>

#include <oneapi/dnnl/dnnl.hpp>

#include <lacuna/network.hpp>

namespace lacuna::dense {

/// The type of the elements, and how they stand: row-major, strided, or in blocks of channels as oneDNN likes it.
using Layout = dnnl::memory::desc;
using Type = dnnl::memory::data_type;

inline Type type_of(const Layout& layout) { return layout.data_type(); }
Type type_of(ElementType type);  ///< needs: one that oneDNN has

/// Whether the CPU multiplies bf16 by itself. oneDNN emulates it with AVX-512 alone, three times as slow as f32, and refuses it without.
bool has_bf16();

/// Whether the CPU multiplies bytes and adds them up in 32 bits. Without, sums of two products are cut off at 16 bits.
bool has_vnni();

dnnl::engine& cpu_engine();

/// The stream of this thread.
dnnl::stream& stream();

/// Attributes of a primitive that works in memory given to it: what oneDNN allocates for it is one for all threads that run it.
dnnl::primitive_attr with_given_scratch();

/// Memory of this thread for one run of such a primitive.
dnnl::memory scratch_of_thread(const Layout& scratch);

dnnl::memory::dims dims_of(const Shape& shape);

dnnl::memory::dims dims_of(const std::vector<std::uint32_t>& numbers);

Layout row_major(const dnnl::memory::dims& dims, Type type = Type::f32);
inline Layout row_major(const Shape& shape, Type type = Type::f32) { return row_major(dims_of(shape), type); }
Layout strided(const Shape& shape, const std::vector<std::size_t>& strides);

/// Extents only; oneDNN chooses.
Layout any_layout(const Shape& shape, Type type = Type::f32);

/// A copy between two layouts of the same extents; elements are converted where their types differ.
class Copy {
 public:
  Copy(const Layout& from, const Layout& to);
  void run(const std::byte* from, std::byte* to) const;

 private:
  Layout from_;
  Layout to_;
  Layout scratch_;
  dnnl::reorder reorder_;
};

/// The threads of oneDNN's next calls: what is made afterwards runs on so many, whatever is set when it runs. OpenMP's setting, which is the calling thread's own.
void use_threads(unsigned threads);

}  // namespace lacuna::dense
