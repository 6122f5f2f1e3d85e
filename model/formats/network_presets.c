#include "model/formats/network_presets.h"

#include <math.h>

#define UNKNOWN {NAN, NAN, NAN, "unknown"}
#define EXACT(v, text) {v, v, v, text}
#define WITHIN(v, least, most, text) {v, least, most, text}

/* S2 gives one-way times of a byte and rates of a core. The rate is the sender's part, o = g = 1 / rate; with the same for the
 * receiver what is left of MPI's 0.95 us is L, for all layers; what the others' times leave is shared by the two ends. */
/* S2's "port rate 14 Gbps" is taken for that of a lane, of 8: a port of 14 Gbit/s would carry both MPIs' messages alike from 460
 * bytes on, and S2 Fig. 9 finds one ahead to 4 KiB. 64 of 66 bits are data. The interface (model/nic.c) has the same. */
#define TIANHE_BYTE_NS (8 / 14.0 / 8 * 66 / 64)
#define TIANHE_L EXACT(579.6, "S2: 0.95 us of 1 byte over CH4-UCX, less both overheads")
#define TIANHE_O EXACT(185.2, "S2: 5.4 M messages/s over CH4-UCX; the receiver's assumed the same")
#define TIANHE_G EXACT(185.2, "S2: 5.4 M messages/s over CH4-UCX")

const struct network network_presets[] = {
    {
        .name = "tianhe",
        .description = "Tianhe's own interconnect (S2), short messages by immediate put; layers glex, uct, ucp, ofi, ch4, ch3",
        .kind = NETWORK_FAT_TREE,
        .latency_ns = TIANHE_L,
        .overhead_ns = TIANHE_O,
        .gap_ns = TIANHE_G,
        .receiver_gap_ns = EXACT(185.2, "assumed: as the sender's"),
        .byte_ns = EXACT(TIANHE_BYTE_NS, "S2: 14 Gbit/s; assumed: a lane's, of 8, 64 of 66 bits"),
        .levels = 4,
        .radix = 24,
        .oversubscription = 1, /* shape assumed: switches of 24 ports, enough of them */
        .switch_ns = EXACT(100, "assumed"),
        .link_byte_ns = EXACT(TIANHE_BYTE_NS, "assumed: as the port"),
        .layer = {{"glex", EXACT(60.2, "assumed: 0.70 us raw (S2: UCT less up to 0.2), less L, halved"), UNKNOWN},
                  {"uct", EXACT(155.2, "S2: 0.89 us of 1 byte, less L, halved"), UNKNOWN},
                  {"ucp", EXACT(165.2, "S2: 0.91 us of 1 byte, less L, halved"), UNKNOWN},
                  {"ofi", EXACT(170.2, "S2: 0.92 us, 0.01 above UCP, less L, halved"), UNKNOWN},
                  {"ch4", TIANHE_O, TIANHE_G},
                  {"ch3", EXACT(245.2, "S2: 1.07 us of 1 byte, less L, halved"),
                   EXACT(263.2, "S2: 3.8 M messages/s over CH3-GLEX")}},
        .layers = 6,
    },
    {
        .name = "infiniband-ddr",
        .description = "InfiniBand 4x DDR behind PCIe 1.1 x8, one switch, as of S3's second cluster",
        .kind = NETWORK_SWITCH,
        .latency_ns = WITHIN(1200, 900, 1800, "assumed: one way of MPI about 2 us"),
        .overhead_ns = WITHIN(400, 200, 600, "assumed: one way of MPI about 2 us"),
        .gap_ns = EXACT(300, "assumed: some 3 M messages/s"),
        .receiver_gap_ns = EXACT(300, "assumed: as the sender's"),
        .byte_ns = WITHIN(0.69, 0.5, 0.83, "assumed: 1.45 GB/s behind PCIe 1.1 x8; least: 16 Gbit/s, 4x DDR after 8b/10b"),
        .switch_ns = UNKNOWN,
        .link_byte_ns = UNKNOWN,
    },
    {
        .name = "gigabit",
        .description = "Gigabit Ethernet, TCP, one switch, as of S3's first cluster; no loss and no collapse",
        .kind = NETWORK_SWITCH,
        .latency_ns = WITHIN(30000, 20000, 60000, "assumed: one way of MPI over TCP about 50 us"),
        .overhead_ns = WITHIN(10000, 5000, 15000, "assumed: system call and interrupt"),
        .gap_ns = EXACT(1000, "assumed"),
        .receiver_gap_ns = EXACT(1000, "assumed: as the sender's"),
        .byte_ns = EXACT(8.497, "IEEE 802.3 at 1 Gbit/s: 1448 bytes of TCP in 1538 byte times"),
        .switch_ns = UNKNOWN,
        .link_byte_ns = UNKNOWN,
    },
    {
        .name = "infiniband-hdr",
        .description = "InfiniBand 4x HDR, 200 Gbit/s, full fat tree of switches with 40 ports",
        .kind = NETWORK_FAT_TREE,
        .latency_ns = WITHIN(700, 600, 900, "assumed: one way of MPI about 1 us"),
        .overhead_ns = WITHIN(150, 100, 200, "assumed: one way of MPI about 1 us"),
        .gap_ns = WITHIN(50, 4.65, 150, "assumed; least: 215 M messages/s, ConnectX-6 product brief"),
        .receiver_gap_ns = EXACT(50, "assumed: as the sender's"),
        .byte_ns = EXACT(0.04, "InfiniBand HDR 4x: 200 Gbit/s"),
        .levels = 3,
        .radix = 40,
        .oversubscription = 1, /* Quantum QM8700: 40 ports of HDR; levels assumed */
        .switch_ns = EXACT(130, "NVIDIA Quantum QM8700 data sheet: 130 ns from port to port"),
        .link_byte_ns = EXACT(0.04, "InfiniBand HDR 4x: 200 Gbit/s"),
    },
    {.name = ""},
};
