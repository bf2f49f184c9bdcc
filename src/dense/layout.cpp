#include "dense/layout.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <lacuna/error.hpp>

#include "base/aligned_buffer.hpp"

namespace lacuna::dense {

dnnl::engine& cpu_engine() {
  static dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

dnnl::stream& stream() {
  thread_local dnnl::stream stream(cpu_engine());
  return stream;
}

dnnl::primitive_attr with_given_scratch() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

dnnl::memory scratch_of_thread(const Layout& scratch) {
  thread_local base::AlignedFloats floats(0);
  const std::size_t wanted = scratch.get_size() / sizeof(float) + 1;
  if (floats.size() < wanted) floats = base::AlignedFloats(wanted);
  return {scratch, cpu_engine(), floats.data()};
}

dnnl::memory::dims dims_of(const std::vector<std::uint32_t>& numbers) { return {numbers.begin(), numbers.end()}; }
dnnl::memory::dims dims_of(const Shape& shape) { return dims_of(shape.extents); }

namespace {

bool has_isa(dnnl::cpu_isa wanted) {
  static const auto has = static_cast<unsigned>(dnnl::get_effective_cpu_isa());  // a set of bits, as each is
  return (has & static_cast<unsigned>(wanted)) == static_cast<unsigned>(wanted);
}

}  // namespace

bool has_bf16() { return has_isa(dnnl::cpu_isa::avx512_core_bf16); }
bool has_vnni() { return has_isa(dnnl::cpu_isa::avx512_core_vnni) || has_isa(dnnl::cpu_isa::avx2_vnni); }

Type type_of(ElementType type) {
  switch (type) {
    case ElementType::f32: return Type::f32;
    case ElementType::i32: return Type::s32;
    case ElementType::i8: return Type::s8;
    case ElementType::u8: return Type::u8;
    default: throw InternalError(fmt::format("oneDNN has no elements of {}", name_of(type)));
  }
}

Layout row_major(const dnnl::memory::dims& dims, Type type) {
  dnnl::memory::dims strides(dims.size(), 1);
  for (std::size_t axis = dims.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * dims[axis];
  return Layout(dims, type, strides);
}

Layout strided(const Shape& shape, const std::vector<std::size_t>& strides) {
  return Layout(dims_of(shape), Type::f32, dnnl::memory::dims(strides.begin(), strides.end()));
}

Layout any_layout(const Shape& shape, Type type) { return Layout(dims_of(shape), type, dnnl::memory::format_tag::any); }

Copy::Copy(const Layout& from, const Layout& to) : from_(from), to_(to) {
  const dnnl::reorder::primitive_desc description(cpu_engine(), from, cpu_engine(), to, with_given_scratch());
  scratch_ = description.scratchpad_desc();
  reorder_ = dnnl::reorder(description);
}

void Copy::run(const std::byte* from, std::byte* to) const {
  dnnl::memory source(from_, cpu_engine(), const_cast<std::byte*>(from));  // read only
  dnnl::memory target(to_, cpu_engine(), to);
  reorder_.execute(stream(), {{DNNL_ARG_FROM, source}, {DNNL_ARG_TO, target}, {DNNL_ARG_SCRATCHPAD, scratch_of_thread(scratch_)}});
}

void use_threads(unsigned threads) {
  // oneDNN brings GNU's OpenMP along, whatever this library itself was compiled with.
  using Setter = void (*)(int);
  static const auto setter = reinterpret_cast<Setter>(::dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
  if (setter != nullptr) setter(static_cast<int>(threads));
}

}  // namespace lacuna::dense
