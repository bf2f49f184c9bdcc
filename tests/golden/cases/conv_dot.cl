#pragma OPENCL FP_CONTRACT OFF

// conv_dot
// sparse dot: 32 rows, 6 inputs of 1x1, 4 of a thread, 8 threads of a row, identity
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void conv_dot(__global const uchar* arg_source, __global uchar* arg_output, __global const uchar* arg_rows, __global const uchar* arg_edges) {
    __local uchar shared[4096] __attribute__((aligned(16)));
    uint r4 = (uint)get_local_id(0);
    uint r5 = r4 & 31u;
    uint r6 = r4 >> 5u;
    uint r7 = (uint)get_group_id(0);
    uint r8 = r7 * 32u + r5;
    __global const uchar* a13 = arg_rows + (ulong)r8 * 16u;
    const uint4 v0 = *(__global const uint4*)(a13);
    uint r9 = v0.s0;
    uint r10 = v0.s1;
    uint r11 = v0.s2;
    uint r12 = v0.s3;
    uint r14 = (uint)get_group_id(1);
    uint r15 = r14 * 4u;
    uint r16 = min(r15, 2u);
    float f17 = 0.0f;
    float f18 = 0.0f;
    float f19 = 0.0f;
    float f20 = 0.0f;
    uint r21 = r6 * 32u + r9;
    __global const uchar* a22 = arg_edges + (ulong)r21 * 8u;
    uint r23 = r16 * 240u + 16u;
    __global const uchar* a24 = arg_source + (ulong)r23 * 4u;
    uint r25 = r6;
    bool p26 = r25 < r10;
    if (p26) {
        for (;;) {
            const uint2 v1 = *(__global const uint2*)(a22);
            uint r27 = v1.s0;
            uint r28 = v1.s1;
            float f29 = as_float(r28);
            __global const uchar* a30 = a24 + (ulong)r27 * 4u;
            float f31 = as_float(*(__global const uint*)(a30));
            f17 = fma(f31, f29, f17);
            float f32 = as_float(*(__global const uint*)(a30 + 960u));
            f18 = fma(f32, f29, f18);
            float f33 = as_float(*(__global const uint*)(a30 + 1920u));
            f19 = fma(f33, f29, f19);
            float f34 = as_float(*(__global const uint*)(a30 + 2880u));
            f20 = fma(f34, f29, f20);
            a22 = a22 + 2048ul;
            r25 = r25 + 8u;
            bool p35 = r25 >= r10;
            if (p35) break;
        }
    }
    uint r36 = r4 << 2u;
    *(__local uint*)(shared + r36) = as_uint(f17);
    *(__local uint*)(shared + r36 + 1024u) = as_uint(f18);
    *(__local uint*)(shared + r36 + 2048u) = as_uint(f19);
    *(__local uint*)(shared + r36 + 3072u) = as_uint(f20);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    bool p37 = r4 < 32u;
    if (p37) {
        float f38 = as_float(*(__local const uint*)(shared + r36 + 128u));
        f17 = f17 + f38;
        float f39 = as_float(*(__local const uint*)(shared + r36 + 1152u));
        f18 = f18 + f39;
        float f40 = as_float(*(__local const uint*)(shared + r36 + 2176u));
        f19 = f19 + f40;
        float f41 = as_float(*(__local const uint*)(shared + r36 + 3200u));
        f20 = f20 + f41;
        float f42 = as_float(*(__local const uint*)(shared + r36 + 256u));
        f17 = f17 + f42;
        float f43 = as_float(*(__local const uint*)(shared + r36 + 1280u));
        f18 = f18 + f43;
        float f44 = as_float(*(__local const uint*)(shared + r36 + 2304u));
        f19 = f19 + f44;
        float f45 = as_float(*(__local const uint*)(shared + r36 + 3328u));
        f20 = f20 + f45;
        float f46 = as_float(*(__local const uint*)(shared + r36 + 384u));
        f17 = f17 + f46;
        float f47 = as_float(*(__local const uint*)(shared + r36 + 1408u));
        f18 = f18 + f47;
        float f48 = as_float(*(__local const uint*)(shared + r36 + 2432u));
        f19 = f19 + f48;
        float f49 = as_float(*(__local const uint*)(shared + r36 + 3456u));
        f20 = f20 + f49;
        float f50 = as_float(*(__local const uint*)(shared + r36 + 512u));
        f17 = f17 + f50;
        float f51 = as_float(*(__local const uint*)(shared + r36 + 1536u));
        f18 = f18 + f51;
        float f52 = as_float(*(__local const uint*)(shared + r36 + 2560u));
        f19 = f19 + f52;
        float f53 = as_float(*(__local const uint*)(shared + r36 + 3584u));
        f20 = f20 + f53;
        float f54 = as_float(*(__local const uint*)(shared + r36 + 640u));
        f17 = f17 + f54;
        float f55 = as_float(*(__local const uint*)(shared + r36 + 1664u));
        f18 = f18 + f55;
        float f56 = as_float(*(__local const uint*)(shared + r36 + 2688u));
        f19 = f19 + f56;
        float f57 = as_float(*(__local const uint*)(shared + r36 + 3712u));
        f20 = f20 + f57;
        float f58 = as_float(*(__local const uint*)(shared + r36 + 768u));
        f17 = f17 + f58;
        float f59 = as_float(*(__local const uint*)(shared + r36 + 1792u));
        f18 = f18 + f59;
        float f60 = as_float(*(__local const uint*)(shared + r36 + 2816u));
        f19 = f19 + f60;
        float f61 = as_float(*(__local const uint*)(shared + r36 + 3840u));
        f20 = f20 + f61;
        float f62 = as_float(*(__local const uint*)(shared + r36 + 896u));
        f17 = f17 + f62;
        float f63 = as_float(*(__local const uint*)(shared + r36 + 1920u));
        f18 = f18 + f63;
        float f64 = as_float(*(__local const uint*)(shared + r36 + 2944u));
        f19 = f19 + f64;
        float f65 = as_float(*(__local const uint*)(shared + r36 + 3968u));
        f20 = f20 + f65;
    }
    bool p66 = r4 >= 32u;
    if (p66) return;
    bool p67 = r11 == 4294967295u;
    if (p67) return;
    uint r68 = r16 * 200u + 12u;
    __global uchar* a69 = arg_output + (ulong)r68 * 4u;
    float f70 = as_float(r12);
    __global uchar* a71 = a69 + (ulong)r11 * 192u;
    f17 = f17 + f70;
    *(__global uint*)(a71) = as_uint(f17);
    f18 = f18 + f70;
    *(__global uint*)(a71 + 800u) = as_uint(f18);
    f19 = f19 + f70;
    *(__global uint*)(a71 + 1600u) = as_uint(f19);
    f20 = f20 + f70;
    *(__global uint*)(a71 + 2400u) = as_uint(f20);
}
