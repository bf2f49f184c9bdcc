#pragma OPENCL FP_CONTRACT OFF

// graph_whole_continuous_i1_w1_shared64
// neuron graph, continuous: 1 inputs a thread, 1 warps, 2 functions, state of 64 planes in shared memory
__kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void graph_whole_continuous_i1_w1_shared64(__global const uchar* arg_members, __global const uchar* arg_records, __global const uchar* arg_extras, __global const uchar* arg_quads, __global const uchar* arg_functions, __global const uchar* arg_levels, __global const uchar* arg_outputs, __global const uchar* arg_columns, __global uchar* arg_results, __global uchar* arg_kept, __global uchar* arg_arena, uint arg_first_member, uint arg_inputs, uint arg_tiles, uint arg_all_columns, uint arg_steps, uint arg_keeps, uint arg_first_block, uint arg_all_blocks, uint arg_step, uint arg_first, uint arg_end, uint arg_flip) {
    __local uchar shared[16384] __attribute__((aligned(16)));
    float f91;
    uint r23 = (uint)get_local_id(0);
    uint r24 = 0u;
    uint r25 = (uint)get_group_id(0);
    uint r26 = (uint)get_group_id(1);
    uint r27 = arg_first_member + r25;
    __global const uchar* a28 = arg_members + (ulong)r27 * 48u;
    const uint4 v0 = *(__global const uint4*)(a28);
    uint r29 = v0.s0;
    uint r30 = v0.s1;
    uint r31 = v0.s2;
    uint r32 = v0.s3;
    const uint4 v1 = *(__global const uint4*)(a28 + 16u);
    uint r33 = v1.s0;
    uint r34 = v1.s1;
    uint r35 = v1.s2;
    uint r36 = v1.s3;
    const uint4 v2 = *(__global const uint4*)(a28 + 32u);
    uint r37 = v2.s0;
    uint r38 = v2.s1;
    uint r39 = v2.s2;
    uint r40 = v2.s3;
    uint r41 = r32 + r33;
    uint r42 = r23 * 4u;
    uint r43 = r42 + 8192u;
    // state: as it was kept, or zeros
    bool p44 = arg_keeps != 0u;
    uint r45 = 0u;
    bool p46 = r45 < r41;
    if (p46) {
        for (;;) {
            float f47 = 0.0f;
            if (p44) {
                uint r48 = arg_first_block + r26;
                uint r49 = r48 * r41;
                uint r50 = r36 * arg_all_blocks + r49;
                uint r51 = r50 + r45;
                __global uchar* a52 = arg_kept + (ulong)r51 * 128u;
                __global uchar* a53 = a52 + (ulong)r23 * 4u;
                f47 = as_float(*(__global const uint*)(a53));
            }
            uint r54 = r45 * 128u + r42;
            *(__local uint*)(shared + r54) = as_uint(f47);
            r45 = r45 + 1u;
            bool p55 = r45 >= r41;
            if (p55) break;
        }
    }
    uint r56 = 0u;
    bool p57 = r56 < arg_steps;
    if (p57) {
        for (;;) {
            // inputs
            uint r58 = r26 * 1u;
            uint r59 = r56 * arg_tiles + r58;
            uint r60 = r59 * arg_all_columns + r38;
            __global const uchar* a61 = arg_columns + (ulong)r60 * 128u;
            __global const uchar* a62 = a61 + (ulong)r23 * 4u;
            uint r63 = 0u;
            bool p64 = r63 < r32;
            if (p64) {
                for (;;) {
                    __global const uchar* a65 = a62 + (ulong)r63 * 128u;
                    float f66 = as_float(*(__global const uint*)(a65));
                    uint r67 = r63 * 128u + r42;
                    *(__local uint*)(shared + r67) = as_uint(f66);
                    uint r68 = r63 * 128u + r43;
                    *(__local uint*)(shared + r68) = as_uint(f66);
                    r63 = r63 + 1u;
                    bool p69 = r63 >= r32;
                    if (p69) break;
                }
            }
            // rows, all from the values before
            uint r70 = 0u;
            bool p71 = r70 < r37;
            if (p71) {
                for (;;) {
                    uint r72 = 0u;
                    uint r73 = r29 + r72;
                    uint r74 = r32 + r72;
                    __global const uchar* a75 = arg_records + (ulong)r73 * 16u;
                    uint r76 = r74 * 128u + r43;
                    __global const uchar* a77 = arg_extras + (ulong)r73 * 16u;
                    uint r78 = r74 * 128u + r42;
                    uint r79 = r72;
                    bool p80 = r79 < r33;
                    if (p80) {
                        for (;;) {
                            const uint4 v3 = *(__global const uint4*)(a75);
                            uint r81 = v3.s0;
                            uint r82 = v3.s1;
                            uint r83 = v3.s2;
                            uint r84 = v3.s3;
                            __global const uchar* a85 = arg_quads + (ulong)r81 * 32u;
                            float f86 = as_float(r84);
                            float f87 = as_float(*(__global const uint*)(a77));
                            float f88 = as_float(*(__global const uint*)(a77 + 4u));
                            uint r89 = *(__global const uint*)(a77 + 8u);
                            __global const uchar* a90 = arg_functions + (ulong)r89 * 16u;
                            uint r92 = r83 >> 8u;
                            uint r93 = r92 & 255u;
                            bool p94 = r93 == 0u;
                            if (p94) {
                                bool p95 = r83 < 196608u;
                                if (p95) {
                                    bool p96 = r83 < 131072u;
                                    if (p96) {
                                        uint r97 = *(__global const uint*)(a85);
                                        float f98 = as_float(*(__global const uint*)(a85 + 16u));
                                        uint r99 = r97 * 128u + r42;
                                        float f100 = as_float(*(__local const uint*)(shared + r99));
                                        f91 = fma(f98, f100, f86);
                                    } else {
                                        const uint2 v4 = *(__global const uint2*)(a85);
                                        uint r101 = v4.s0;
                                        uint r103 = v4.s1;
                                        const uint2 v5 = *(__global const uint2*)(a85 + 16u);
                                        float f102 = as_float(v5.s0);
                                        float f104 = as_float(v5.s1);
                                        uint r105 = r101 * 128u + r42;
                                        float f106 = as_float(*(__local const uint*)(shared + r105));
                                        uint r107 = r103 * 128u + r42;
                                        float f108 = as_float(*(__local const uint*)(shared + r107));
                                        f91 = fma(f102, f106, f86);
                                        f91 = fma(f104, f108, f91);
                                    }
                                } else {
                                    bool p109 = r83 < 262144u;
                                    if (p109) {
                                        const uint4 v6 = *(__global const uint4*)(a85);
                                        uint r110 = v6.s0;
                                        uint r112 = v6.s1;
                                        uint r114 = v6.s2;
                                        uint r116 = v6.s3;
                                        const uint4 v7 = *(__global const uint4*)(a85 + 16u);
                                        float f111 = as_float(v7.s0);
                                        float f113 = as_float(v7.s1);
                                        float f115 = as_float(v7.s2);
                                        float f117 = as_float(v7.s3);
                                        uint r118 = r110 * 128u + r42;
                                        float f119 = as_float(*(__local const uint*)(shared + r118));
                                        uint r120 = r112 * 128u + r42;
                                        float f121 = as_float(*(__local const uint*)(shared + r120));
                                        uint r122 = r114 * 128u + r42;
                                        float f123 = as_float(*(__local const uint*)(shared + r122));
                                        f91 = fma(f111, f119, f86);
                                        f91 = fma(f113, f121, f91);
                                        f91 = fma(f115, f123, f91);
                                    } else {
                                        const uint4 v8 = *(__global const uint4*)(a85);
                                        uint r124 = v8.s0;
                                        uint r126 = v8.s1;
                                        uint r128 = v8.s2;
                                        uint r130 = v8.s3;
                                        const uint4 v9 = *(__global const uint4*)(a85 + 16u);
                                        float f125 = as_float(v9.s0);
                                        float f127 = as_float(v9.s1);
                                        float f129 = as_float(v9.s2);
                                        float f131 = as_float(v9.s3);
                                        uint r132 = r124 * 128u + r42;
                                        float f133 = as_float(*(__local const uint*)(shared + r132));
                                        uint r134 = r126 * 128u + r42;
                                        float f135 = as_float(*(__local const uint*)(shared + r134));
                                        uint r136 = r128 * 128u + r42;
                                        float f137 = as_float(*(__local const uint*)(shared + r136));
                                        uint r138 = r130 * 128u + r42;
                                        float f139 = as_float(*(__local const uint*)(shared + r138));
                                        f91 = fma(f125, f133, f86);
                                        f91 = fma(f127, f135, f91);
                                        f91 = fma(f129, f137, f91);
                                        f91 = fma(f131, f139, f91);
                                    }
                                }
                                bool p140 = r82 != 0u;
                                if (p140) {
                                    for (;;) {
                                        a85 = a85 + 32ul;
                                        const uint4 v10 = *(__global const uint4*)(a85);
                                        uint r141 = v10.s0;
                                        uint r143 = v10.s1;
                                        uint r145 = v10.s2;
                                        uint r147 = v10.s3;
                                        const uint4 v11 = *(__global const uint4*)(a85 + 16u);
                                        float f142 = as_float(v11.s0);
                                        float f144 = as_float(v11.s1);
                                        float f146 = as_float(v11.s2);
                                        float f148 = as_float(v11.s3);
                                        uint r149 = r141 * 128u + r42;
                                        float f150 = as_float(*(__local const uint*)(shared + r149));
                                        uint r151 = r143 * 128u + r42;
                                        float f152 = as_float(*(__local const uint*)(shared + r151));
                                        uint r153 = r145 * 128u + r42;
                                        float f154 = as_float(*(__local const uint*)(shared + r153));
                                        uint r155 = r147 * 128u + r42;
                                        float f156 = as_float(*(__local const uint*)(shared + r155));
                                        f91 = fma(f142, f150, f91);
                                        f91 = fma(f144, f152, f91);
                                        f91 = fma(f146, f154, f91);
                                        f91 = fma(f148, f156, f91);
                                        r82 = r82 - 1u;
                                        bool p157 = r82 == 0u;
                                        if (p157) break;
                                    }
                                }
                            } else {
                                bool p158 = r93 == 2u;
                                if (p158) {
                                    uint r159 = r83 >> 16u;
                                    uint r160 = r82 * 4u + r159;
                                    uint r161 = 0u;
                                    uint r162 = r161 + 4u;
                                    uint r163 = r162 - r159;
                                    bool p164 = r161 < r159;
                                    uint r165 = p164 ? r161 : r163;
                                    uint r166 = r165 >> 2u;
                                    __global const uchar* a167 = a85 + (ulong)r166 * 32u;
                                    uint r168 = r165 & 3u;
                                    __global const uchar* a169 = a167 + (ulong)r168 * 4u;
                                    float f170 = as_float(*(__global const uint*)(a169 + 16u));
                                    uint r171 = *(__global const uint*)(a169);
                                    uint r172 = r171 * 128u + r42;
                                    float f173 = as_float(*(__local const uint*)(shared + r172));
                                    f173 = f173 * f170;
                                    f91 = f173;
                                    uint r174 = 1u;
                                    bool p175 = r174 < r160;
                                    if (p175) {
                                        for (;;) {
                                            uint r176 = r174 + 4u;
                                            uint r177 = r176 - r159;
                                            bool p178 = r174 < r159;
                                            uint r179 = p178 ? r174 : r177;
                                            uint r180 = r179 >> 2u;
                                            __global const uchar* a181 = a85 + (ulong)r180 * 32u;
                                            uint r182 = r179 & 3u;
                                            __global const uchar* a183 = a181 + (ulong)r182 * 4u;
                                            float f184 = as_float(*(__global const uint*)(a183 + 16u));
                                            uint r185 = *(__global const uint*)(a183);
                                            uint r186 = r185 * 128u + r42;
                                            float f187 = as_float(*(__local const uint*)(shared + r186));
                                            f187 = f187 * f184;
                                            f91 = fmax(f91, f187);
                                            r174 = r174 + 1u;
                                            bool p188 = r174 >= r160;
                                            if (p188) break;
                                        }
                                    }
                                    f91 = fma(f91, f87, f86);
                                } else {
                                    bool p189 = r93 == 6u;
                                    if (p189) {
                                        uint r190 = r83 >> 16u;
                                        uint r191 = r82 * 4u + r190;
                                        uint r192 = r191 >> 1u;
                                        uint r193 = r191 - 1u;
                                        uint r194 = r193 >> 1u;
                                        f91 = 0.0f;
                                        uint r195 = 0u;
                                        bool p196 = r195 < r191;
                                        if (p196) {
                                            for (;;) {
                                                uint r197 = r195 + 4u;
                                                uint r198 = r197 - r190;
                                                bool p199 = r195 < r190;
                                                uint r200 = p199 ? r195 : r198;
                                                uint r201 = r200 >> 2u;
                                                __global const uchar* a202 = a85 + (ulong)r201 * 32u;
                                                uint r203 = r200 & 3u;
                                                __global const uchar* a204 = a202 + (ulong)r203 * 4u;
                                                float f205 = as_float(*(__global const uint*)(a204 + 16u));
                                                uint r206 = *(__global const uint*)(a204);
                                                uint r207 = r206 * 128u + r42;
                                                float f208 = as_float(*(__local const uint*)(shared + r207));
                                                f208 = f208 * f205;
                                                uint r209 = 0u;
                                                uint r210 = 0u;
                                                bool p211 = r210 < r191;
                                                if (p211) {
                                                    for (;;) {
                                                        uint r212 = r210 + 4u;
                                                        uint r213 = r212 - r190;
                                                        bool p214 = r210 < r190;
                                                        uint r215 = p214 ? r210 : r213;
                                                        uint r216 = r215 >> 2u;
                                                        __global const uchar* a217 = a85 + (ulong)r216 * 32u;
                                                        uint r218 = r215 & 3u;
                                                        __global const uchar* a219 = a217 + (ulong)r218 * 4u;
                                                        float f220 = as_float(*(__global const uint*)(a219 + 16u));
                                                        uint r221 = *(__global const uint*)(a219);
                                                        uint r222 = r221 * 128u + r42;
                                                        float f223 = as_float(*(__local const uint*)(shared + r222));
                                                        f223 = f223 * f220;
                                                        bool p224 = r210 < r195;
                                                        bool p225 = f223 == f208;
                                                        bool p226 = p225 && p224;
                                                        bool p227 = f223 < f208;
                                                        bool p228 = p227 || p226;
                                                        uint r229 = p228 ? 1u : 0u;
                                                        r209 = r209 + r229;
                                                        r210 = r210 + 1u;
                                                        bool p230 = r210 >= r191;
                                                        if (p230) break;
                                                    }
                                                }
                                                float f231 = f208 * 0.5f;
                                                bool p232 = r209 == r194;
                                                float f233 = p232 ? f231 : 0.0f;
                                                f91 = f91 + f233;
                                                float f234 = f208 * 0.5f;
                                                bool p235 = r209 == r192;
                                                float f236 = p235 ? f234 : 0.0f;
                                                f91 = f91 + f236;
                                                r195 = r195 + 1u;
                                                bool p237 = r195 >= r191;
                                                if (p237) break;
                                            }
                                        }
                                        f91 = fma(f91, f87, f86);
                                    } else {
                                        f91 = f86;
                                    }
                                }
                            }
                            uint r238 = r83 & 255u;
                            bool p239 = r238 < 1u;
                            if (p239) {
                                const uint4 v12 = *(__global const uint4*)(a90);
                                float f240 = as_float(v12.s0);
                                float f241 = as_float(v12.s1);
                                float f242 = as_float(v12.s2);
                                float f243 = as_float(v12.s3);
                                float f244 = f91 * f241;
                                bool p245 = f91 > 0.0f;
                                f91 = p245 ? f91 : f244;
                            } else {
                                float f247 = fmin(f91, 2.0f);
                                f91 = fmax(f247, (-2.0f));
                                float f248 = fabs(f91);
                                float f249 = -f248;
                                float f250 = exp2(f249);
                                float f251 = f250 + 1.0f;
                                float f252 = 1.0f - f250;
                                float f253 = f252 / f251;
                                float f254 = -f253;
                                bool p255 = f91 < 0.0f;
                                f91 = p255 ? f254 : f253;
                            }
                            float f257 = as_float(*(__local const uint*)(shared + r78));
                            float f258 = f257 - f91;
                            float f259 = fma(f88, f258, f91);
                            *(__local uint*)(shared + r76) = as_uint(f259);
                            a75 = a75 + 16ul;
                            a77 = a77 + 16ul;
                            r76 = r76 + 128u;
                            r78 = r78 + 128u;
                            r79 = r79 + 1u;
                            bool p260 = r79 >= r33;
                            if (p260) break;
                        }
                    }
                    uint r261 = r42;
                    r42 = r43;
                    r43 = r261;
                    r70 = r70 + 1u;
                    bool p262 = r70 >= r37;
                    if (p262) break;
                }
            }
            // outputs
            uint r263 = r26 * 32u + r23;
            uint r264 = arg_steps * arg_inputs;
            uint r265 = r34 * r264;
            uint r266 = r56 * arg_inputs + r263;
            uint r267 = r266 * r35 + r265;
            uint r268 = 0u;
            bool p269 = r268 < r35;
            if (p269) {
                for (;;) {
                    uint r270 = r34 + r268;
                    __global const uchar* a271 = arg_outputs + (ulong)r270 * 4u;
                    uint r272 = *(__global const uint*)(a271);
                    uint r273 = r272 * 128u + r42;
                    float f274 = as_float(*(__local const uint*)(shared + r273));
                    __global uchar* a275 = arg_results + (ulong)r267 * 4u;
                    __global uchar* a276 = a275 + (ulong)r268 * 4u;
                    uint r277 = r263 + 0u;
                    bool p278 = r277 < arg_inputs;
                    if (p278) {
                        __global uchar* a279 = a276 + (ulong)r35 * 0u;
                        *(__global uint*)(a279) = as_uint(f274);
                    }
                    r268 = r268 + 1u;
                    bool p280 = r268 >= r35;
                    if (p280) break;
                }
            }
            r56 = r56 + 1u;
            bool p281 = r56 >= arg_steps;
            if (p281) break;
        }
    }
    // state: kept for the next run
    bool p282 = arg_keeps != 0u;
    if (p282) {
        uint r283 = 0u;
        bool p284 = r283 < r41;
        if (p284) {
            for (;;) {
                uint r285 = r283 * 128u + r42;
                float f286 = as_float(*(__local const uint*)(shared + r285));
                uint r287 = arg_first_block + r26;
                uint r288 = r287 * r41;
                uint r289 = r36 * arg_all_blocks + r288;
                uint r290 = r289 + r283;
                __global uchar* a291 = arg_kept + (ulong)r290 * 128u;
                __global uchar* a292 = a291 + (ulong)r23 * 4u;
                *(__global uint*)(a292) = as_uint(f286);
                r283 = r283 + 1u;
                bool p293 = r283 >= r41;
                if (p293) break;
            }
        }
    }
}
