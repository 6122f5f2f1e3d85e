#include "model/formats/presets_table.h"

#define KIB(n) ((uint64_t)(n) << 10)
#define MIB(n) ((uint64_t)(n) << 20)
#define GIB(n) ((uint64_t)(n) << 30)

/* What a row leaves out is unknown. */
#define EXACT(v, text) {v, v, v, text}

#define C2C_BROADWELL "core-to-core-latency, 2x E5-2630v4, CAS ping-pong / 2, median, 5..95 %"
#define C2C_WESTMERE "core-to-core-latency, 2x X5650, CAS ping-pong / 2, median, 5..95 %"
#define SIBLINGS_BROADWELL "assumed: CAS hand-over of two threads of one core, 2x E5-2630v4, as upper bound"
#define SIBLINGS_WESTMERE "assumed: CAS hand-over of two threads of one core, 2x X5650, as upper bound"
#define SWITCH "assumed: ranks sharing a core hand over by a context switch"
#define STORES "assumed: stores drain in order, each fetching the line from its poller"
#define STEP "assumed: a few instructions"
#define START "assumed: one cache miss of the local last-level cache"
#define KERNCRAFT "kerncraft machine file, E5-2630v4 at 2.2 GHz, copy_avx, r+w counted, halved"
/* Intel's levels do not overlap, so the parts of a copy add: load and store of each side, from the same file:
 * load 125 (memory), 65 (L3), 33 (L2); store 191, 111, 72 ps a byte. Low and high are the copies within L3 and within memory. */
#define ADDED "assumed: load and store parts of the kerncraft copies, E5-2630v4, added"

#define FIG_9A "assumed: S1 Fig. 9a's 3.76..3.92 ms for 16 MiB, p=2, is the out-copy's time"
#define SCALED "assumed: E5-2630v4's copy classes scaled by S1 Fig. 9a's out-copy"
#define DDR3 "assumed: 3 channels DDR3-1066, 0.78 used as on E5-2630v4, 3 bus bytes a copied one"

#define C2C_CASCADE_LAKE "core-to-core-latency, 2x Gold 6242, CAS ping-pong / 2, median, 5..95 %"
#define C2C_KIN_CASCADE_LAKE "assumed: as 2x Gold 6242, core-to-core-latency, CAS ping-pong / 2"
#define C2C_ICE_LAKE "core-to-core-latency, 2x 8375C, CAS ping-pong / 2, median"
#define C2C_ROME "core-to-core-latency, 2x EPYC 7742, CAS ping-pong / 2, median, 5..95 %"
#define C2C_KUNPENG "core-to-core-latency, Kunpeng 920-6426, CAS ping-pong / 2, median, 5..95 %"
#define C2C_KIN_BROADWELL "assumed: as 2x E5-2630v4, core-to-core-latency, CAS ping-pong / 2"
#define SIBLINGS "assumed: CAS hand-over of two threads of one core, core-to-core-latency, as upper bound"
#define KERNCRAFT_OF(cpu) "kerncraft machine file, " cpu ", copy, r+w counted, halved"

/* Copies of one core, ps a byte, from what a machine file tells of loads and plain copies within memory, the last-level cache and
 * the second level: the parts added, as above. Last what copies out of a slot to warm memory cost. */
#define PS(x) ((x) * 1e-12)
#define WITHIN_PS(v, lo, hi, text) {PS(v), PS(lo), PS(hi), text}
#define COPIES(start, load_m, load_c, load_2, copy_m, copy_c, copy_2, cpu, ...)                                                  \
    {[COPY_IN_COLD] = {start, WITHIN_PS(load_m + copy_c - load_c, copy_c, copy_m, ADDED_OF(cpu))},                               \
     [COPY_IN_WARM] = {start, WITHIN_PS(load_2 + copy_c - load_c, copy_2, copy_c, ADDED_OF(cpu))},                               \
     [COPY_OUT_COLD] = {start, WITHIN_PS(load_c + copy_m - load_m, copy_c, copy_m, ADDED_OF(cpu))},                              \
     [COPY_OUT_WARM] = {start, __VA_ARGS__},                                                                                     \
     [COPY_PLAIN_COLD] = {.s_per_byte = EXACT(PS(copy_m), KERNCRAFT_OF(cpu))}}
#define ADDED_OF(cpu) "assumed: load and store parts of the kerncraft copies, " cpu ", added"

