#pragma OPENCL FP_CONTRACT OFF

// softmax
// softmax: 3 rows of 1000
__kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void softmax(__global const uchar* arg_input, __global uchar* arg_output) {
    __local uchar shared[1024] __attribute__((aligned(16)));
    uint r2 = (uint)get_group_id(0);
    uint r3 = (uint)get_local_id(0);
    uint r4 = r2 * 1000u;
    __global const uchar* a5 = arg_input + (ulong)r4 * 4u;
    uint r6 = r2 * 1000u;
    __global uchar* a7 = arg_output + (ulong)r6 * 4u;
    float f8 = as_float(0xFF800000u);
    uint r9 = r3;
    bool p10 = r9 < 1000u;
    if (p10) {
        for (;;) {
            __global const uchar* a11 = a5 + (ulong)r9 * 4u;
            float f12 = as_float(*(__global const uint*)(a11));
            f8 = fmax(f8, f12);
            r9 = r9 + 128u;
            bool p13 = r9 >= 1000u;
            if (p13) break;
        }
    }
    uint r14 = r3 << 2u;
    *(__local uint*)(shared + r14) = as_uint(f8);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    bool p15 = r3 < 64u;
    if (p15) {
        float f16 = as_float(*(__local const uint*)(shared + r14));
        float f17 = as_float(*(__local const uint*)(shared + r14 + 256u));
        float f18 = fmax(f16, f17);
        *(__local uint*)(shared + r14) = as_uint(f18);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    bool p19 = r3 < 32u;
    if (p19) {
        float f20 = as_float(*(__local const uint*)(shared + r14));
        float f21 = as_float(*(__local const uint*)(shared + r14 + 128u));
        float f22 = fmax(f20, f21);
        *(__local uint*)(shared + r14) = as_uint(f22);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    bool p23 = r3 < 16u;
    if (p23) {
        float f24 = as_float(*(__local const uint*)(shared + r14));
        float f25 = as_float(*(__local const uint*)(shared + r14 + 64u));
        float f26 = fmax(f24, f25);
        *(__local uint*)(shared + r14) = as_uint(f26);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    bool p27 = r3 < 8u;
    if (p27) {
        float f28 = as_float(*(__local const uint*)(shared + r14));
        float f29 = as_float(*(__local const uint*)(shared + r14 + 32u));
        float f30 = fmax(f28, f29);
        *(__local uint*)(shared + r14) = as_uint(f30);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    bool p31 = r3 < 4u;
    if (p31) {
        float f32 = as_float(*(__local const uint*)(shared + r14));
        float f33 = as_float(*(__local const uint*)(shared + r14 + 16u));
        float f34 = fmax(f32, f33);
        *(__local uint*)(shared + r14) = as_uint(f34);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    bool p35 = r3 < 2u;
    if (p35) {
        float f36 = as_float(*(__local const uint*)(shared + r14));
        float f37 = as_float(*(__local const uint*)(shared + r14 + 8u));
        float f38 = fmax(f36, f37);
        *(__local uint*)(shared + r14) = as_uint(f38);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    bool p39 = r3 < 1u;
    if (p39) {
        float f40 = as_float(*(__local const uint*)(shared + r14));
        float f41 = as_float(*(__local const uint*)(shared + r14 + 4u));
        float f42 = fmax(f40, f41);
        *(__local uint*)(shared + r14) = as_uint(f42);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    uint r44 = 0u;
    float f43 = as_float(*(__local const uint*)(shared + r44));
    float f45 = 0.0f;
    uint r46 = r3;
    bool p47 = r46 < 1000u;
    if (p47) {
        for (;;) {
            __global const uchar* a48 = a5 + (ulong)r46 * 4u;
            float f49 = as_float(*(__global const uint*)(a48));
            float f50 = f49 - f43;
            float f51 = f50 * 1.442695f;
            float f52 = exp2(f51);
            f45 = f45 + f52;
            r46 = r46 + 128u;
            bool p53 = r46 >= 1000u;
            if (p53) break;
        }
    }
    uint r54 = r3 << 2u;
    *(__local uint*)(shared + r54 + 512u) = as_uint(f45);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    bool p55 = r3 < 64u;
    if (p55) {
        float f56 = as_float(*(__local const uint*)(shared + r54 + 512u));
        float f57 = as_float(*(__local const uint*)(shared + r54 + 768u));
        float f58 = f56 + f57;
        *(__local uint*)(shared + r54 + 512u) = as_uint(f58);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    bool p59 = r3 < 32u;
    if (p59) {
        float f60 = as_float(*(__local const uint*)(shared + r54 + 512u));
        float f61 = as_float(*(__local const uint*)(shared + r54 + 640u));
        float f62 = f60 + f61;
        *(__local uint*)(shared + r54 + 512u) = as_uint(f62);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    bool p63 = r3 < 16u;
    if (p63) {
        float f64 = as_float(*(__local const uint*)(shared + r54 + 512u));
        float f65 = as_float(*(__local const uint*)(shared + r54 + 576u));
        float f66 = f64 + f65;
        *(__local uint*)(shared + r54 + 512u) = as_uint(f66);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    bool p67 = r3 < 8u;
    if (p67) {
        float f68 = as_float(*(__local const uint*)(shared + r54 + 512u));
        float f69 = as_float(*(__local const uint*)(shared + r54 + 544u));
        float f70 = f68 + f69;
        *(__local uint*)(shared + r54 + 512u) = as_uint(f70);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    bool p71 = r3 < 4u;
    if (p71) {
        float f72 = as_float(*(__local const uint*)(shared + r54 + 512u));
        float f73 = as_float(*(__local const uint*)(shared + r54 + 528u));
        float f74 = f72 + f73;
        *(__local uint*)(shared + r54 + 512u) = as_uint(f74);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    bool p75 = r3 < 2u;
    if (p75) {
        float f76 = as_float(*(__local const uint*)(shared + r54 + 512u));
        float f77 = as_float(*(__local const uint*)(shared + r54 + 520u));
        float f78 = f76 + f77;
        *(__local uint*)(shared + r54 + 512u) = as_uint(f78);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    bool p79 = r3 < 1u;
    if (p79) {
        float f80 = as_float(*(__local const uint*)(shared + r54 + 512u));
        float f81 = as_float(*(__local const uint*)(shared + r54 + 516u));
        float f82 = f80 + f81;
        *(__local uint*)(shared + r54 + 512u) = as_uint(f82);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    uint r84 = 0u;
    float f83 = as_float(*(__local const uint*)(shared + r84 + 512u));
    uint r85 = r3;
    bool p86 = r85 < 1000u;
    if (p86) {
        for (;;) {
            __global const uchar* a87 = a5 + (ulong)r85 * 4u;
            float f88 = as_float(*(__global const uint*)(a87));
            float f89 = f88 - f43;
            float f90 = f89 * 1.442695f;
            float f91 = exp2(f90);
            float f92 = f91 / f83;
            __global uchar* a93 = a7 + (ulong)r85 * 4u;
            *(__global uint*)(a93) = as_uint(f92);
            r85 = r85 + 128u;
            bool p94 = r85 >= 1000u;
            if (p94) break;
        }
    }
}
