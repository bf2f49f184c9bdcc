// Small kernels over whole planes: which lanes are alive, which are equal, and the register-only loop that measures the multiply-add peak.
// Included once for each instruction set (kernels.cpp).
#if defined(LACUNA_PLANE_KERNELS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef LACUNA_PLANE_KERNELS_INL
#undef LACUNA_PLANE_KERNELS_INL
#else
#define LACUNA_PLANE_KERNELS_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace lacuna::cpu::HWY_NAMESPACE {

/// V vectors of lanes at once: planes are read in the order they lie. Now and then it asks whether all lanes are known to be alive: then
/// there is nothing more to find.
template <unsigned V>
void mark_alive_vectors(const float* planes, std::size_t count, std::size_t lanes, std::uint8_t* alive) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<float> d;
  const hn::RebindToUnsigned<decltype(d)> bits;
  const std::size_t step = hn::Lanes(d);
  hn::Vec<decltype(bits)> any[V];
  for (unsigned v = 0; v < V; ++v) any[v] = hn::Zero(bits);
  constexpr std::size_t planes_at_once = 32;
  for (std::size_t plane = 0; plane < count;) {
    for (const std::size_t end = std::min(plane + planes_at_once, count); plane < end; ++plane)
      for (unsigned v = 0; v < V; ++v) any[v] = hn::Or(any[v], hn::BitCast(bits, hn::Load(d, planes + plane * lanes + v * step)));
    bool all = true;
    for (unsigned v = 0; v < V; ++v) all = all && hn::AllTrue(bits, hn::Ne(hn::ShiftLeft<1>(any[v]), hn::Zero(bits)));
    if (all) break;
  }
  HWY_ALIGN std::uint32_t seen[64];
  for (unsigned v = 0; v < V; ++v) {
    hn::Store(hn::ShiftLeft<1>(any[v]), bits, seen);  // the sign bit is shifted out: -0 is zero; NaN is not
    for (std::size_t k = 0; k < step; ++k)
      if (seen[k] != 0) alive[v * step + k] = 1;
  }
}

void mark_alive(const float* planes, std::size_t count, unsigned lanes, std::uint8_t* alive) {
  const std::size_t step = hwy::HWY_NAMESPACE::Lanes(hwy::HWY_NAMESPACE::ScalableTag<float>());
  std::size_t lane = 0;
  for (; lane + 4 * step <= lanes; lane += 4 * step) mark_alive_vectors<4>(planes + lane, count, lanes, alive + lane);
  for (; lane < lanes; lane += step) mark_alive_vectors<1>(planes + lane, count, lanes, alive + lane);
}

/// V vectors at once: a hash is one long chain, and V of them overlap.
template <unsigned V>
void hash_vectors(const float* planes, std::size_t count, std::size_t lanes, std::uint32_t* hash) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<float> d;
  const hn::RebindToUnsigned<decltype(d)> bits;
  const std::size_t step = hn::Lanes(d);
  const auto factor = hn::Set(bits, 0x9E3779B1u);
  hn::Vec<decltype(bits)> mixed[V];
  for (unsigned v = 0; v < V; ++v) mixed[v] = hn::LoadU(bits, hash + v * step);
  for (std::size_t plane = 0; plane < count; ++plane)
    for (unsigned v = 0; v < V; ++v) {
      mixed[v] = hn::Mul(hn::Xor(mixed[v], hn::BitCast(bits, hn::Load(d, planes + plane * lanes + v * step))), factor);
      mixed[v] = hn::Xor(mixed[v], hn::ShiftRight<15>(mixed[v]));
    }
  for (unsigned v = 0; v < V; ++v) hn::StoreU(mixed[v], bits, hash + v * step);
}

void hash_lanes(const float* planes, std::size_t count, unsigned lanes, std::uint32_t* hash) {
  const std::size_t step = hwy::HWY_NAMESPACE::Lanes(hwy::HWY_NAMESPACE::ScalableTag<float>());
  std::size_t lane = 0;
  for (; lane + 4 * step <= lanes; lane += 4 * step) hash_vectors<4>(planes + lane, count, lanes, hash + lane);
  for (; lane < lanes; lane += step) hash_vectors<1>(planes + lane, count, lanes, hash + lane);
}

void clear_unequal(const float* planes, std::size_t count, unsigned lanes, const float* column, std::size_t stride, std::uint8_t* equal) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<float> d;
  const hn::RebindToUnsigned<decltype(d)> bits;
  HWY_ALIGN std::uint32_t seen[64];
  for (std::size_t lane = 0; lane < lanes; lane += hn::Lanes(d)) {
    auto different = hn::Zero(bits);
    for (std::size_t plane = 0; plane < count; ++plane) {
      const auto here = hn::BitCast(bits, hn::Load(d, planes + plane * lanes + lane));
      different = hn::Or(different, hn::Xor(here, hn::BitCast(bits, hn::Set(d, column[plane * stride]))));
    }
    hn::Store(different, bits, seen);
    for (std::size_t k = 0; k < hn::Lanes(d); ++k)
      if (seen[k] != 0) equal[lane + k] = 0;
  }
}

void pack_lanes(const float* planes, std::size_t count, unsigned lanes, const std::uint8_t* stays, float* packed, std::size_t stride) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> whole;
  const std::size_t step = hn::Lanes(d);
  struct Part {
    std::size_t from, to;
    HWY_ALIGN std::int32_t order[16];  ///< the lanes that stay, to the front
  };
  HWY_ALIGN Part parts[64];
  std::size_t used = 0;
  std::size_t to = 0;
  for (std::size_t lane = 0; lane < lanes; lane += step) {
    Part& part = parts[used];
    part.from = lane;
    part.to = to;
    std::size_t kept = 0;
    for (std::size_t k = 0; k < step; ++k)
      if (stays[lane + k] != 0) part.order[kept++] = static_cast<std::int32_t>(k);
    to += kept;
    if (kept > 0) ++used;
    for (; kept < step; ++kept) part.order[kept] = 0;
  }
  for (std::size_t plane = 0; plane < count; ++plane)
    for (std::size_t k = 0; k < used; ++k) {  // each part overwrites what the one before wrote beyond its own
      const Part& part = parts[k];
      const auto order = hn::IndicesFromVec(d, hn::Load(whole, part.order));
      hn::StoreU(hn::TableLookupLanes(hn::Load(d, planes + plane * lanes + part.from), order), d, packed + plane * stride + part.to);
    }
}

std::uint64_t multiply_adds(std::uint64_t rounds, float* sink) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::ScalableTag<float> d;
  constexpr unsigned chains = 12;  // latency 4 or 5 x 2 a cycle, with some to spare
  const auto factor = hn::Set(d, sink[0]);
  const auto term = hn::Set(d, sink[1]);
  hn::Vec<decltype(d)> sum[chains];
  for (unsigned c = 0; c < chains; ++c) sum[c] = hn::Set(d, static_cast<float>(c));
  for (std::uint64_t round = 0; round < rounds; ++round)
    for (unsigned c = 0; c < chains; ++c) sum[c] = hn::MulAdd(sum[c], factor, term);
  for (unsigned c = 1; c < chains; ++c) sum[0] = hn::Add(sum[0], sum[c]);
  sink[2] += hn::GetLane(sum[0]);
  return rounds * chains * hn::Lanes(d);
}

}  // namespace lacuna::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