#define KERNCRAFT_HASWELL KERNCRAFT_OF("E5-2695v3")
#define KERNCRAFT_SKYLAKE KERNCRAFT_OF("Gold 6148")
#define KERNCRAFT_CASCADE_LAKE KERNCRAFT_OF("Gold 6248")
#define KERNCRAFT_ICE_LAKE KERNCRAFT_OF("8360Y")
#define KERNCRAFT_ROME KERNCRAFT_OF("EPYC 7452")
#define KERNCRAFT_THUNDERX KERNCRAFT_OF("ThunderX2 CN9980")

#define FIT_SKX "fitted to xhc-bcast SKX-24, 2, 3, 12, 13, 24 ranks: Katevenis et al., ICPP 2023"
#define FIT_CSX "fitted to xhc-bcast CSX-48, 2, 3, 24, 25, 48 ranks: Katevenis et al., ICPP 2023"
#define MLC(text) "Intel MLC, remote / local read; idle latencies: " text
#define ROME_REMOTE "assumed: ARCHER2 ping-pong in a domain / across, 64 KiB 2.59 / 3.50, 1 MiB 27.9 / 28.0 us"
#define KUNPENG_COPY "assumed: one core copies 12.5 GB/s, r+w counted as STREAM does; half of that time at best"
#define KUNPENG_DDR "assumed: 4 channels DDR4-2933 a die, 0.78 used as on E5-2630v4, 3 bus bytes a copied one"
#define KUNPENG_REMOTE "assumed: one core copies 12.5 GB/s, 11.4 to the other die, 7.5..8.6 to the other socket"
#define THUNDERX_COPY "assumed: between the kerncraft copies within L3 and within memory, ThunderX2 CN9980"
#define THUNDERX_LINES "assumed: between Kunpeng 920's hand-overs, measured nowhere"

/* No measurement of the node itself was at hand. Two front-side buses of 1333 MT/s, 10.7 GB/s each, and four channels FB-DIMM
 * DDR2-667 of 5.3 GB/s each are behind one controller; of that STREAM is known to get about a third, r+w counted. */
#define STREAM_FSB "assumed: STREAM copy of all cores 7 GB/s, r+w counted, halved; most: 0.78 of 21.3, a third"
#define STREAM_FSB_ONE "assumed: STREAM copy of one core about 3.8 GB/s, r+w counted, halved"
#define STREAM_FSB_FEW "assumed: between one core and all"
#define FSB_LINES "assumed: a snoop on the front-side bus, and the line over it"
/* Parts as above, ps a byte: load 210 and store 316 from memory, 60 and 90 within L2; a slot's lines come over the bus as from
 * memory, and are claimed by a transaction without data, 200. */
#define FSB_COPY "assumed: load and store parts of a 526 ps copy; slots of other caches over the bus"

