#pragma OPENCL FP_CONTRACT OFF

// scale
// y = x * factor + y: 256 threads a block, 1 value a thread
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void scale(__global const uchar* arg_x, __global uchar* arg_y, uint arg_n, float arg_factor) {
    uint r4 = (uint)get_local_id(0);
    uint r5 = (uint)get_group_id(0);
    uint r6 = r5 * 256u + r4;
    bool p7 = r6 < arg_n;
    if (!p7) return;
    __global uchar* a8 = arg_y + (ulong)r6 * 4u;
    float f9 = as_float(*(__global const uint*)(a8));
    __global const uchar* a10 = arg_x + (ulong)r6 * 4u;
    float f11 = as_float(*(__global const uint*)(a10));
    float f12 = fma(f11, arg_factor, f9);
    *(__global uint*)(a8) = as_uint(f12);
}
