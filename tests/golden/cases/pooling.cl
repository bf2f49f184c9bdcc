#pragma OPENCL FP_CONTRACT OFF

// pooling
// pooling: average, 6 planes of 6x8, window 3x3
__kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void pooling(__global const uchar* arg_input, __global uchar* arg_output) {
    float f2 = 0.0f;
    uint r3 = (uint)get_local_id(0);
    uint r4 = (uint)get_group_id(0);
    uint r5 = r4 * 128u + r3;
    bool p6 = r5 >= 72u;
    if (p6) return;
    uint r7 = r5 / 4u;
    uint r8 = r7 / 3u;
    uint r9 = r7 * 4u;
    uint r10 = r5 - r9;
    uint r11 = r8 * 3u;
    uint r12 = r7 - r11;
    uint r13 = r12 * 2u;
    uint r14 = max(r13, 1u);
    uint r15 = r14 - 1u;
    uint r16 = r13 + 3u;
    uint r17 = min(r16, 7u);
    uint r18 = r17 - 1u;
    uint r19 = r10 * 2u;
    uint r20 = max(r19, 1u);
    uint r21 = r20 - 1u;
    uint r22 = r19 + 3u;
    uint r23 = min(r22, 9u);
    uint r24 = r23 - 1u;
    uint r25 = r8 * 80u + 16u;
    __global const uchar* a26 = arg_input + (ulong)r25 * 4u;
    uint r27 = r15;
    bool p28 = r27 < r18;
    if (p28) {
        for (;;) {
            uint r29 = r21 * 1u;
            uint r30 = r27 * 12u + r29;
            __global const uchar* a31 = a26 + (ulong)r30 * 4u;
            uint r32 = r21;
            bool p33 = r32 < r24;
            if (p33) {
                for (;;) {
                    float f34 = as_float(*(__global const uint*)(a31));
                    f2 = f2 + f34;
                    a31 = a31 + 4ul;
                    r32 = r32 + 1u;
                    bool p35 = r32 >= r24;
                    if (p35) break;
                }
            }
            r27 = r27 + 1u;
            bool p36 = r27 >= r18;
            if (p36) break;
        }
    }
    uint r37 = r24 - r21;
    uint r38 = r18 - r15;
    uint r39 = r38 * r37;
    float f40 = convert_float_rte(r39);
    f2 = f2 / f40;
    uint r41 = r5 + 0u;
    __global uchar* a42 = arg_output + (ulong)r41 * 4u;
    *(__global uint*)(a42) = as_uint(f2);
}
