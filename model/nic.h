/* A network interface: what lies between two cores that exchange messages, stage by stage, and what operations it has.
 *
 * A message crosses the sender's bus, its interface, the link with its routers, the receiver's interface and its bus. Each stage
 * delays what passes by a latency, and lets a byte pass every so often; an interface begins an operation after another only after
 * a gap. What passes is cut through: it leaves a stage before it has come there whole, but no stage is faster than the slowest
 * behind it. The cores beside it put descriptors together, copy, and look for what has come. As of a node, every number has a
 * source. */
#ifndef SHMCOLL_MODEL_NIC_H
#define SHMCOLL_MODEL_NIC_H

#include "model/node.h"

enum nic_stage { NIC_STAGE_CORE, NIC_STAGE_BUS_OUT, NIC_STAGE_NIC_OUT, NIC_STAGE_LINK, NIC_STAGE_NIC_IN, NIC_STAGE_BUS_IN,
                 NIC_STAGE_COUNT };
/* "core", "bus out", ... */
const char *nic_stage_name(enum nic_stage stage);

/* Software above the channels: what it adds to a message at each end. */
struct nic_layer {
    const char *name, *summary;
    struct quantity send_ns, receive_ns;
    uint32_t head_bytes; /* goes with the first packet of a message */
    int copies;          /* payload passes the buffers of the channel; 0: what the interface does, alone */
    int packs;           /* a callback packs: nobody knows how much it will be before it has */
};

enum { NIC_LAYERS_MOST = 8 };

struct nic {
    const char *network; /* whose it is */
    /* a core */
    struct quantity post_ns;      /* a descriptor is put together and handed over, without */
    struct quantity line_ns;      /* each line of 64 bytes written to the interface */
    struct quantity poll_ns;      /* what has come is found and read */
    struct quantity copy_start_ns, copy_byte_ns, copy_cold_byte_ns;
    struct quantity register_ns, register_page_ns; /* memory for the interface: a call, and each page */
    struct quantity register_hit_ns;               /* it is found registered */
    uint32_t register_entries, page_bytes;
    /* the stages */
    struct quantity bus_ns, bus_byte_ns; /* one way */
    struct quantity memory_ns;           /* a read of the interface is answered */
    struct quantity nic_ns, nic_gap_ns;
    struct quantity link_ns, link_byte_ns;
    uint32_t packet_bytes; /* the most of a message on the link at a time */
    uint32_t head_bytes;   /* of each of them, of a descriptor with its data, and of a packet in a queue */
    uint32_t descriptor_bytes, request_bytes, event_bytes;
    uint32_t immediate_bytes; /* the most that a descriptor carries itself */
    uint32_t reads;           /* packets of an operation asked for before the first has come */
    struct nic_layer layer[NIC_LAYERS_MOST];
    size_t layers, usual; /* usual: the one if none is named */
};

/* The interface that goes with a network of that name, of which what follows a colon is a layer's; NULL: nobody has described
 * one. */
const struct nic *nic_find(const char *network);
/* One of its layers, the usual one if the name is NULL; NULL: it has none of that name. */
const struct nic_layer *nic_layer_find(const struct nic *nic, const char *name);

/* The interface with links of that many nanoseconds a byte, unless that is what its slowest stage has anyway. */
struct nic nic_of_port(const struct nic *nic, double byte_ns);

/* The same in picoseconds, bytes in femtoseconds. */
struct nic_ps {
    uint64_t post_ps, line_ps, poll_ps, copy_start_ps, register_ps, register_page_ps, register_hit_ps;
    uint64_t copy_byte_fs, copy_cold_byte_fs;
    uint64_t latency_ps[NIC_STAGE_COUNT], gap_ps[NIC_STAGE_COUNT], byte_fs[NIC_STAGE_COUNT];
    uint64_t memory_ps;
    uint32_t packet_bytes, head_bytes, descriptor_bytes, request_bytes, event_bytes, immediate_bytes, reads;
    uint32_t register_entries, page_bytes;
    uint64_t send_ps, receive_ps; /* of the layer */
    uint32_t layer_bytes;
    int copies, packs;
};

struct nic_ps nic_ps_of(const struct nic *nic, const struct nic_layer *layer);

/* To the nearest picosecond. */
static inline uint64_t nic_bytes_ps(uint64_t bytes, uint64_t byte_fs)
{
    return bytes / 1000 * byte_fs + (bytes % 1000 * byte_fs + 500) / 1000;
}

static inline uint64_t nic_stage_ps(const struct nic_ps *p, enum nic_stage stage, uint64_t bytes)
{
    return nic_bytes_ps(bytes, p->byte_fs[stage]);
}

/* The core writes so many bytes to the interface. */
static inline uint64_t nic_post_ps(const struct nic_ps *p, uint64_t bytes)
{
    return p->post_ps + (bytes + 63) / 64 * p->line_ps;
}

static inline uint64_t nic_copy_ps(const struct nic_ps *p, uint64_t bytes, int cold)
{
    return p->copies && bytes ? p->copy_start_ps + nic_bytes_ps(bytes, cold ? p->copy_cold_byte_fs : p->copy_byte_fs) : 0;
}

static inline uint64_t nic_register_ps(const struct nic_ps *p, uint64_t bytes)
{
    return p->register_ps + (bytes + p->page_bytes - 1) / p->page_bytes * p->register_page_ps;
}

#endif
