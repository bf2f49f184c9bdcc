// PTX written by hand for tests of devices: small kernels of blocks of 64 threads.
#pragma once

#include <string>

#include "devices/gpu/device.hpp"

namespace lacuna::tests {

/// scale_and_add(values, sums, count, factor, step): sums[i] += values[i] * factor + step for i < count.
inline const std::string scale_and_add_text = R"(.version 6.0
.target sm_70
.address_size 64

.visible .entry scale_and_add(
  .param .u64 values,
  .param .u64 sums,
  .param .u32 count,
  .param .f32 factor,
  .param .u32 step
)
.reqntid 64, 1, 1
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .f32 %f<8>;
  .reg .b64 %rd<6>;

  ld.param.u64 %rd1, [values];
  ld.param.u64 %rd2, [sums];
  ld.param.u32 %r1, [count];
  ld.param.f32 %f1, [factor];
  ld.param.u32 %r2, [step];
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %ctaid.x;
  mad.lo.u32 %r5, %r4, 64, %r3;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra END;
  mul.wide.u32 %rd3, %r5, 4;
  add.u64 %rd4, %rd1, %rd3;
  add.u64 %rd5, %rd2, %rd3;
  ld.global.f32 %f2, [%rd4];
  ld.global.f32 %f3, [%rd5];
  cvt.rn.f32.u32 %f4, %r2;
  fma.rn.f32 %f5, %f2, %f1, %f4;
  add.rn.f32 %f6, %f3, %f5;
  st.global.f32 [%rd5], %f6;
END:
  ret;
}
)";
inline const gpu::KernelInfo scale_and_add{"scale_and_add", 64, 0};

/// reverse_block(values): turns round the 64 numbers of each block (blocks_x by blocks_y of them), through `bytes` of shared memory at their very end.
inline std::string reverse_block_text(unsigned bytes) {
  const bool is_dynamic = bytes > (48u << 10);
  const std::string at_end = std::to_string(bytes - 64 * 4);
  return std::string(".version 6.0\n.target sm_70\n.address_size 64\n") +
         (is_dynamic ? ".extern .shared .align 16 .b8 room[];\n" : "") + ".visible .entry reverse_block(.param .u64 values)\n.reqntid 64, 1, 1\n{\n" +
         (is_dynamic ? "" : "  .shared .align 16 .b8 room[" + std::to_string(bytes) + "];\n") + R"(  .reg .b32 %r<14>;
  .reg .b64 %rd<6>;

  ld.param.u64 %rd1, [values];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ctaid.y;
  mov.u32 %r4, %nctaid.x;
  mad.lo.u32 %r5, %r3, %r4, %r2;
  mad.lo.u32 %r6, %r5, 64, %r1;
  mul.wide.u32 %rd2, %r6, 4;
  add.u64 %rd3, %rd1, %rd2;
  ld.global.u32 %r7, [%rd3];
  mov.u32 %r8, room;
  shl.b32 %r9, %r1, 2;
  add.u32 %r10, %r8, %r9;
  st.shared.u32 [%r10+)" + at_end + R"(], %r7;
  bar.sync 0;
  sub.u32 %r11, 252, %r9;
  add.u32 %r12, %r8, %r11;
  ld.shared.u32 %r13, [%r12+)" + at_end + R"(];
  st.global.u32 [%rd3], %r13;
  ret;
}
)";
}
inline gpu::KernelInfo reverse_block(unsigned bytes) { return {"reverse_block", 64, bytes}; }

}  // namespace lacuna::tests
