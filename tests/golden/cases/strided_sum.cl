#pragma OPENCL FP_CONTRACT OFF

// strided_sum
// strided map: 120 elements, operation 1, relu
__kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void strided_sum(__global const uchar* arg_a, __global const uchar* arg_b, __global uchar* arg_output) {
    uint r3 = (uint)get_local_id(0);
    uint r4 = (uint)get_group_id(0);
    uint r5 = r4 * 128u + r3;
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
    __global const uchar* a16 = arg_a + (ulong)r15 * 4u;
    float f17 = as_float(*(__global const uint*)(a16));
    uint r18 = r5 + 0u;
    __global const uchar* a19 = arg_b + (ulong)r18 * 4u;
    float f20 = as_float(*(__global const uint*)(a19));
    f17 = f17 + f20;
    f17 = fmax(f17, 0.0f);
    uint r21 = r5 + 0u;
    __global uchar* a22 = arg_output + (ulong)r21 * 4u;
    *(__global uint*)(a22) = as_uint(f17);
}
