#pragma OPENCL FP_CONTRACT OFF

// graph_whole_forward_i4_w4_shared64
// neuron graph, feed forward: 4 inputs a thread, 4 warps, 1 functions, state of 64 planes in shared memory
__kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void graph_whole_forward_i4_w4_shared64(__global const uchar* arg_members, __global const uchar* arg_records, __global const uchar* arg_extras, __global const uchar* arg_quads, __global const uchar* arg_functions, __global const uchar* arg_levels, __global const uchar* arg_outputs, __global const uchar* arg_columns, __global uchar* arg_results, __global uchar* arg_kept, __global uchar* arg_arena, uint arg_first_member, uint arg_inputs, uint arg_tiles, uint arg_all_columns, uint arg_steps, uint arg_keeps, uint arg_first_block, uint arg_all_blocks, uint arg_step, uint arg_first, uint arg_end, uint arg_flip) {
    __local uchar shared[32768] __attribute__((aligned(16)));
    float f85;
    float f86;
    float f87;
    float f88;
    uint r23 = (uint)get_local_id(0);
    uint r24 = r23 & 31u;
    uint r25 = r23 >> 5u;
    uint r26 = (uint)get_group_id(0);
    uint r27 = (uint)get_group_id(1);
    uint r28 = arg_first_member + r26;
    __global const uchar* a29 = arg_members + (ulong)r28 * 48u;
    const uint4 v0 = *(__global const uint4*)(a29);
    uint r30 = v0.s0;
    uint r31 = v0.s1;
    uint r32 = v0.s2;
    uint r33 = v0.s3;
    const uint4 v1 = *(__global const uint4*)(a29 + 16u);
    uint r34 = v1.s0;
    uint r35 = v1.s1;
    uint r36 = v1.s2;
    uint r37 = v1.s3;
    const uint4 v2 = *(__global const uint4*)(a29 + 32u);
    uint r38 = v2.s0;
    uint r39 = v2.s1;
    uint r40 = v2.s2;
    uint r41 = v2.s3;
    uint r42 = r33 + r34;
    uint r43 = r24 * 16u;
    uint r44 = 0u;
    bool p45 = r44 < arg_steps;
    if (p45) {
        for (;;) {
            // inputs
            uint r46 = r27 * 4u;
            uint r47 = r44 * arg_tiles + r46;
            uint r48 = r47 * arg_all_columns + r39;
            __global const uchar* a49 = arg_columns + (ulong)r48 * 128u;
            __global const uchar* a50 = a49 + (ulong)r24 * 4u;
            __global const uchar* a51 = a50 + (ulong)arg_all_columns * 128u;
            __global const uchar* a52 = a51 + (ulong)arg_all_columns * 128u;
            __global const uchar* a53 = a52 + (ulong)arg_all_columns * 128u;
            uint r55 = 0u + r25;
            bool p56 = r55 < r33;
            if (p56) {
                for (;;) {
                    __global const uchar* a57 = a50 + (ulong)r55 * 128u;
                    float f58 = as_float(*(__global const uint*)(a57));
                    __global const uchar* a59 = a51 + (ulong)r55 * 128u;
                    float f60 = as_float(*(__global const uint*)(a59));
                    __global const uchar* a61 = a52 + (ulong)r55 * 128u;
                    float f62 = as_float(*(__global const uint*)(a61));
                    __global const uchar* a63 = a53 + (ulong)r55 * 128u;
                    float f64 = as_float(*(__global const uint*)(a63));
                    uint r65 = r55 * 512u + r43;
                    *(__local uint4*)(shared + r65) = (uint4)(as_uint(f58), as_uint(f60), as_uint(f62), as_uint(f64));
                    r55 = r55 + 4u;
                    bool p66 = r55 >= r33;
                    if (p66) break;
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
            // rows
            __global const uchar* a67 = arg_levels + (ulong)r31 * 4u;
            uint r68 = 0u;
            uint r69 = 0u;
            bool p70 = r69 < r32;
            if (p70) {
                for (;;) {
                    uint r71 = *(__global const uint*)(a67 + 4u);
                    uint r72 = r68 + r25;
                    uint r73 = r30 + r72;
                    uint r74 = r33 + r72;
                    __global const uchar* a75 = arg_records + (ulong)r73 * 16u;
                    uint r76 = r74 * 512u + r43;
                    uint r77 = r72;
                    bool p78 = r77 < r71;
                    if (p78) {
                        for (;;) {
                            const uint4 v3 = *(__global const uint4*)(a75);
                            uint r79 = v3.s0;
                            uint r80 = v3.s1;
                            uint r81 = v3.s2;
                            uint r82 = v3.s3;
                            __global const uchar* a83 = arg_quads + (ulong)r79 * 32u;
                            float f84 = as_float(r82);
                            bool p89 = r81 < 196608u;
                            if (p89) {
                                bool p90 = r81 < 131072u;
                                if (p90) {
                                    uint r91 = *(__global const uint*)(a83);
                                    float f92 = as_float(*(__global const uint*)(a83 + 16u));
                                    uint r93 = r91 * 512u + r43;
                                    const uint4 v4 = *(__local const uint4*)(shared + r93);
                                    float f94 = as_float(v4.s0);
                                    float f95 = as_float(v4.s1);
                                    float f96 = as_float(v4.s2);
                                    float f97 = as_float(v4.s3);
                                    f85 = fma(f92, f94, f84);
                                    f86 = fma(f92, f95, f84);
                                    f87 = fma(f92, f96, f84);
                                    f88 = fma(f92, f97, f84);
                                } else {
                                    const uint2 v5 = *(__global const uint2*)(a83);
                                    uint r98 = v5.s0;
                                    uint r100 = v5.s1;
                                    const uint2 v6 = *(__global const uint2*)(a83 + 16u);
                                    float f99 = as_float(v6.s0);
                                    float f101 = as_float(v6.s1);
                                    uint r102 = r98 * 512u + r43;
                                    const uint4 v7 = *(__local const uint4*)(shared + r102);
                                    float f103 = as_float(v7.s0);
                                    float f104 = as_float(v7.s1);
                                    float f105 = as_float(v7.s2);
                                    float f106 = as_float(v7.s3);
                                    uint r107 = r100 * 512u + r43;
                                    const uint4 v8 = *(__local const uint4*)(shared + r107);
                                    float f108 = as_float(v8.s0);
                                    float f109 = as_float(v8.s1);
                                    float f110 = as_float(v8.s2);
                                    float f111 = as_float(v8.s3);
                                    f85 = fma(f99, f103, f84);
                                    f86 = fma(f99, f104, f84);
                                    f87 = fma(f99, f105, f84);
                                    f88 = fma(f99, f106, f84);
                                    f85 = fma(f101, f108, f85);
                                    f86 = fma(f101, f109, f86);
                                    f87 = fma(f101, f110, f87);
                                    f88 = fma(f101, f111, f88);
                                }
                            } else {
                                bool p112 = r81 < 262144u;
                                if (p112) {
                                    const uint4 v9 = *(__global const uint4*)(a83);
                                    uint r113 = v9.s0;
                                    uint r115 = v9.s1;
                                    uint r117 = v9.s2;
                                    uint r119 = v9.s3;
                                    const uint4 v10 = *(__global const uint4*)(a83 + 16u);
                                    float f114 = as_float(v10.s0);
                                    float f116 = as_float(v10.s1);
                                    float f118 = as_float(v10.s2);
                                    float f120 = as_float(v10.s3);
                                    uint r121 = r113 * 512u + r43;
                                    const uint4 v11 = *(__local const uint4*)(shared + r121);
                                    float f122 = as_float(v11.s0);
                                    float f123 = as_float(v11.s1);
                                    float f124 = as_float(v11.s2);
                                    float f125 = as_float(v11.s3);
                                    uint r126 = r115 * 512u + r43;
                                    const uint4 v12 = *(__local const uint4*)(shared + r126);
                                    float f127 = as_float(v12.s0);
                                    float f128 = as_float(v12.s1);
                                    float f129 = as_float(v12.s2);
                                    float f130 = as_float(v12.s3);
                                    uint r131 = r117 * 512u + r43;
                                    const uint4 v13 = *(__local const uint4*)(shared + r131);
                                    float f132 = as_float(v13.s0);
                                    float f133 = as_float(v13.s1);
                                    float f134 = as_float(v13.s2);
                                    float f135 = as_float(v13.s3);
                                    f85 = fma(f114, f122, f84);
                                    f86 = fma(f114, f123, f84);
                                    f87 = fma(f114, f124, f84);
                                    f88 = fma(f114, f125, f84);
                                    f85 = fma(f116, f127, f85);
                                    f86 = fma(f116, f128, f86);
                                    f87 = fma(f116, f129, f87);
                                    f88 = fma(f116, f130, f88);
                                    f85 = fma(f118, f132, f85);
                                    f86 = fma(f118, f133, f86);
                                    f87 = fma(f118, f134, f87);
                                    f88 = fma(f118, f135, f88);
                                } else {
                                    const uint4 v14 = *(__global const uint4*)(a83);
                                    uint r136 = v14.s0;
                                    uint r138 = v14.s1;
                                    uint r140 = v14.s2;
                                    uint r142 = v14.s3;
                                    const uint4 v15 = *(__global const uint4*)(a83 + 16u);
                                    float f137 = as_float(v15.s0);
                                    float f139 = as_float(v15.s1);
                                    float f141 = as_float(v15.s2);
                                    float f143 = as_float(v15.s3);
                                    uint r144 = r136 * 512u + r43;
                                    const uint4 v16 = *(__local const uint4*)(shared + r144);
                                    float f145 = as_float(v16.s0);
                                    float f146 = as_float(v16.s1);
                                    float f147 = as_float(v16.s2);
                                    float f148 = as_float(v16.s3);
                                    uint r149 = r138 * 512u + r43;
                                    const uint4 v17 = *(__local const uint4*)(shared + r149);
                                    float f150 = as_float(v17.s0);
                                    float f151 = as_float(v17.s1);
                                    float f152 = as_float(v17.s2);
                                    float f153 = as_float(v17.s3);
                                    uint r154 = r140 * 512u + r43;
                                    const uint4 v18 = *(__local const uint4*)(shared + r154);
                                    float f155 = as_float(v18.s0);
                                    float f156 = as_float(v18.s1);
                                    float f157 = as_float(v18.s2);
                                    float f158 = as_float(v18.s3);
                                    uint r159 = r142 * 512u + r43;
                                    const uint4 v19 = *(__local const uint4*)(shared + r159);
                                    float f160 = as_float(v19.s0);
                                    float f161 = as_float(v19.s1);
                                    float f162 = as_float(v19.s2);
                                    float f163 = as_float(v19.s3);
                                    f85 = fma(f137, f145, f84);
                                    f86 = fma(f137, f146, f84);
                                    f87 = fma(f137, f147, f84);
                                    f88 = fma(f137, f148, f84);
                                    f85 = fma(f139, f150, f85);
                                    f86 = fma(f139, f151, f86);
                                    f87 = fma(f139, f152, f87);
                                    f88 = fma(f139, f153, f88);
                                    f85 = fma(f141, f155, f85);
                                    f86 = fma(f141, f156, f86);
                                    f87 = fma(f141, f157, f87);
                                    f88 = fma(f141, f158, f88);
                                    f85 = fma(f143, f160, f85);
                                    f86 = fma(f143, f161, f86);
                                    f87 = fma(f143, f162, f87);
                                    f88 = fma(f143, f163, f88);
                                }
                            }
                            bool p164 = r80 != 0u;
                            if (p164) {
                                for (;;) {
                                    a83 = a83 + 32ul;
                                    const uint4 v20 = *(__global const uint4*)(a83);
                                    uint r165 = v20.s0;
                                    uint r167 = v20.s1;
                                    uint r169 = v20.s2;
                                    uint r171 = v20.s3;
                                    const uint4 v21 = *(__global const uint4*)(a83 + 16u);
                                    float f166 = as_float(v21.s0);
                                    float f168 = as_float(v21.s1);
                                    float f170 = as_float(v21.s2);
                                    float f172 = as_float(v21.s3);
                                    uint r173 = r165 * 512u + r43;
                                    const uint4 v22 = *(__local const uint4*)(shared + r173);
                                    float f174 = as_float(v22.s0);
                                    float f175 = as_float(v22.s1);
                                    float f176 = as_float(v22.s2);
                                    float f177 = as_float(v22.s3);
                                    uint r178 = r167 * 512u + r43;
                                    const uint4 v23 = *(__local const uint4*)(shared + r178);
                                    float f179 = as_float(v23.s0);
                                    float f180 = as_float(v23.s1);
                                    float f181 = as_float(v23.s2);
                                    float f182 = as_float(v23.s3);
                                    uint r183 = r169 * 512u + r43;
                                    const uint4 v24 = *(__local const uint4*)(shared + r183);
                                    float f184 = as_float(v24.s0);
                                    float f185 = as_float(v24.s1);
                                    float f186 = as_float(v24.s2);
                                    float f187 = as_float(v24.s3);
                                    uint r188 = r171 * 512u + r43;
                                    const uint4 v25 = *(__local const uint4*)(shared + r188);
                                    float f189 = as_float(v25.s0);
                                    float f190 = as_float(v25.s1);
                                    float f191 = as_float(v25.s2);
                                    float f192 = as_float(v25.s3);
                                    f85 = fma(f166, f174, f85);
                                    f86 = fma(f166, f175, f86);
                                    f87 = fma(f166, f176, f87);
                                    f88 = fma(f166, f177, f88);
                                    f85 = fma(f168, f179, f85);
                                    f86 = fma(f168, f180, f86);
                                    f87 = fma(f168, f181, f87);
                                    f88 = fma(f168, f182, f88);
                                    f85 = fma(f170, f184, f85);
                                    f86 = fma(f170, f185, f86);
                                    f87 = fma(f170, f186, f87);
                                    f88 = fma(f170, f187, f88);
                                    f85 = fma(f172, f189, f85);
                                    f86 = fma(f172, f190, f86);
                                    f87 = fma(f172, f191, f87);
                                    f88 = fma(f172, f192, f88);
                                    r80 = r80 - 1u;
                                    bool p193 = r80 == 0u;
                                    if (p193) break;
                                }
                            }
                            float f194 = exp2(f85);
                            float f195 = f194 + 1.0f;
                            float f196 = 1.0f / f195;
                            float f197 = exp2(f86);
                            float f198 = f197 + 1.0f;
                            float f199 = 1.0f / f198;
                            float f200 = exp2(f87);
                            float f201 = f200 + 1.0f;
                            float f202 = 1.0f / f201;
                            float f203 = exp2(f88);
                            float f204 = f203 + 1.0f;
                            float f205 = 1.0f / f204;
                            *(__local uint4*)(shared + r76) = (uint4)(as_uint(f196), as_uint(f199), as_uint(f202), as_uint(f205));
                            a75 = a75 + 64ul;
                            r76 = r76 + 2048u;
                            r77 = r77 + 4u;
                            bool p206 = r77 >= r71;
                            if (p206) break;
                        }
                    }
                    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
                    r68 = r71;
                    a67 = a67 + 4ul;
                    r69 = r69 + 1u;
                    bool p207 = r69 >= r32;
                    if (p207) break;
                }
            }
            // outputs
            uint r208 = r27 * 128u + r24;
            uint r209 = arg_steps * arg_inputs;
            uint r210 = r35 * r209;
            uint r211 = r44 * arg_inputs + r208;
            uint r212 = r211 * r36 + r210;
            uint r214 = 0u + r25;
            bool p215 = r214 < r36;
            if (p215) {
                for (;;) {
                    uint r216 = r35 + r214;
                    __global const uchar* a217 = arg_outputs + (ulong)r216 * 4u;
                    uint r218 = *(__global const uint*)(a217);
                    uint r219 = r218 * 512u + r43;
                    const uint4 v26 = *(__local const uint4*)(shared + r219);
                    float f220 = as_float(v26.s0);
                    float f221 = as_float(v26.s1);
                    float f222 = as_float(v26.s2);
                    float f223 = as_float(v26.s3);
                    __global uchar* a224 = arg_results + (ulong)r212 * 4u;
                    __global uchar* a225 = a224 + (ulong)r214 * 4u;
                    uint r226 = r208 + 0u;
                    bool p227 = r226 < arg_inputs;
                    if (p227) {
                        __global uchar* a228 = a225 + (ulong)r36 * 0u;
                        *(__global uint*)(a228) = as_uint(f220);
                    }
                    uint r229 = r208 + 32u;
                    bool p230 = r229 < arg_inputs;
                    if (p230) {
                        __global uchar* a231 = a225 + (ulong)r36 * 128u;
                        *(__global uint*)(a231) = as_uint(f221);
                    }
                    uint r232 = r208 + 64u;
                    bool p233 = r232 < arg_inputs;
                    if (p233) {
                        __global uchar* a234 = a225 + (ulong)r36 * 256u;
                        *(__global uint*)(a234) = as_uint(f222);
                    }
                    uint r235 = r208 + 96u;
                    bool p236 = r235 < arg_inputs;
                    if (p236) {
                        __global uchar* a237 = a225 + (ulong)r36 * 384u;
                        *(__global uint*)(a237) = as_uint(f223);
                    }
                    r214 = r214 + 4u;
                    bool p238 = r214 >= r36;
                    if (p238) break;
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
            r44 = r44 + 1u;
            bool p239 = r44 >= arg_steps;
            if (p239) break;
        }
    }
}
