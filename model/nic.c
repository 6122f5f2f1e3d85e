#include "model/nic.h"

#include <math.h>
#include <string.h>

/* Of a packet that writes to memory, by the InfiniBand specification: local route 8, base transport 12, address 16, checksums
 * 6. */
enum { INFINIBAND_HEAD_BYTES = 42 };
#define ASSUMED(number, why) {.value = number, .low = number, .high = number, .source = "assumed: " why}
#define STATED(number, why) {.value = number, .low = number, .high = number, .source = "calibrated to S2: " why}

/* Of the layers' sums S2 says .89, .91, .95 and 1.07 us for ER, of the receiver's part (which is taken for the busier: it matches
 * tags) the rates. Where the sum is divided otherwise is assumed. */
static const struct nic tianhe = {
    .network = "tianhe",
    .post_ns = ASSUMED(30, "fence and descriptor"),
    .line_ns = ASSUMED(10, "a write-combined line"),
    .poll_ns = ASSUMED(40, "two lines from the last-level cache"),
    .copy_start_ns = ASSUMED(10, "a call"),
    .copy_byte_ns = ASSUMED(0.1, "10 GB/s in the caches of an E5-2692v2"),
    .copy_cold_byte_ns = ASSUMED(0.16, "6.3 GB/s, one core of an E5-2630v4"),
    .register_ns = ASSUMED(2000, "a system call"),
    .register_page_ns = ASSUMED(100, "pinning a page and its entry in the interface"),
    .register_hit_ns = ASSUMED(50, "a look-up"),
    .register_entries = 1024,
    .page_bytes = 4096,
    .bus_ns = ASSUMED(130, "PCIe 3, one way"),
    .bus_byte_ns = ASSUMED(0.0699, "PCIe 3 x16, 256 bytes with 26 of head"),
    .memory_ns = ASSUMED(70, "answered by the last-level cache"),
    .nic_ns = ASSUMED(60, "an interface's pass"),
    .nic_gap_ns = ASSUMED(50, "20 million operations a second"),
    .link_ns = STATED(237.575, "what is left of raw 0.70 us, 0.19 below UCT's .89 (it says < 0.2)"),
    .link_byte_ns = ASSUMED(8 / 14.0 / 8 * 66 / 64, "S2's 14 Gbit/s is a lane's, of 8, 64 of 66 bits"),
    .packet_bytes = 2048,
    .head_bytes = 32,
    .descriptor_bytes = 64,
    .request_bytes = 24,
    .event_bytes = 16,
    .immediate_bytes = 112, /* 64 bytes with a head, and not 128 (S2 6) */
    .reads = 16,
    .layer = {{"glex", "the interface alone", ASSUMED(0, "raw"), ASSUMED(0, "raw"), 0, 0, 0},
              {"uct", "UCX transport", STATED(68.1, "0.89 us"), STATED(110, "0.89 us"), 8, 1, 1},
              {"ucp", "UCX protocols, tag matching", STATED(73.7, "0.91 us"), STATED(125, "0.91 us"), 16, 1, 1},
              {"ofi", "OFI over UCP", STATED(79.7, "0.92 us"), STATED(129, "0.92 us"), 16, 1, 1},
              {"ch4", "MPI, CH4 over UCP", STATED(105.5, "0.95 us"), STATED(133.2, "5.4 M messages/s"), 16, 1, 1},
              {"ch3", "MPI, CH3 over the interface", STATED(135.6, "1.07 us"), STATED(210.8, "3.8 M messages/s"), 48, 1, 0}},
    .layers = 6,
    .usual = 4,
};

/* MPI's one way of a byte is 2 us, 0.4 of it at each core, as the network has it (network_presets.c); how the rest divides is
 * assumed. */