const struct preset presets_table[] = {
    {
        .name = "paper",
        .description = "S1 5.2's worked example: t = 1e-9, t_w = 50 t, t_wo = 100 t, t_A = 10 t; nothing contends",
        .sockets = 2, .cores_per_socket = 8, .page_bytes = 4096,
        .memory_per_socket_bytes = GIB(32), .remote_distance = 20,
        .contention_free = 1,
        .paper = {EXACT(1e-9, "S1 Fig. 4"), EXACT(50e-9, "S1 Fig. 4"), EXACT(100e-9, "S1 Fig. 4"), EXACT(10e-9, "S1 Fig. 4")},
    },
    {
        .name = "nehalem-2x4",
        .description = "2x Xeon E5620 (Westmere-EP, 2x4 cores, L3 12 MB, 24 GB): S1's \"Nehalem\" server",
        .sockets = 2, .cores_per_socket = 4, .page_bytes = 4096,
        .memory_per_socket_bytes = GIB(12), .l1_bytes = KIB(32), .l2_bytes = KIB(256), .llc_bytes = MIB(12),
        .remote_distance = 20,
        .handover_ns = {{1500, 1000, 5000, SWITCH}, {37.2, 36.6, 38.1, C2C_WESTMERE}, {37.2, 36.6, 38.1, C2C_WESTMERE},
                        {73.7, 70.6, 75.8, C2C_WESTMERE}},
        .store_ns = {37.2, 10, 73.7, STORES},
        .atomic_ns = {7.1, 5, 7.2, SIBLINGS_WESTMERE},
        .step_ns = {2, 1, 5, STEP},
        .copy = {[COPY_IN_COLD] = {{37.2, 0, 100, START}, {211e-12, 157e-12, 282e-12, SCALED}},
                 [COPY_IN_WARM] = {{37.2, 0, 100, START}, {129e-12, 94e-12, 157e-12, SCALED}},
                 [COPY_OUT_COLD] = {{37.2, 0, 100, START}, {229e-12, 157e-12, 282e-12, FIG_9A}},
                 [COPY_OUT_WARM] = {{37.2, 0, 100, START}, {123e-12, 94e-12, 157e-12, SCALED}},
                 [COPY_PLAIN_COLD] = {.s_per_byte = {282e-12, 229e-12, 340e-12, SCALED}}},
        .bandwidth = {{1, {3.55e9, 2.9e9, 4.4e9, SCALED}}, {2, {5.6e9, 4.5e9, 7e9, DDR3}}, {4, {6.7e9, 5e9, 8.5e9, DDR3}}},
        .remote_ratio = {0.54, 0.31, 0.7, "assumed: local / remote idle latency of Ivy Bridge, 62 / 115 ns, Intel MLC"},
        .link_bytes_per_s = {9.4e9, 7e9, 11.7e9, "assumed: one QPI link, 2 B x 5.86 GT/s, 0.8 of it payload"},
    },
    {
        .name = "broadwell-2x8",
        .description = "2x Xeon E5-2620 v4 (2x8 cores, L2 256 KB, L3 20 MB, 64 GB): S1's Broadwell server",
        .sockets = 2, .cores_per_socket = 8, .page_bytes = 4096,
        .memory_per_socket_bytes = GIB(32), .l1_bytes = KIB(32), .l2_bytes = KIB(256), .llc_bytes = MIB(20),
        .remote_distance = 21,
        .handover_ns = {{1500, 1000, 5000, SWITCH}, {39.2, 34.6, 42.6, C2C_BROADWELL}, {39.2, 34.6, 42.6, C2C_BROADWELL},
                        {117.9, 111.1, 123.9, C2C_BROADWELL}},
        .store_ns = {39.2, 10, 117.9, STORES},
        .atomic_ns = {8.2, 5, 8.4, SIBLINGS_BROADWELL},
        .step_ns = {2, 1, 5, STEP},
        .copy = {[COPY_IN_COLD] = {{39.2, 0, 100, START}, {236e-12, 176e-12, 316e-12, ADDED}},
                 [COPY_IN_WARM] = {{39.2, 0, 100, START}, {144e-12, 105e-12, 176e-12, ADDED}},
                 [COPY_OUT_COLD] = {{39.2, 0, 100, START}, {256e-12, 176e-12, 316e-12, ADDED}},
                 [COPY_OUT_WARM] = {{39.2, 0, 100, START}, {137e-12, 105e-12, 176e-12, ADDED}},
                 [COPY_PLAIN_COLD] = {.s_per_byte = {316e-12, 316e-12, 320e-12, KERNCRAFT}}},
        .bandwidth = {{1, EXACT(3.165e9, KERNCRAFT)}, {2, EXACT(6.55e9, KERNCRAFT)}, {3, EXACT(10.23e9, KERNCRAFT)},
                      {4, EXACT(12.875e9, KERNCRAFT)}, {5, EXACT(14.955e9, KERNCRAFT)}, {6, EXACT(16.325e9, KERNCRAFT)},
                      {7, EXACT(17.24e9, KERNCRAFT)}, {8, EXACT(17.655e9, KERNCRAFT)}},
        .remote_ratio = {0.52, 0.31, 0.69, "Intel MLC, Haswell-EP: remote / local read 30 / 58 GB/s; idle 97 / 140 ns"},
        .link_bytes_per_s = {25e9, 20e9, 32e9, "assumed: Haswell-EP reads 30 GB/s at 9.6 GT/s (Intel MLC), scaled to 8.0 GT/s"},
    },
    {
        .name = "haswell-2x14",
        .description = "2x Xeon E5-2695 v3 (Haswell-EP, 2x14 cores, L2 256 KB, L3 35 MB)",
        .sockets = 2, .cores_per_socket = 14, .page_bytes = 4096,
        .l1_bytes = KIB(32), .l2_bytes = KIB(256), .llc_bytes = MIB(35), .remote_distance = 21,
        .handover_ns = {{1500, 1000, 5000, SWITCH}, {39.2, 34.6, 42.6, C2C_KIN_BROADWELL}, {39.2, 34.6, 42.6, C2C_KIN_BROADWELL},
                        {117.9, 111.1, 123.9, C2C_KIN_BROADWELL}},
        .store_ns = {39.2, 10, 117.9, STORES}, .atomic_ns = {8.2, 5, 8.4, SIBLINGS_BROADWELL}, .step_ns = {2, 1, 5, STEP},
#define START_HSW {39.2, 0, 100, START}
        .copy = COPIES(START_HSW, 112.0, 43.3, 17.3, 239.5, 106.8, 55.0, "E5-2695v3",
                       WITHIN_PS(81.0, 55.0, 106.8, ADDED_OF("E5-2695v3"))),
        .bandwidth = {{1, EXACT(4.175e9, KERNCRAFT_HASWELL)}, {2, EXACT(8.65e9, KERNCRAFT_HASWELL)},
                      {3, EXACT(11.485e9, KERNCRAFT_HASWELL)}, {4, EXACT(13.855e9, KERNCRAFT_HASWELL)},
                      {6, EXACT(16.28e9, KERNCRAFT_HASWELL)}, {8, EXACT(17.245e9, KERNCRAFT_HASWELL)},
                      {14, EXACT(17.785e9, KERNCRAFT_HASWELL)}},
        .remote_ratio = {0.52, 0.31, 0.69, MLC("Haswell-EP 30 / 58 GB/s; 97 / 140 ns")},
        .link_bytes_per_s = {30e9, 25e9, 38.4e9, MLC("Haswell-EP 30 / 58 GB/s; 97 / 140 ns")},
    },
    {
        .name = "skylake-2x12",
        .description = "2x 12-core Skylake-SP (L2 1 MB, L3 16.5 MB): what Katevenis et al. broadcast on",
        .sockets = 2, .cores_per_socket = 12, .page_bytes = 4096,
        .l1_bytes = KIB(32), .l2_bytes = MIB(1), .llc_bytes = KIB(16896), .remote_distance = 21,
        .handover_ns = {{1500, 1000, 5000, SWITCH}, {48.0, 44.3, 52.2, C2C_KIN_CASCADE_LAKE},
                        {48.0, 44.3, 52.2, C2C_KIN_CASCADE_LAKE}, {141.4, 137.5, 145.4, C2C_KIN_CASCADE_LAKE}},
        .store_ns = {48, 10, 141, STORES}, .atomic_ns = {7.4, 5, 7.6, SIBLINGS}, .step_ns = {2, 1, 5, STEP},
        .call_ns = {371, 320, 432, FIT_SKX},
        .serve_ns = {14.8, 9.89, 22.1, FIT_SKX}, .detour = {3.07, 2.79, 3.38, FIT_SKX},
        .fresh_s_per_byte = WITHIN_PS(97.0, 90.2, 104.4, FIT_SKX), .slice_s_per_byte = WITHIN_PS(112.0, 104.1, 120.5, FIT_SKX),
        .contested_s_per_byte = WITHIN_PS(184.0, 172.2, 196.7, FIT_SKX), .lone_slowdown = {0.140, 0.0656, 0.301, FIT_SKX},
#define START_SKX {0, 0, 100, "assumed: in the fitted call_ns"}
        .copy = COPIES(START_SKX, 69.8, 41.0, 9.0, 152.9, 82.2, 28.4, "Gold 6148", WITHIN_PS(62.1, 57.5, 67.1, FIT_SKX)),
        .bandwidth = {{1, EXACT(6.54e9, KERNCRAFT_SKYLAKE)}, {2, EXACT(12.455e9, KERNCRAFT_SKYLAKE)},
                      {3, EXACT(18.2e9, KERNCRAFT_SKYLAKE)}, {4, EXACT(23.24e9, KERNCRAFT_SKYLAKE)},
                      {6, EXACT(28.7e9, KERNCRAFT_SKYLAKE)}, {8, EXACT(31.79e9, KERNCRAFT_SKYLAKE)},
                      {12, EXACT(35.045e9, KERNCRAFT_SKYLAKE)}},
        .remote_ratio = {0.46, 0.31, 0.61, MLC("Skylake 34..51 / 108..111 GB/s; 80 / 131 ns")},
        .link_bytes_per_s = {51e9, 34e9, 51e9, MLC("Skylake 34..51 / 108..111 GB/s; 80 / 131 ns")},
    },
    {
        .name = "cascadelake-2x24",
        .description = "2x 24-core Cascade Lake-SP (L2 1 MB, L3 33 MB): what Katevenis et al. broadcast on",
        .sockets = 2, .cores_per_socket = 24, .page_bytes = 4096,
        .l1_bytes = KIB(32), .l2_bytes = MIB(1), .llc_bytes = MIB(33), .remote_distance = 21,
        .handover_ns = {{1500, 1000, 5000, SWITCH}, {48.0, 44.3, 52.2, C2C_CASCADE_LAKE}, {48.0, 44.3, 52.2, C2C_CASCADE_LAKE},
                        {141.4, 137.5, 145.4, C2C_CASCADE_LAKE}},
        .store_ns = {48, 10, 141, STORES}, .atomic_ns = {7.4, 5, 7.6, SIBLINGS}, .step_ns = {2, 1, 5, STEP},
        .call_ns = {342, 277, 422, FIT_CSX},
        .serve_ns = {8.62, 5.42, 13.7, FIT_CSX}, .detour = {4.49, 4.07, 4.97, FIT_CSX},
        .fresh_s_per_byte = WITHIN_PS(134.1, 125.2, 143.6, FIT_CSX), .slice_s_per_byte = WITHIN_PS(86.2, 72.0, 103.2, FIT_CSX),
        .contested_s_per_byte = WITHIN_PS(201.4, 185.2, 219.0, FIT_CSX), .lone_slowdown = {0.268, 0.153, 0.468, FIT_CSX},
        .copy = COPIES(START_SKX, 77.2, 41.8, 9.0, 137.4, 84.6, 29.0, "Gold 6248", WITHIN_PS(64.0, 57.9, 70.7, FIT_CSX)),
#define HALVES "assumed: twice a half socket, kerncraft machine file, Gold 6248, copy, r+w counted, halved"
        .bandwidth = {{1, EXACT(7.28e9, KERNCRAFT_CASCADE_LAKE)}, {2, EXACT(13.395e9, KERNCRAFT_CASCADE_LAKE)},
                      {4, EXACT(26.79e9, HALVES)}, {6, EXACT(30.55e9, HALVES)}, {10, EXACT(34.45e9, HALVES)},
                      {20, EXACT(36.52e9, HALVES)}},
        .remote_ratio = {0.46, 0.31, 0.61, "assumed: as Skylake, Intel MLC, 34..51 / 108..111 GB/s; 80 / 131 ns"},
        .link_bytes_per_s = {51e9, 34e9, 51e9, "assumed: as Skylake, Intel MLC, 34..51 GB/s"},
    },
    {
        .name = "icelake-2x32",
        .description = "2x Xeon 8375C (Ice Lake-SP, 2x32 cores, L2 1.25 MB, L3 54 MB)",
        .sockets = 2, .cores_per_socket = 32, .page_bytes = 4096,
        .l1_bytes = KIB(48), .l2_bytes = KIB(1280), .llc_bytes = MIB(54), .remote_distance = 20,
        .handover_ns = {{1500, 1000, 5000, SWITCH}, EXACT(51, C2C_ICE_LAKE), EXACT(51, C2C_ICE_LAKE), EXACT(108, C2C_ICE_LAKE)},
        .store_ns = {51, 10, 108, STORES}, .atomic_ns = {7.4, 5, 8, "assumed: as Gold 6242"}, .step_ns = {2, 1, 5, STEP},
#define START_ICX {51, 0, 100, START}
        .copy = COPIES(START_ICX, 65.1, 40.4, 9.0, 137.8, 78.9, 31.5, "8360Y",
                       WITHIN_PS(62.9, 31.5, 78.9, ADDED_OF("8360Y"))),
#define ICX_HALVES "assumed: twice a half socket, kerncraft machine file, 8360Y, copy, r+w counted, halved"
        .bandwidth = {{1, EXACT(7.255e9, KERNCRAFT_ICE_LAKE)}, {2, EXACT(12.835e9, KERNCRAFT_ICE_LAKE)},
                      {4, EXACT(25.67e9, ICX_HALVES)}, {8, EXACT(38.97e9, ICX_HALVES)}, {16, EXACT(51.74e9, ICX_HALVES)},
                      {24, EXACT(60.72e9, ICX_HALVES)}, {36, EXACT(79.27e9, ICX_HALVES)}},
        .remote_ratio = {0.32, 0.31, 0.62, MLC("8360Y 56 / 176 GB/s; 89 / 143 ns")},
        .link_bytes_per_s = {56e9, 50e9, 62e9, MLC("8360Y 56 / 176 GB/s; 89 / 143 ns")},
    },
    {
        .name = "epyc7742-2x64",
        .description = "2x EPYC 7742 (Rome, 2x64 cores, four domains a socket, L3 16 MB for four cores each)",
        .sockets = 2, .cores_per_socket = 64, .domains_per_socket = 4, .caches_per_domain = 4, .page_bytes = 4096,
        .l1_bytes = KIB(32), .l2_bytes = KIB(512), .llc_bytes = MIB(16), .remote_distance = 32, .socket_distance = 12,
        .handover_ns = {{1500, 1000, 5000, SWITCH}, {25.3, 24.6, 26.4, C2C_ROME}, {132.1, 104.1, 140.9, C2C_ROME},
                        {266.7, 251.5, 277.3, C2C_ROME}},
        .store_ns = {25.3, 10, 267, STORES}, .atomic_ns = {8.0, 5, 8.1, SIBLINGS}, .step_ns = {2, 1, 5, STEP},
#define START_ROME {25.3, 0, 132, START}
        .copy = COPIES(START_ROME, 45.9, 18.5, 13.4, 111.8, 35.4, 26.8, "EPYC 7452",
                       WITHIN_PS(31.9, 26.8, 35.4, ADDED_OF("EPYC 7452"))),
        .bandwidth = {{1, EXACT(8.945e9, KERNCRAFT_ROME)}, {2, EXACT(11.55e9, KERNCRAFT_ROME)},
                      {4, EXACT(11.26e9, KERNCRAFT_ROME)}, {8, EXACT(10.88e9, KERNCRAFT_ROME)}},
        .remote_ratio = {0.87, 0.74, 1, ROME_REMOTE},
    },
    {
        .name = "kunpeng920-2x64",
        .description = "2x Kunpeng 920-6426 (2x64 cores, two dies a socket, L2 512 KB, L3 32 MB a die)",
        .sockets = 2, .cores_per_socket = 64, .domains_per_socket = 2, .page_bytes = 4096,
        .l1_bytes = KIB(64), .l2_bytes = KIB(512), .llc_bytes = MIB(32), .remote_distance = 20, .socket_distance = 12,
        .handover_ns = {{1500, 1000, 5000, SWITCH}, {35.7, 33.3, 38.0, C2C_KUNPENG}, {80.5, 71.9, 86.6, C2C_KUNPENG},
                        {160, 81, 300, "assumed: twice that between dies, measured on one socket only"}},
        .store_ns = {35.7, 10, 160, STORES}, .atomic_ns = {10, 5, 20, "assumed: a few cycles more than Xeons"},
        .step_ns = {2, 1, 5, STEP},
#define START_KUNPENG {35.7, 0, 100, START}
        .copy = {[COPY_IN_COLD] = {START_KUNPENG, WITHIN_PS(120, 80, 160, KUNPENG_COPY)},
                 [COPY_IN_WARM] = {START_KUNPENG, WITHIN_PS(80, 40, 160, KUNPENG_COPY)},
                 [COPY_OUT_COLD] = {START_KUNPENG, WITHIN_PS(120, 80, 160, KUNPENG_COPY)},
                 [COPY_OUT_WARM] = {START_KUNPENG, WITHIN_PS(80, 40, 160, KUNPENG_COPY)},
                 [COPY_PLAIN_COLD] = {.s_per_byte = WITHIN_PS(160, 80, 160, KUNPENG_COPY)}},
        .bandwidth = {{1, {6.25e9, 6.25e9, 12.5e9, KUNPENG_COPY}}, {8, {24.4e9, 16e9, 31e9, KUNPENG_DDR}}},
        .remote_ratio = {0.69, 0.6, 0.91, KUNPENG_REMOTE},
    },
    {
        .name = "thunderx2-2x32",
        .description = "2x ThunderX2 CN9980 (2x32 cores, L2 256 KB, L3 32 MB)",
        .sockets = 2, .cores_per_socket = 32, .page_bytes = 4096,
        .l1_bytes = KIB(32), .l2_bytes = KIB(256), .llc_bytes = MIB(32), .remote_distance = 20,
        .handover_ns = {{1500, 1000, 5000, SWITCH}, {60, 36, 90, THUNDERX_LINES}, {60, 36, 90, THUNDERX_LINES},
                        {160, 81, 300, THUNDERX_LINES}},
        .store_ns = {60, 10, 160, STORES}, .atomic_ns = {10, 5, 20, "assumed: a few cycles more than Xeons"},
        .step_ns = {2, 1, 5, STEP},
#define START_THUNDERX {60, 0, 120, START}
        .copy = {[COPY_IN_COLD] = {START_THUNDERX, WITHIN_PS(99, 74.9, 123.6, THUNDERX_COPY)},
                 [COPY_IN_WARM] = {START_THUNDERX, WITHIN_PS(74.9, 73.4, 123.6, THUNDERX_COPY)},
                 [COPY_OUT_COLD] = {START_THUNDERX, WITHIN_PS(99, 74.9, 123.6, THUNDERX_COPY)},
                 [COPY_OUT_WARM] = {START_THUNDERX, WITHIN_PS(74.9, 73.4, 123.6, THUNDERX_COPY)},
                 [COPY_PLAIN_COLD] = {.s_per_byte = EXACT(PS(123.6), KERNCRAFT_THUNDERX)}},
        .bandwidth = {{1, EXACT(8.09e9, KERNCRAFT_THUNDERX)}, {2, EXACT(15.185e9, KERNCRAFT_THUNDERX)},
                      {4, EXACT(28.165e9, KERNCRAFT_THUNDERX)}, {6, EXACT(38.93e9, KERNCRAFT_THUNDERX)},
                      {8, EXACT(48.08e9, KERNCRAFT_THUNDERX)}, {12, EXACT(56.27e9, KERNCRAFT_THUNDERX)},
                      {19, EXACT(59.625e9, KERNCRAFT_THUNDERX)}, {32, EXACT(58.96e9, KERNCRAFT_THUNDERX)}},
        .remote_ratio = {0.5, 0.31, 0.69, "assumed: between Xeons' and Kunpeng 920's, measured nowhere"},
    },
    {
        .name = "harpertown-2x4",
        .description = "2x Xeon E5420 (2x4 cores, L2 6 MB for two each, one memory behind two front-side buses): S3's nodes",
        .sockets = 2, .cores_per_socket = 4, .one_memory = 1, .caches_per_domain = 4, .page_bytes = 4096,
        .l1_bytes = KIB(32), .l2_bytes = MIB(6), .llc_bytes = MIB(6), .remote_distance = 10,
        .handover_ns = {{1500, 1000, 5000, SWITCH}, {30, 15, 60, "assumed: some 75 cycles, by the L2 that both cores have"},
                        {120, 80, 160, FSB_LINES}, {150, 100, 230, FSB_LINES}},
        .store_ns = {30, 10, 150, STORES},
        .atomic_ns = {10, 5, 20, "assumed: some 25 cycles"},
        .step_ns = {2, 1, 5, STEP},
#define START_FSB {30, 0, 120, START}
        .copy = {[COPY_IN_COLD] = {START_FSB, WITHIN_PS(410, 300, 526, FSB_COPY)},
                 [COPY_IN_WARM] = {START_FSB, WITHIN_PS(260, 150, 376, FSB_COPY)},
                 [COPY_OUT_COLD] = {START_FSB, WITHIN_PS(526, 376, 650, FSB_COPY)},
                 [COPY_OUT_WARM] = {START_FSB, WITHIN_PS(300, 150, 400, FSB_COPY)},
                 [COPY_PLAIN_COLD] = {.s_per_byte = WITHIN_PS(526, 450, 650, STREAM_FSB_ONE)}},
        .bandwidth = {{1, {1.9e9, 1.5e9, 2.2e9, STREAM_FSB_ONE}}, {2, {2.9e9, 2.2e9, 3.8e9, STREAM_FSB_FEW}},
                      {4, {3.3e9, 2.7e9, 5e9, STREAM_FSB_FEW}}, {8, {3.5e9, 3e9, 5.5e9, STREAM_FSB}}},
    },
};

const size_t presets_table_count = sizeof presets_table / sizeof *presets_table;
