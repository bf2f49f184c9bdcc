#include "dense/layout.hpp"

#include <dlfcn.h>

namespace lacuna::dense {

dnnl::engine& cpu_engine() {
  static dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

dnnl::stream& stream() {
  thread_local dnnl::stream stream(cpu_engine());
  return stream;
}

dnnl::memory::dims dims_of(const std::vector<std::uint32_t>& numbers) { return {numbers.begin(), numbers.end()}; }
dnnl::memory::dims dims_of(const Shape& shape) { return dims_of(shape.extents); }

Layout row_major(const dnnl::memory::dims& dims) {
  dnnl::memory::dims strides(dims.size(), 1);
  for (std::size_t axis = dims.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * dims[axis];
  return Layout(dims, dnnl::memory::data_type::f32, strides);
}

Layout strided(const Shape& shape, const std::vector<std::size_t>& strides) {
  return Layout(dims_of(shape), dnnl::memory::data_type::f32, dnnl::memory::dims(strides.begin(), strides.end()));
}

Layout any_layout(const Shape& shape) { return Layout(dims_of(shape), dnnl::memory::data_type::f32, dnnl::memory::format_tag::any); }

Copy::Copy(const Layout& from, const Layout& to) : from_(from), to_(to), reorder_(dnnl::reorder::primitive_desc(cpu_engine(), from, cpu_engine(), to)) {}

void Copy::run(const float* from, float* to) const {
  dnnl::memory source(from_, cpu_engine(), const_cast<float*>(from));  // read only
  dnnl::memory target(to_, cpu_engine(), to);
  reorder_.execute(stream(), source, target);
}

void use_threads(unsigned threads) {
  // oneDNN brings GNU's OpenMP along, whatever this library itself was compiled with.
  using Setter = void (*)(int);
  static const auto setter = reinterpret_cast<Setter>(::dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
  if (setter != nullptr) setter(static_cast<int>(threads));
}

}  // namespace lacuna::dense
