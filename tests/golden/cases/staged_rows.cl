#pragma OPENCL FP_CONTRACT OFF

// The upper half, rounded to nearest, ties to even; NaN stays NaN.
ushort to_bf16(float value) {
    const uint bits = as_uint(value);
    return isnan(value) ? (ushort)0x7FFF : (ushort)((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

// staged_rows
// clip(sum of weights * staged inputs + bias, 0, 32)
// 128 rows a block, 2 inputs a thread, 512 sources staged
__kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void staged_rows(__global const uchar* arg_x, __global const uchar* arg_rows, __global uchar* arg_y, uint arg_nonzeros) {
    __local uchar shared[4096] __attribute__((aligned(16)));
    uint r4 = (uint)get_local_id(0);
    uint r5 = (uint)get_group_id(0);
    // stage the inputs
    __global const uchar* a6 = arg_x + (ulong)r4 * 8u;
    uint r7 = r4 * 8u;
    const uint2 v0 = *(__global const uint2*)(a6);
    float f8 = as_float(v0.s0);
    float f9 = as_float(v0.s1);
    *(__local uint2*)(shared + r7) = (uint2)(as_uint(f8), as_uint(f9));
    const uint2 v1 = *(__global const uint2*)(a6 + 1024u);
    float f10 = as_float(v1.s0);
    float f11 = as_float(v1.s1);
    *(__local uint2*)(shared + r7 + 1024u) = (uint2)(as_uint(f10), as_uint(f11));
    const uint2 v2 = *(__global const uint2*)(a6 + 2048u);
    float f12 = as_float(v2.s0);
    float f13 = as_float(v2.s1);
    *(__local uint2*)(shared + r7 + 2048u) = (uint2)(as_uint(f12), as_uint(f13));
    const uint2 v3 = *(__global const uint2*)(a6 + 3072u);
    float f14 = as_float(v3.s0);
    float f15 = as_float(v3.s1);
    *(__local uint2*)(shared + r7 + 3072u) = (uint2)(as_uint(f14), as_uint(f15));
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    // one position and weight after the other, those of all rows side by side
    uint r16 = r5 * 128u + r4;
    __global const uchar* a17 = arg_rows + (ulong)r16 * 2u;
    __global const uchar* a18 = arg_rows + (ulong)r16 * 4u;
    __global const uchar* a19 = a18 + (ulong)arg_nonzeros * 256u;
    float f20 = 0.5f;
    float f21 = 0.5f;
    uint r22 = 0u;
    bool p23 = r22 < arg_nonzeros;
    if (p23) {
        for (;;) {
            uint r24 = *(__global const ushort*)(a17);
            uint r27 = r24 << 3u;
            const uint2 v4 = *(__local const uint2*)(shared + r27);
            float f25 = as_float(v4.s0);
            float f26 = as_float(v4.s1);
            float f28 = as_float(*(__global const uint*)(a19));
            f20 = fma(f25, f28, f20);
            f21 = fma(f26, f28, f21);
            a17 = a17 + 256ul;
            a19 = a19 + 512ul;
            r22 = r22 + 1u;
            bool p29 = r22 >= arg_nonzeros;
            if (p29) break;
        }
    }
    float f30 = fmax(f20, 0.0f);
    f20 = fmin(f30, 32.0f);
    float f32 = fmax(f21, 0.0f);
    f21 = fmin(f32, 32.0f);
    __global uchar* a34 = arg_y + (ulong)r16 * 4u;
    vstore_half2_rte((float2)(f20, f21), 0, (__global half*)(a34));
    bool p35 = f20 == 0.0f;
    if (p35) {
        __global uchar* a36 = a34 + 1048576ul;
        *(__global ushort*)(a36) = to_bf16(f21);
    } else {
        uint r37 = (uint)get_num_groups(0);
        __global uchar* a38 = a34 + 2097152ul;
        *(__global uchar4*)(a38) = (uchar4)((uchar)1u, (uchar)0u, (uchar)r37, (uchar)r4);
    }
}
