#pragma OPENCL FP_CONTRACT OFF

// conv_table
// sparse convolution, table: 3 images of 6x8, tile 3x1, vectors of 1, clip(0,6)
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void conv_table(__global const uchar* arg_source, __global uchar* arg_output, __global const uchar* arg_rows, __global const uchar* arg_edges) {
    uint r4 = (uint)get_local_id(0);
    uint r5 = r4 & 31u;
    uint r6 = (uint)get_group_id(0);
    uint r7 = r6 * 32u + r5;
    bool p8 = r7 >= 48u;
    uint r9 = min(r7, 47u);
    uint r10 = r9 / 8u;
    uint r11 = r10 * 8u;
    uint r12 = r9 - r11;
    uint r13 = r10 / 2u;
    uint r14 = r13 * 2u;
    uint r15 = r10 - r14;
    uint r16 = r15 * 3u;
    uint r17 = min(r16, 3u);
    if (p8) return;
    uint r18 = r13 * 240u + 0u;
    uint r19 = r17 * 12u + r18;
    uint r20 = r12 + r19;
    __global const uchar* a21 = arg_source + (ulong)r20 * 4u;
    uint r22 = r13 * 200u + 12u;
    uint r23 = r17 * 8u + r22;
    uint r24 = r12 + r23;
    __global uchar* a25 = arg_output + (ulong)r24 * 4u;
    uint r26 = (uint)get_group_id(1);
    uint r27 = r26 * 4u;
    uint r28 = r27 + 4u;
    uint r29 = min(r28, 4u);
    uint r30 = r4 >> 5u;
    uint r32 = r27 + r30;
    bool p33 = r32 < r29;
    if (p33) {
        for (;;) {
            __global const uchar* a34 = arg_rows + (ulong)r32 * 16u;
            const uint4 v0 = *(__global const uint4*)(a34);
            uint r35 = v0.s0;
            uint r36 = v0.s1;
            uint r37 = v0.s2;
            uint r38 = v0.s3;
            float f39 = as_float(r38);
            float f40 = f39;
            float f41 = f39;
            float f42 = f39;
            __global const uchar* a43 = arg_edges + (ulong)r35 * 32u;
            uint r44 = r36 >> 2u;
            uint r45 = 0u;
            bool p46 = r45 < r44;
            if (p46) {
                for (;;) {
                    const uint4 v1 = *(__global const uint4*)(a43);
                    uint r47 = v1.s0;
                    uint r48 = v1.s1;
                    uint r49 = v1.s2;
                    uint r50 = v1.s3;
                    const uint4 v2 = *(__global const uint4*)(a43 + 16u);
                    float f51 = as_float(v2.s0);
                    float f52 = as_float(v2.s1);
                    float f53 = as_float(v2.s2);
                    float f54 = as_float(v2.s3);
                    a43 = a43 + 32ul;
                    __global const uchar* a55 = a21 + (ulong)r47 * 1u;
                    float f56 = as_float(*(__global const uint*)(a55));
                    float f57 = as_float(*(__global const uint*)(a55 + 48u));
                    float f58 = as_float(*(__global const uint*)(a55 + 96u));
                    __global const uchar* a59 = a21 + (ulong)r48 * 1u;
                    float f60 = as_float(*(__global const uint*)(a59));
                    float f61 = as_float(*(__global const uint*)(a59 + 48u));
                    float f62 = as_float(*(__global const uint*)(a59 + 96u));
                    __global const uchar* a63 = a21 + (ulong)r49 * 1u;
                    float f64 = as_float(*(__global const uint*)(a63));
                    float f65 = as_float(*(__global const uint*)(a63 + 48u));
                    float f66 = as_float(*(__global const uint*)(a63 + 96u));
                    __global const uchar* a67 = a21 + (ulong)r50 * 1u;
                    float f68 = as_float(*(__global const uint*)(a67));
                    float f69 = as_float(*(__global const uint*)(a67 + 48u));
                    float f70 = as_float(*(__global const uint*)(a67 + 96u));
                    f40 = fma(f56, f51, f40);
                    f41 = fma(f57, f51, f41);
                    f42 = fma(f58, f51, f42);
                    f40 = fma(f60, f52, f40);
                    f41 = fma(f61, f52, f41);
                    f42 = fma(f62, f52, f42);
                    f40 = fma(f64, f53, f40);
                    f41 = fma(f65, f53, f41);
                    f42 = fma(f66, f53, f42);
                    f40 = fma(f68, f54, f40);
                    f41 = fma(f69, f54, f41);
                    f42 = fma(f70, f54, f42);
                    r45 = r45 + 1u;
                    bool p71 = r45 >= r44;
                    if (p71) break;
                }
            }
            uint r72 = r36 & 3u;
            uint r73 = 0u;
            bool p74 = r73 < r72;
            if (p74) {
                for (;;) {
                    uint r75 = *(__global const uint*)(a43);
                    float f76 = as_float(*(__global const uint*)(a43 + 16u));
                    a43 = a43 + 4ul;
                    __global const uchar* a77 = a21 + (ulong)r75 * 1u;
                    float f78 = as_float(*(__global const uint*)(a77));
                    float f79 = as_float(*(__global const uint*)(a77 + 48u));
                    float f80 = as_float(*(__global const uint*)(a77 + 96u));
                    f40 = fma(f78, f76, f40);
                    f41 = fma(f79, f76, f41);
                    f42 = fma(f80, f76, f42);
                    r73 = r73 + 1u;
                    bool p81 = r73 >= r72;
                    if (p81) break;
                }
            }
            __global uchar* a82 = a25 + (ulong)r37 * 192u;
            f40 = fmax(f40, 0.0f);
            f40 = fmin(f40, 6.0f);
            *(__global uint*)(a82) = as_uint(f40);
            f41 = fmax(f41, 0.0f);
            f41 = fmin(f41, 6.0f);
            *(__global uint*)(a82 + 32u) = as_uint(f41);
            f42 = fmax(f42, 0.0f);
            f42 = fmin(f42, 6.0f);
            *(__global uint*)(a82 + 64u) = as_uint(f42);
            r32 = r32 + 2u;
            bool p83 = r32 >= r29;
            if (p83) break;
        }
    }
}
