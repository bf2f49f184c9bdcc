// Cast and CastLike: from every element type to every other.
#include "operators/families.hpp"

namespace lacuna::operators {
namespace {

template <typename From, typename To>
void convert(const From* in, To* out, std::size_t size, bool to_bool) {
  for (std::size_t k = 0; k < size; ++k) {
    const auto value = static_cast<Computed<From>>(in[k]);
    if (to_bool)
      out[k] = static_cast<To>(value != 0 ? 1.0f : 0.0f);
    else if constexpr (is_float16<To>)
      out[k] = To(static_cast<double>(value));
    else if constexpr (std::is_floating_point_v<Computed<From>> && !is_float<To>)
      out[k] = saturated<To>(static_cast<double>(value));
    else
      out[k] = static_cast<To>(value);
  }
}

}  // namespace

ElementType type_of_number(const Call& call, std::int64_t number) {
  switch (number) {
    case 1: return ElementType::f32;
    case 2: return ElementType::u8;
    case 3: return ElementType::i8;
    case 4: return ElementType::u16;
    case 5: return ElementType::i16;
    case 6: return ElementType::i32;
    case 7: return ElementType::i64;
    case 9: return ElementType::boolean;
    case 10: return ElementType::f16;
    case 11: return ElementType::f64;
    case 12: return ElementType::u32;
    case 13: return ElementType::u64;
    case 16: return ElementType::bf16;
    default: refuse(call, "elements of ONNX's type {}; known are f32, f64, f16, bf16, integers of 8 to 64 bits and bool", number);
  }
}

Signature infer_cast(const Inference& question) {
  if (find_attribute(question.call, "to") == nullptr) fail(question.call, "the attribute to is missing");
  return {type_of_number(question.call, integer_attribute(question.call, "to", 1)), question.shape(0)};
}
Signature infer_cast_like(const Inference& question) { return {question.type(1), question.shape(0)}; }

void cast(const Evaluation& job) {
  const bool to_bool = job.signature.type == ElementType::boolean;
  with_type<all_types>(job.type(0), [&](auto from) {
    using From = typename decltype(from)::type;
    with_type<all_types>(job.signature.type, [&](auto to) {
      using To = typename decltype(to)::type;
      convert(job.in<From>(0), job.out<To>(), job.out_size(), to_bool);
    });
  });
}

}  // namespace lacuna::operators