static const struct nic infiniband_ddr = {
    .network = "infiniband-ddr",
    .post_ns = ASSUMED(100, "descriptor, fence and doorbell"),
    .line_ns = ASSUMED(20, "a line over PCIe 1.1"),
    .poll_ns = ASSUMED(60, "a completion from memory"),
    .copy_start_ns = ASSUMED(10, "a call"),
    .copy_byte_ns = ASSUMED(0.25, "4 GB/s in the caches of an E5420"),
    .copy_cold_byte_ns = ASSUMED(0.5, "2 GB/s over its front-side bus"),
    .register_ns = ASSUMED(5000, "a system call and a command to the interface"),
    .register_page_ns = ASSUMED(200, "pinning a page and its entry in the interface"),
    .register_hit_ns = ASSUMED(50, "a look-up"),
    .register_entries = 1024,
    .page_bytes = 4096,
    .bus_ns = ASSUMED(200, "PCIe 1.1, one way"),
    .bus_byte_ns = ASSUMED(0.69, "1.45 GB/s of the 2 of PCIe 1.1 x8"),
    .memory_ns = ASSUMED(120, "answered by memory behind the chipset"),
    .nic_ns = ASSUMED(250, "an interface's pass"),
    .nic_gap_ns = ASSUMED(300, "some 3 M messages/s"),
    .link_ns = ASSUMED(259.29, "what is left of L, 1.2 us"),
    .link_byte_ns = {.value = 0.5, .low = 0.5, .high = 0.5, .source = "InfiniBand 4x DDR: 16 Gbit/s after 8b/10b"},
    .packet_bytes = 2048,                        /* an MTU */
    .head_bytes = INFINIBAND_HEAD_BYTES,
    .descriptor_bytes = 64,
    .request_bytes = 24,
    .event_bytes = 32,
    .immediate_bytes = 128, /* inline in a descriptor: assumed */
    .reads = 16,
    .layer = {{"mpi", "MPI over verbs", ASSUMED(280, "o less the post"), ASSUMED(329.75, "o less poll and copy"), 16, 1, 0}},
    .layers = 1,
};

/* The same of 1 us and 0.15. */
static const struct nic infiniband_hdr = {
    .network = "infiniband-hdr",
    .post_ns = ASSUMED(30, "descriptor and fence"),
    .line_ns = ASSUMED(10, "a write-combined line"),
    .poll_ns = ASSUMED(40, "a completion from the last-level cache"),
    .copy_start_ns = ASSUMED(10, "a call"),
    .copy_byte_ns = ASSUMED(0.1, "10 GB/s in caches"),
    .copy_cold_byte_ns = ASSUMED(0.16, "6.3 GB/s, one core"),
    .register_ns = ASSUMED(2000, "a system call and a command to the interface"),
    .register_page_ns = ASSUMED(100, "pinning a page and its entry in the interface"),
    .register_hit_ns = ASSUMED(50, "a look-up"),
    .register_entries = 1024,
    .page_bytes = 4096,
    .bus_ns = ASSUMED(110, "PCIe 4, one way"),
    .bus_byte_ns = ASSUMED(0.035, "PCIe 4 x16, 256 bytes with 26 of head"),
    .memory_ns = ASSUMED(70, "answered by the last-level cache"),
    .nic_ns = ASSUMED(80, "an interface's pass"),
    .nic_gap_ns = {.value = 4.65, .low = 4.65, .high = 4.65, .source = "ConnectX-6 product brief: 215 M messages/s"},
    .link_ns = ASSUMED(317.64, "what is left of L, 0.7 us; a switch with it"),
    .link_byte_ns = {.value = 0.04, .low = 0.04, .high = 0.04, .source = "InfiniBand HDR 4x: 200 Gbit/s"},
    .packet_bytes = 4096,                        /* an MTU */
    .head_bytes = INFINIBAND_HEAD_BYTES,
    .descriptor_bytes = 64,
    .request_bytes = 24,
    .event_bytes = 64,
    .immediate_bytes = 128, /* inline in a descriptor: assumed */
    .reads = 16,
    .layer = {{"mpi", "MPI over verbs", ASSUMED(110, "o less the post"), ASSUMED(99.9, "o less poll and copy"), 16, 1, 0}},
    .layers = 1,
};

