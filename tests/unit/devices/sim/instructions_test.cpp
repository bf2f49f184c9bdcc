// Every family of instructions against plain C++, on values that are awkward for it. All lanes of two warps and a bit, so that partly filled warps are met.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>
#include <random>
#include <tuple>

#include "devices/sim/half.hpp"
#include "support/sim_kernel.hpp"

namespace lacuna {
namespace {

using tests::SimKernel;
using tests::sim_text;

constexpr unsigned count = 97;

template <typename T>
std::string register_of(unsigned i) {
  if constexpr (std::is_same_v<T, float>) return "%f" + std::to_string(i);
  else if constexpr (std::is_same_v<T, double>) return "%d" + std::to_string(i);
  else if constexpr (sizeof(T) == 8) return "%rd" + std::to_string(30 + i);
  else if constexpr (sizeof(T) == 2) return "%h" + std::to_string(i);
  else return "%r" + std::to_string(30 + i);
}
template <typename T>
std::string memory_type() {
  return sizeof(T) == 8 ? "b64" : sizeof(T) == 4 ? "b32" : sizeof(T) == 2 ? "b16" : "b8";
}

/// Values near every border of T, then random ones.
template <typename T>
std::vector<T> awkward(unsigned seed) {
  std::vector<T> values;
  if constexpr (std::is_floating_point_v<T>) {
    using L = std::numeric_limits<T>;
    values = {T(0), -T(0), T(1), T(-1), T(0.5), T(2.5), T(-2.5), L::infinity(), -L::infinity(), L::quiet_NaN(), L::denorm_min(), L::min(), L::max(), L::lowest(), T(3.7), T(1e-3), T(-40), T(1e9), T(3e9), T(-3e9), T(65504), T(65519), T(65520)};
  } else {
    using L = std::numeric_limits<T>;
    values = {T(0), T(1), T(2), T(3), T(31), T(32), T(33), T(-1), T(-2), L::min(), L::max(), T(L::max() - 1), T(L::max() / 2), T(0x5a)};
  }
  std::mt19937_64 random(seed);
  std::shuffle(values.begin(), values.end(), random);
  while (values.size() < count) {
    if constexpr (std::is_floating_point_v<T>) values.push_back(static_cast<T>(static_cast<double>(static_cast<std::int64_t>(random() % 20001) - 10000) / 97));
    else values.push_back(static_cast<T>(random() >> (random() % 64)));
  }
  return values;
}

/// `op` names the instruction; R, A, B, C are the types of result and sources as C++ sees them.
template <typename R, typename... S, typename F>
void check(const std::string& op, F expected, double tolerance = 0) {
  SCOPED_TRACE(op);
  std::string body = "mul.wide.u32 %rd20, %r0, 8;\n";
  constexpr unsigned sources = sizeof...(S);
  unsigned i = 0;
  std::string operands;
  const auto load = [&]<typename T>(T) {
    body += "add.u64 %rd21, %rd20, %rd" + std::to_string(i) + ";\nld.global." + memory_type<T>() + " " + register_of<T>(i + 1) + ", [%rd21];\n";
    operands += ", " + register_of<T>(i + 1);
    ++i;
  };
  (load(S{}), ...);
  body += op + " " + register_of<R>(0) + operands + ";\nadd.u64 %rd21, %rd20, %rd" + std::to_string(sources) + ";\nst.global." + memory_type<R>() + " [%rd21], " + register_of<R>(0) + ";\n";
  SimKernel kernel(sim_text(sources + 1, body));
  unsigned seed = 0;
  const auto next = [&]<typename T>(T) {
    const unsigned mine = ++seed;
    return awkward<T>(mine);
  };
  const std::tuple<std::vector<S>...> values{next(S{})...};  // braces: from left to right
  std::vector<std::uint64_t> addresses;
  std::apply([&](const auto&... each) {
    const auto spread = [&](const auto& list) {  // eight bytes for each value
      std::vector<std::uint64_t> cells(count);
      for (unsigned k = 0; k < count; ++k) std::memcpy(&cells[k], &list[k], sizeof(list[k]));
      addresses.push_back(kernel.upload(cells));
    };
    (spread(each), ...);
  }, values);
  const sim::Address out = kernel.upload(std::vector<std::uint64_t>(count));
  addresses.push_back(out);
  kernel.run({{1}, {count}}, addresses);
  const auto cells = kernel.download<std::uint64_t>(out, count);
  for (unsigned k = 0; k < count; ++k) {
    R got;
    std::memcpy(&got, &cells[k], sizeof(R));
    const R want = std::apply([&](const auto&... each) { return static_cast<R>(expected(each[k]...)); }, values);
    const std::string inputs = std::apply([&](const auto&... each) { return (std::string() + ... + (std::to_string(each[k]) + " ")); }, values);
    if constexpr (std::is_floating_point_v<R>) {
      if (want != want) {
        EXPECT_NE(got, got) << inputs;
      } else if (tolerance > 0 && std::isfinite(want)) {
        EXPECT_NEAR(got, want, tolerance * std::max(R(1), std::abs(want))) << inputs;
      } else {
        EXPECT_EQ(got, want) << inputs;
        EXPECT_EQ(std::signbit(got), std::signbit(want)) << inputs;
      }
    } else {
      EXPECT_EQ(got, want) << inputs;
    }
  }
}

using u16 = std::uint16_t;
using s16 = std::int16_t;
using u32 = std::uint32_t;
using s32 = std::int32_t;
using u64 = std::uint64_t;
using s64 = std::int64_t;

TEST(SimInstructions, FloatArithmeticRoundsOnceAndKeepsSubnormals) {
  check<float, float, float>("add.f32", [](float a, float b) { return a + b; });
  check<float, float, float>("sub.rn.f32", [](float a, float b) { return a - b; });
  check<float, float, float>("mul.rn.f32", [](float a, float b) { return a * b; });
  check<float, float, float, float>("fma.rn.f32", [](float a, float b, float c) { return std::fma(a, b, c); });
  check<float, float, float>("div.rn.f32", [](float a, float b) { return a / b; });
  check<float, float>("sqrt.rn.f32", [](float a) { return std::sqrt(a); });
  check<float, float>("neg.f32", [](float a) { return -a; });
  check<float, float>("abs.f32", [](float a) { return std::fabs(a); });
  check<double, double, double, double>("fma.rn.f64", [](double a, double b, double c) { return std::fma(a, b, c); });
  check<double, double, double>("div.rn.f64", [](double a, double b) { return a / b; });
}

/// In a rounding mode of the C library.
template <typename F>
auto rounded(int mode, F operation) {
  return [=](auto... sources) {
    const int before = std::fegetround();
    const std::tuple<std::conditional_t<true, volatile float, decltype(sources)>...> kept{sources...};  // so that nothing is computed in another mode
    std::fesetround(mode);
    volatile float result = std::apply(operation, kept);
    std::fesetround(before);
    return static_cast<float>(result);
  };
}

TEST(SimInstructions, DirectedRounding) {
  const auto fused = [](const volatile float& a, const volatile float& b, const volatile float& c) { return std::fma(a, b, c); };
  const auto sum = [](const volatile float& a, const volatile float& b) { return a + b; };
  const auto product = [](const volatile float& a, const volatile float& b) { return a * b; };
  check<float, float, float, float>("fma.rm.f32", rounded(FE_DOWNWARD, fused), 1e-30);
  check<float, float, float, float>("fma.rp.f32", rounded(FE_UPWARD, fused), 1e-30);
  check<float, float, float, float>("fma.rz.f32", rounded(FE_TOWARDZERO, fused), 1e-30);
  check<float, float, float>("add.rm.f32", rounded(FE_DOWNWARD, sum), 1e-30);
  check<float, float, float>("mul.rp.f32", rounded(FE_UPWARD, product), 1e-30);
}

TEST(SimInstructions, FtzFlushesAndSatClips) {
  const auto flush = [](float a) { return std::fpclassify(a) == FP_SUBNORMAL ? std::copysign(0.0f, a) : a; };
  check<float, float, float>("mul.ftz.f32", [&](float a, float b) { return flush(flush(a) * flush(b)); });
  check<float, float, float>("add.sat.f32", [](float a, float b) { const float s = a + b; return s != s || s <= 0 ? 0.0f : s > 1 ? 1.0f : s; });
}

TEST(SimInstructions, MinimumAndMaximumTakeTheOtherOneForNan) {
  const auto least = [](float a, float b) { return a != a ? b : b != b ? a : a == b ? (std::signbit(a) ? a : b) : a < b ? a : b; };
  const auto most = [](float a, float b) { return a != a ? b : b != b ? a : a == b ? (std::signbit(a) ? b : a) : a > b ? a : b; };
  check<float, float, float>("min.f32", least);
  check<float, float, float>("max.f32", most);
}

TEST(SimInstructions, SpecialFunctionsComeCloseToTheTruth) {
  check<float, float>("rcp.approx.f32", [](float a) { return 1 / a; }, 1e-6);
  check<float, float>("rsqrt.approx.f32", [](float a) { return 1 / std::sqrt(static_cast<double>(a)); }, 1e-6);
  check<float, float>("ex2.approx.f32", [](float a) { return std::exp2(a); }, 1e-6);
  check<float, float>("lg2.approx.f32", [](float a) { return std::log2(a); }, 1e-6);
  check<float, float>("sin.approx.f32", [](float a) { return std::sin(a); }, 1e-6);
  check<float, float>("cos.approx.f32", [](float a) { return std::cos(a); }, 1e-6);
  check<float, float>("tanh.approx.f32", [](float a) { return std::tanh(a); }, 1e-6);
}

TEST(SimInstructions, HalvesAreRoundedToNearestEven) {
  for (u32 bits = 0; bits < 0x10000; ++bits) {
    const float value = sim::half_to_float(bits);
    if (value == value) { ASSERT_EQ(sim::float_to_half(value), bits); }
    if (bits >= 0x7bff) continue;  // the middle to the next half goes to the even one, a bit beyond it up
    const float above = sim::half_to_float(bits + 1), middle = value + (above - value) / 2;
    ASSERT_EQ(sim::float_to_half(middle), (bits & 1u) == 0 ? bits : bits + 1);
    ASSERT_EQ(sim::float_to_half(std::nextafter(middle, 1e9f)), bits + 1);
  }
  check<u16, float>("cvt.rn.f16.f32", [](float a) { return sim::float_to_half(a); });
  check<float, u16>("cvt.f32.f16", [](u16 a) { return sim::half_to_float(a); });
  check<u16, u16, u16>("add.f16", [](u16 a, u16 b) { return sim::float_to_half(sim::half_to_float(a) + sim::half_to_float(b)); });
  check<u32, u32, u32>("mul.f16x2", [](u32 a, u32 b) {
    const auto product = [](u32 x, u32 y) { return sim::float_to_half(sim::half_to_float(x & 0xffff) * sim::half_to_float(y & 0xffff)); };
    return product(a, b) | product(a >> 16, b >> 16) << 16;
  });
  check<u32, u32, u32, u32>("fma.rn.f16x2", [](u32 a, u32 b, u32 c) {
    const auto sum = [](u32 x, u32 y, u32 z) {
      const long double exact = static_cast<long double>(sim::half_to_float(x & 0xffff)) * sim::half_to_float(y & 0xffff) + sim::half_to_float(z & 0xffff);
      const float down = static_cast<float>(exact);  // the awkward values do not meet a double rounding
      return sim::float_to_half(down);
    };
    return sum(a, b, c) | sum(a >> 16, b >> 16, c >> 16) << 16;
  });
}

TEST(SimInstructions, IntegersWrap) {
  check<u32, u32, u32>("add.u32", [](u32 a, u32 b) { return a + b; });
  check<u64, u64, u64>("sub.u64", [](u64 a, u64 b) { return a - b; });
  check<u16, u16, u16>("add.u16", [](u16 a, u16 b) { return a + b; });
  check<u32, u32, u32>("mul.lo.u32", [](u32 a, u32 b) { return a * b; });
  check<u32, u32, u32>("mul.hi.u32", [](u32 a, u32 b) { return (u64{a} * b) >> 32; });
  check<s32, s32, s32>("mul.hi.s32", [](s32 a, s32 b) { return (s64{a} * b) >> 32; });
  check<u64, u64, u64>("mul.hi.u64", [](u64 a, u64 b) { return static_cast<u64>((static_cast<unsigned __int128>(a) * b) >> 64); });
  check<u64, u32, u32>("mul.wide.u32", [](u32 a, u32 b) { return u64{a} * b; });
  check<s64, s32, s32>("mul.wide.s32", [](s32 a, s32 b) { return s64{a} * b; });
  check<u32, u16, u16>("mul.wide.u16", [](u16 a, u16 b) { return u32{a} * b; });
  check<u32, u32, u32, u32>("mad.lo.u32", [](u32 a, u32 b, u32 c) { return a * b + c; });
  check<u64, u32, u32, u64>("mad.wide.u32", [](u32 a, u32 b, u64 c) { return u64{a} * b + c; });
  check<s64, s32, s32, s64>("mad.wide.s32", [](s32 a, s32 b, s64 c) { return static_cast<s64>(static_cast<u64>(s64{a} * b) + static_cast<u64>(c)); });
  check<u32, u32, u32>("div.u32", [](u32 a, u32 b) { return b == 0 ? ~0u : a / b; });
  check<s32, s32, s32>("div.s32", [](s32 a, s32 b) { return b == 0 ? -1 : static_cast<s32>(s64{a} / b); });
  check<u32, u32, u32>("rem.u32", [](u32 a, u32 b) { return b == 0 ? a : a % b; });
  check<s64, s64, s64>("rem.s64", [](s64 a, s64 b) { return b == 0 ? a : b == -1 ? 0 : a % b; });
  check<s16, s16, s16>("min.s16", [](s16 a, s16 b) { return std::min(a, b); });
  check<u16, u16, u16>("max.u16", [](u16 a, u16 b) { return std::max(a, b); });
  check<s32, s32>("abs.s32", [](s32 a) { return a == std::numeric_limits<s32>::min() ? a : std::abs(a); });
}

TEST(SimInstructions, BitsGoWhereTheyShould) {
  check<u32, u32, u32>("shl.b32", [](u32 a, u32 b) { return b > 31 ? 0 : a << b; });
  check<u32, u32, u32>("shr.u32", [](u32 a, u32 b) { return b > 31 ? 0 : a >> b; });
  check<s32, s32, u32>("shr.s32", [](s32 a, u32 b) { return a >> std::min(b, 31u); });
  check<u64, u64, u32>("shl.b64", [](u64 a, u32 b) { return b > 63 ? 0 : a << b; });
  check<u32, u32>("popc.b32", [](u32 a) { return std::popcount(a); });
  check<u32, u64>("clz.b64", [](u64 a) { return std::countl_zero(a); });
  check<u32, u32>("brev.b32", [](u32 a) { u32 r = 0; for (int i = 0; i < 32; ++i) r |= ((a >> i) & 1u) << (31 - i); return r; });
  check<u32, u32, u32, u32>("prmt.b32", [](u32 a, u32 b, u32 c) {
    u32 r = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const u32 s = (c >> (4 * i)) & 15u, byte = ((s & 4u) != 0 ? b >> (8 * (s & 3u)) : a >> (8 * (s & 3u))) & 255u;
      r |= ((s & 8u) != 0 ? ((byte >> 7) != 0 ? 255u : 0u) : byte) << (8 * i);
    }
    return r;
  });
  check<u32, u32, u32, u32>("bfe.u32", [](u32 a, u32 b, u32 c) {
    const u32 place = b & 255u, n = c & 255u;
    u32 r = 0;
    for (u32 i = 0; i < 32; ++i)
      if (i < n && place + i < 32) r |= ((a >> (place + i)) & 1u) << i;
    return r;
  });
  check<s32, s32, u32, u32>("bfe.s32", [](s32 a, u32 b, u32 c) {
    const u32 place = b & 255u, n = c & 255u, last = std::min(place + n - 1, 31u);
    const u32 sign = n == 0 ? 0 : (static_cast<u32>(a) >> last) & 1u;
    u32 r = 0;
    for (u32 i = 0; i < 32; ++i) r |= (i < n && place + i < 32 ? (static_cast<u32>(a) >> (place + i)) & 1u : sign) << i;
    return static_cast<s32>(r);
  });
  check<u32, u32, u32, u32, u32>("bfi.b32", [](u32 a, u32 b, u32 c, u32 d) {
    const u32 place = c & 255u, n = d & 255u;
    for (u32 i = 0; i < 32; ++i)
      if (i < n && place + i < 32) b = (b & ~(1u << (place + i))) | ((a >> i) & 1u) << (place + i);
    return b;
  });
  check<u32, u32, u32, u32>("slct.u32.s32", [](u32 a, u32 b, u32 c) { return static_cast<s32>(c) >= 0 ? a : b; });
  check<u64, u64>("not.b64", [](u64 a) { return ~a; });
  check<u16, u16, u16>("xor.b16", [](u16 a, u16 b) { return a ^ b; });
  check<u32, u32, u32, u32>("shf.l.wrap.b32", [](u32 a, u32 b, u32 c) { return static_cast<u32>(((u64{b} << 32 | a) << (c & 31u)) >> 32); });
  check<u32, u32, u32, u32>("shf.r.clamp.b32", [](u32 a, u32 b, u32 c) { return static_cast<u32>((u64{b} << 32 | a) >> std::min(c, 32u)); });
  check<u32, u32, u32, u32>("dp4a.s32.u32", [](u32 a, u32 b, u32 c) {
    for (unsigned i = 0; i < 4; ++i) c += static_cast<u32>(static_cast<std::int8_t>(a >> (8 * i)) * static_cast<s32>((b >> (8 * i)) & 255u));
    return c;
  });
}

TEST(SimInstructions, Lop3TakesItsTableFromTheInstruction) {
  SimKernel kernel(sim_text(1, R"(
    mov.u32 %r1, 0xf0; mov.u32 %r2, 0xcc; mov.u32 %r3, 0xaa;
    lop3.b32 %r4, %r1, %r2, %r3, 0xe8;
    st.global.u32 [%rd0], %r4;
  )"));
  const sim::Address out = kernel.upload(std::vector<u32>(1));
  kernel.run({{1}, {1}}, {out});
  EXPECT_EQ(kernel.download<u32>(out, 1)[0], 0xe8u);  // these three sources spell the table itself, as PTX's reference says
}

TEST(SimInstructions, ConversionsClipAndRound) {
  check<u32, float>("cvt.rzi.u32.f32", [](float a) { return a != a || a <= 0 ? 0u : a >= 4294967296.0f ? ~0u : static_cast<u32>(a); });
  check<s32, float>("cvt.rni.s32.f32", [](float a) {
    const double r = std::nearbyint(static_cast<double>(a));
    return r != r ? 0 : r <= -2147483648.0 ? std::numeric_limits<s32>::min() : r >= 2147483647.0 ? std::numeric_limits<s32>::max() : static_cast<s32>(r);
  });
  check<float, u32>("cvt.rn.f32.u32", [](u32 a) { return static_cast<float>(a); });
  check<float, s64>("cvt.rn.f32.s64", [](s64 a) { return static_cast<float>(a); });
  check<double, float>("cvt.f64.f32", [](float a) { return static_cast<double>(a); });
  check<float, double>("cvt.rn.f32.f64", [](double a) { return static_cast<float>(a); });
  check<float, float>("cvt.rmi.f32.f32", [](float a) { return std::floor(a); });
  check<u16, float>("cvt.rn.bf16.f32", [](float a) {
    const u32 bits = std::bit_cast<u32>(a);
    return a != a ? 0x7fffu : (bits >> 16) + ((bits & 0xffffu) > 0x8000u || ((bits & 0xffffu) == 0x8000u && (bits & 0x10000u) != 0) ? 1u : 0u);
  });
  check<u32, u16>("cvt.u32.u16", [](u16 a) { return a; });
  check<s32, s16>("cvt.s32.s16", [](s16 a) { return a; });
  check<s64, s32>("cvt.s64.s32", [](s32 a) { return a; });
  check<u32, u64>("cvt.u32.u64", [](u64 a) { return a; });
  check<u32, u32>("cvt.u32.u8", [](u32 a) { return a & 255u; });
  check<s32, s32>("cvt.s8.s32", [](s32 a) { return static_cast<std::int8_t>(a); });
}

TEST(SimInstructions, ComparisonsWithNanAndCombinedPredicates) {
  std::string body = "mul.wide.u32 %rd20, %r0, 4;\nadd.u64 %rd21, %rd20, %rd0;\nld.global.f32 %f1, [%rd21];\nadd.u64 %rd21, %rd20, %rd1;\nld.global.f32 %f2, [%rd21];\nmov.u32 %r10, 0;\n";
  const std::vector<std::string> sets = {"setp.lt.f32 %p1, %f1, %f2;", "setp.geu.f32 %p1, %f1, %f2;", "setp.ne.f32 %p1, %f1, %f2;", "setp.neu.f32 %p1, %f1, %f2;", "setp.nan.f32 %p1, %f1, %f2;",
                                         "setp.eq.f32 %p2|%p3, %f1, %f2;\nsetp.gt.and.f32 %p1, %f1, %f2, %p3;", "setp.eq.f32 %p2, %f1, %f2;\nsetp.gt.or.f32 %p1, %f1, %f2, !%p2;"};
  for (unsigned i = 0; i < sets.size(); ++i) body += sets[i] + "\n@%p1 or.b32 %r10, %r10, " + std::to_string(1u << i) + ";\n";
  SimKernel kernel(sim_text(3, body + "add.u64 %rd21, %rd20, %rd2;\nst.global.u32 [%rd21], %r10;\n"));
  const auto a = awkward<float>(1), b = awkward<float>(2);
  std::vector<float> x = a, y = b;
  y[5] = x[5];
  const sim::Address out = kernel.upload(std::vector<u32>(count));
  kernel.run({{1}, {count}}, {kernel.upload(x), kernel.upload(y), out});
  const auto got = kernel.download<u32>(out, count);
  for (unsigned i = 0; i < count; ++i) {
    const bool nan = x[i] != x[i] || y[i] != y[i], equal = x[i] == y[i];
    const bool want[] = {x[i] < y[i], nan || x[i] >= y[i], !nan && !equal, !equal, nan, x[i] > y[i], x[i] > y[i] || !equal};
    for (unsigned k = 0; k < sets.size(); ++k) EXPECT_EQ((got[i] >> k) & 1u, want[k] ? 1u : 0u) << sets[k] << " " << x[i] << " " << y[i];
  }
}

TEST(SimInstructions, VectorsAreLoadedStoredPackedAndUnpacked) {
  SimKernel kernel(sim_text(2, R"(
    mul.wide.u32 %rd20, %r0, 16;
    add.u64 %rd21, %rd20, %rd0;
    ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd21];
    mov.b64 %rd30, {%r1, %r2};
    mov.b64 {%r5, %r6}, %rd30;
    mov.b32 {%h1, %h2}, %r3;
    mov.b32 %r7, {%h2, %h1};
    add.u64 %rd21, %rd20, %rd1;
    st.global.v2.u32 [%rd21], {%r6, %r5};
    st.global.v2.u32 [%rd21+8], {%r7, %r4};
  )"));
  std::vector<u32> in(count * 4);
  for (unsigned i = 0; i < in.size(); ++i) in[i] = i * 2654435761u;
  const sim::Address out = kernel.upload(std::vector<u32>(count * 4));
  kernel.run({{1}, {count}}, {kernel.upload(in), out});
  const auto got = kernel.download<u32>(out, count * 4);
  for (unsigned i = 0; i < count; ++i) {
    EXPECT_EQ(got[4 * i], in[4 * i + 1]);
    EXPECT_EQ(got[4 * i + 1], in[4 * i]);
    EXPECT_EQ(got[4 * i + 2], in[4 * i + 2] >> 16 | in[4 * i + 2] << 16);
    EXPECT_EQ(got[4 * i + 3], in[4 * i + 3]);
  }
}

TEST(SimInstructions, NarrowElementsAreWidened) {
  SimKernel kernel(sim_text(2, R"(
    cvt.u64.u32 %rd20, %r0;
    add.u64 %rd21, %rd20, %rd0;
    ld.global.u8 %r1, [%rd21];
    ld.global.s8 %r2, [%rd21];
    add.u32 %r3, %r1, %r2;
    mul.wide.u32 %rd22, %r0, 2;
    add.u64 %rd22, %rd22, %rd1;
    st.global.u16 [%rd22], %r3;
  )"));
  std::vector<std::uint8_t> in(count);
  for (unsigned i = 0; i < count; ++i) in[i] = static_cast<std::uint8_t>(i * 5);
  const sim::Address out = kernel.upload(std::vector<u16>(count));
  kernel.run({{1}, {count}}, {kernel.upload(in), out});
  const auto got = kernel.download<u16>(out, count);
  for (unsigned i = 0; i < count; ++i) EXPECT_EQ(got[i], static_cast<u16>(in[i] + static_cast<std::int8_t>(in[i])));
}

}  // namespace
}  // namespace lacuna
