#pragma OPENCL FP_CONTRACT OFF

// rows_to_columns
// rows of a batch to columns of tiles
__kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void rows_to_columns(__global const uchar* arg_rows, __global uchar* arg_columns, uint arg_inputs, uint arg_tiles, uint arg_width, uint arg_first, uint arg_all_columns, uint arg_first_step) {
    uint r8 = (uint)get_local_id(0);
    uint r9 = (uint)get_group_id(1);
    uint r10 = arg_first_step + r9;
    uint r11 = (uint)get_group_id(0);
    uint r12 = r11 * 128u + r8;
    uint r13 = r12 >> 5u;
    uint r14 = r8 & 31u;
    bool p15 = r12 < arg_inputs;
    uint r16 = r10 * arg_inputs + r12;
    uint r17 = r16 * arg_width;
    __global const uchar* a18 = arg_rows + (ulong)r17 * 4u;
    uint r19 = r10 * arg_tiles + r13;
    uint r20 = r19 * arg_all_columns + arg_first;
    __global uchar* a21 = arg_columns + (ulong)r20 * 128u;
    __global uchar* a22 = a21 + (ulong)r14 * 4u;
    bool p23 = r13 < arg_tiles;
    if (p23) {
        uint r24 = 0u;
        bool p25 = r24 < arg_width;
        if (p25) {
            for (;;) {
                float f26 = 0.0f;
                if (p15) {
                    __global const uchar* a27 = a18 + (ulong)r24 * 4u;
                    f26 = as_float(*(__global const uint*)(a27));
                }
                __global uchar* a28 = a22 + (ulong)r24 * 128u;
                *(__global uint*)(a28) = as_uint(f26);
                r24 = r24 + 1u;
                bool p29 = r24 >= arg_width;
                if (p29) break;
            }
        }
    }
}
