#pragma OPENCL FP_CONTRACT OFF

// bins
// counts of 16-bit values in 64 KiB of bins
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void bins(__global const uchar* arg_values, __global uchar* arg_counts, uint arg_n) {
    __local uchar shared[65536] __attribute__((aligned(16)));
    uint r3 = (uint)get_local_id(0);
    uint r4 = r3;
    bool p5 = r4 < 16384u;
    if (p5) {
        for (;;) {
            uint r6 = r4 * 4u;
            *(__local uint*)(shared + r6) = 0u;
            r4 = r4 + 64u;
            bool p7 = r4 >= 16384u;
            if (p7) break;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    uint r8 = r3;
    bool p9 = r8 < arg_n;
    if (p9) {
        for (;;) {
            __global const uchar* a11 = arg_values + (ulong)r8 * 2u;
            uint r10 = *(__global const ushort*)(a11);
            uint r12 = r10 & 16383u;
            uint r13 = r12 * 4u;
            uint r14 = atomic_add((__local volatile uint*)(shared + r13), 1u);
            r8 = r8 + 64u;
            bool p15 = r8 >= arg_n;
            if (p15) break;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    uint r16 = r3;
    bool p17 = r16 < 16384u;
    if (p17) {
        for (;;) {
            uint r19 = r16 * 4u;
            uint r18 = *(__local const uint*)(shared + r19);
            bool p20 = r18 != 0u;
            if (p20) {
                __global uchar* a21 = arg_counts + (ulong)r16 * 4u;
                uint r22 = atomic_add((__global volatile uint*)(a21), r18);
            }
            r16 = r16 + 64u;
            bool p23 = r16 >= 16384u;
            if (p23) break;
        }
    }
}
