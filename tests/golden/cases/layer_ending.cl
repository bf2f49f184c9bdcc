#pragma OPENCL FP_CONTRACT OFF

// layer_ending
// layer ending: 120 elements, bias, skip, clip(0,6)
__kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void layer_ending(__global uchar* arg_output, __global const uchar* arg_bias, __global const uchar* arg_skip) {
    uint r3 = (uint)get_group_id(0);
    uint r4 = (uint)get_local_id(0);
    uint r5 = r3 * 128u + r4;
    bool p6 = r5 >= 120u;
    if (p6) return;
    uint r7 = r5 / 5u;
    uint r8 = r7 * 5u;
    uint r9 = r5 - r8;
    uint r10 = r9 + 16u;
    uint r11 = r7 / 4u;
    uint r12 = r11 * 4u;
    uint r13 = r7 - r12;
    uint r14 = r13 * 12u + r10;
    uint r15 = r11 * 80u + r14;
    __global uchar* a16 = arg_output + (ulong)r15 * 4u;
    float f17 = as_float(*(__global const uint*)(a16));
    uint r18 = r5 / 20u;
    uint r19 = r18 / 3u;
    uint r20 = r19 * 3u;
    uint r21 = r18 - r20;
    uint r22 = r21 + 0u;
    __global const uchar* a23 = arg_bias + (ulong)r22 * 4u;
    float f24 = as_float(*(__global const uint*)(a23));
    f17 = f17 + f24;
    uint r25 = r5 + 0u;
    __global const uchar* a26 = arg_skip + (ulong)r25 * 4u;
    float f27 = as_float(*(__global const uint*)(a26));
    f17 = f17 + f27;
    f17 = fmax(f17, 0.0f);
    f17 = fmin(f17, 6.0f);
    *(__global uint*)(a16) = as_uint(f17);
}
