// Forcing an instruction set: the ways it can fail give different sentences.
#include "devices/cpu/isa.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include <lacuna/error.hpp>

#include "devices/cpu/cpu_info.hpp"
#include "devices/cpu/kernels.hpp"

namespace lacuna::cpu {
namespace {

TEST(Isa, TheBestIsTheDefault) {
  unsetenv("LACUNA_ISA");
  EXPECT_EQ(choose_isa(), available_isas().back());
}

TEST(Isa, TheEnvironmentForcesOneAndEmptyMeansTheBest) {
  setenv("LACUNA_ISA", "scalar", 1);
  EXPECT_EQ(choose_isa(), Isa::scalar);
  setenv("LACUNA_ISA", "", 1);
  EXPECT_EQ(choose_isa(), available_isas().back());
  unsetenv("LACUNA_ISA");
}

TEST(Isa, AnUnknownNameIsTheUsersMistake) {
  try {
    choose_isa("mmx");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "the instruction set asked for is \"mmx\"; give sse4, avx2, avx512 or scalar, or leave it empty for the best");
  }
}

TEST(Isa, OneThatTheCpuLacksIsUnsupported) {
  if (available_isas().back() == Isa::avx512) GTEST_SKIP() << "this CPU has every instruction set";
  try {
    choose_isa("avx512");
    FAIL();
  } catch (const Unsupported& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("the instruction set asked for is avx512, which this CPU does not have; it has scalar"));
  }
}

TEST(Kernels, EveryAvailableIsaHasItsOwn) {
  unsigned lanes = 0;
  for (Isa isa : available_isas()) {
    EXPECT_EQ(kernels_for(isa).isa, isa);
    EXPECT_GT(kernels_for(isa).vector_lanes, lanes);
    lanes = kernels_for(isa).vector_lanes;
  }
}

TEST(CpuInfo, ThePeakIsAPlausibleFigure) {
  const double peak = measure_peak(available_isas().back(), 1);
  EXPECT_GT(peak, 1e8);
  EXPECT_LT(peak, 1e13);
  EXPECT_GT(cpu_info().l2_bytes, 0u);
}

}  // namespace
}  // namespace lacuna::cpu