static const struct nic *const nics[] = {&tianhe, &infiniband_ddr, &infiniband_hdr};

const char *nic_stage_name(enum nic_stage stage)
{
    static const char *const names[] = {"core", "bus out", "nic out", "link", "nic in", "bus in"};
    return stage < NIC_STAGE_COUNT ? names[stage] : "";
}

const struct nic *nic_find(const char *network)
{
    for (size_t i = 0; i < sizeof nics / sizeof *nics; i++)
        if (strlen(nics[i]->network) == strcspn(network, ":") &&
            strncmp(nics[i]->network, network, strlen(nics[i]->network)) == 0)
            return nics[i];
    return NULL;
}

const struct nic_layer *nic_layer_find(const struct nic *nic, const char *name)
{
    for (size_t i = 0; i < nic->layers && name; i++)
        if (strcmp(nic->layer[i].name, name) == 0)
            return &nic->layer[i];
    return name ? NULL : &nic->layer[nic->usual];
}

struct nic nic_of_port(const struct nic *nic, double byte_ns)
{
    struct nic out = *nic;
    if (byte_ns > 0 && byte_ns != fmax(nic->link_byte_ns.value, nic->bus_byte_ns.value)) {
        out.link_byte_ns.value = byte_ns;
        out.link_byte_ns.low = out.link_byte_ns.high = out.link_byte_ns.value;
    }
    return out;
}

static uint64_t ps(const struct quantity *ns)
{
    return ns->value > 0 ? (uint64_t)llround(ns->value * 1e3) : 0;
}

static uint64_t fs(const struct quantity *ns)
{
    return ns->value > 0 ? (uint64_t)llround(ns->value * 1e6) : 0;
}

struct nic_ps nic_ps_of(const struct nic *n, const struct nic_layer *layer)
{
    struct nic_ps p = {.post_ps = ps(&n->post_ns), .line_ps = ps(&n->line_ns), .poll_ps = ps(&n->poll_ns),
                       .copy_start_ps = ps(&n->copy_start_ns), .copy_byte_fs = fs(&n->copy_byte_ns),
                       .copy_cold_byte_fs = fs(&n->copy_cold_byte_ns), .register_ps = ps(&n->register_ns),
                       .register_page_ps = ps(&n->register_page_ns), .register_hit_ps = ps(&n->register_hit_ns),
                       .register_entries = n->register_entries, .page_bytes = n->page_bytes, .memory_ps = ps(&n->memory_ns),
                       .packet_bytes = n->packet_bytes, .head_bytes = n->head_bytes, .descriptor_bytes = n->descriptor_bytes,
                       .request_bytes = n->request_bytes, .event_bytes = n->event_bytes, .immediate_bytes = n->immediate_bytes,
                       .reads = n->reads, .send_ps = ps(&layer->send_ns), .receive_ps = ps(&layer->receive_ns),
                       .layer_bytes = layer->head_bytes, .copies = layer->copies, .packs = layer->packs};
    p.latency_ps[NIC_STAGE_BUS_OUT] = p.latency_ps[NIC_STAGE_BUS_IN] = ps(&n->bus_ns);
    p.byte_fs[NIC_STAGE_BUS_OUT] = p.byte_fs[NIC_STAGE_BUS_IN] = fs(&n->bus_byte_ns);
    p.latency_ps[NIC_STAGE_NIC_OUT] = p.latency_ps[NIC_STAGE_NIC_IN] = ps(&n->nic_ns);
    p.gap_ps[NIC_STAGE_NIC_OUT] = p.gap_ps[NIC_STAGE_NIC_IN] = ps(&n->nic_gap_ns);
    p.latency_ps[NIC_STAGE_LINK] = ps(&n->link_ns);
    p.byte_fs[NIC_STAGE_LINK] = p.byte_fs[NIC_STAGE_NIC_IN] = fs(&n->link_byte_ns);
    return p;
}
