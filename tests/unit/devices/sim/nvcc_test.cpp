// CUDA C that nvcc turned into PTX, where there is an nvcc: code that nobody here wrote for the simulator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/sim_kernel.hpp"
#include "support/temp_folder.hpp"

namespace lacuna {
namespace {

using tests::SimKernel;
using u32 = std::uint32_t;

std::string nvcc() {
  for (const char* path : {"/usr/local/cuda/bin/nvcc", "/usr/bin/nvcc"})
    if (std::filesystem::exists(path)) return path;
  return "";
}

/// The PTX of CUDA C.
std::string compile(const std::string& source) {
  const tests::TempFolder folder;
  const std::filesystem::path file = folder.path() / "kernel.cu", ptx = folder.path() / "kernel.ptx";
  std::ofstream(file) << source;
  if (std::system((nvcc() + " -ptx -arch=sm_75 -o " + ptx.string() + " " + file.string() + " > " + (folder.path() / "log").string() + " 2>&1").c_str()) != 0) return "";
  std::stringstream text;
  text << std::ifstream(ptx).rdbuf();
  return text.str();
}

TEST(SimNvcc, ReductionInSharedMemoryWithShuffles) {
  if (nvcc().empty()) GTEST_SKIP() << "no nvcc here";
  SimKernel kernel(compile(R"(
extern "C" __global__ void sum(const float* x, float* out, int n) {
  __shared__ float parts[8];
  float total = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) total += x[i];
  for (int d = 16; d > 0; d /= 2) total += __shfl_down_sync(~0u, total, d);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = total;
  __syncthreads();
  if (threadIdx.x == 0) {
    float all = 0;
    for (int i = 0; i < 8; ++i) all += parts[i];
    atomicAdd(out, all);
  }
})"));
  const std::vector<float> x(10007, 1.0f);
  const sim::Address out = kernel.upload(std::vector<float>{0});
  kernel.run({{5}, {256}}, {kernel.upload(x), out}, {10007});
  EXPECT_EQ(kernel.download<float>(out, 1)[0], 10007.0f);
}

TEST(SimNvcc, TiledProductOfMatrices) {
  if (nvcc().empty()) GTEST_SKIP() << "no nvcc here";
  SimKernel kernel(compile(R"(
extern "C" __global__ void product(const float* a, const float* b, float* c, int n) {
  __shared__ float s[16][17], t[16][17];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    s[y][x] = row < n && k + x < n ? a[row * n + k + x] : 0;
    t[y][x] = column < n && k + y < n ? b[(k + y) * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum = fmaf(s[y][i], t[i][x], sum);
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
})"));
  constexpr u32 n = 50;
  std::vector<float> a(n * n), b(n * n);
  for (u32 i = 0; i < n * n; ++i) a[i] = static_cast<float>(i % 7) - 3, b[i] = static_cast<float>(i % 5) - 2;
  const sim::Address c = kernel.upload(std::vector<float>(n * n));
  kernel.run({{4, 4}, {16, 16}}, {kernel.upload(a), kernel.upload(b), c}, {n});
  const auto got = kernel.download<float>(c, n * n);
  for (u32 i = 0; i < n; ++i)
    for (u32 j = 0; j < n; ++j) {
      float sum = 0;
      for (u32 k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      EXPECT_EQ(got[i * n + j], sum);
    }
}

TEST(SimNvcc, FunctionsHalvesAndDivergence) {
  if (nvcc().empty()) GTEST_SKIP() << "no nvcc here";
  SimKernel kernel(compile(R"(
#include <cuda_fp16.h>
extern "C" __global__ void mixed(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  int steps = 0;
  unsigned c = (unsigned)i + 1;
  while (c != 1) { c = c % 2 ? 3 * c + 1 : c / 2; ++steps; }
  __half2 h = __floats2half2_rn(v, v * 0.5f);
  h = __hfma2(h, h, __float2half2_rn(1.0f));
  float2 back = __half22float2(h);
  switch (i % 4) {
    case 0: v = expf(-fabsf(v)); break;
    case 1: v = tanhf(v); break;
    case 2: v = sqrtf(fabsf(v)) / (1.0f + v * v); break;
    default: v = floorf(v) + __popc(i);
  }
  y[i] = v + steps + back.x * 0.0f + (back.y > 1.0f ? 100.0f : 0.0f);
})"));
  constexpr u32 n = 300;
  std::vector<float> x(n);
  for (u32 i = 0; i < n; ++i) x[i] = static_cast<float>(static_cast<int>(i) - 150) / 17;
  const sim::Address y = kernel.upload(std::vector<float>(n));
  kernel.run({{3}, {128}}, {kernel.upload(x), y}, {n});
  const auto got = kernel.download<float>(y, n);
  for (u32 i = 0; i < n; ++i) {
    float v = x[i];
    int steps = 0;
    for (u32 c = i + 1; c != 1; c = c % 2 != 0 ? 3 * c + 1 : c / 2) ++steps;
    const bool is_above = std::abs(v * 0.5f) > 0.03f;  // half has 11 bits: 1 + h * h is above 1 from about here
    if (std::abs(std::abs(v * 0.5f) - 0.022f) < 0.01f) continue;
    const float f = i % 4 == 0 ? std::exp(-std::fabs(v)) : i % 4 == 1 ? std::tanh(v) : i % 4 == 2 ? std::sqrt(std::fabs(v)) / (1 + v * v) : std::floor(v) + static_cast<float>(std::popcount(i));
    EXPECT_NEAR(got[i], f + static_cast<float>(steps) + (is_above ? 100.0f : 0.0f), 1e-4) << i << " " << v;
  }
}

}  // namespace
}  // namespace lacuna
