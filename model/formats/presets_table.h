/* The numbers of the described nodes, as presets.c reads them. */
#ifndef SHMCOLL_MODEL_FORMATS_PRESETS_TABLE_H
#define SHMCOLL_MODEL_FORMATS_PRESETS_TABLE_H

#include "model/node.h"

enum { PRESET_BANDWIDTH_MAX = 8 };

/* A node of equal sockets, each of equal domains, each with equal last-level caches. */
struct preset {
    const char *name, *description;
    uint32_t sockets, cores_per_socket, page_bytes;
    uint32_t domains_per_socket, caches_per_domain; /* 0: one */
    int one_memory;                                 /* behind all sockets: they are one domain */
    uint64_t memory_per_socket_bytes, l1_bytes, l2_bytes, llc_bytes;
    double remote_distance, socket_distance; /* to another socket's domains; to the same one's others */
    int contention_free;
    struct paper_costs paper;
    struct quantity handover_ns[HANDOVER_CLASS_COUNT];
    struct quantity store_ns, atomic_ns, step_ns, call_ns;
    struct quantity serve_ns, detour, fresh_s_per_byte, slice_s_per_byte, contested_s_per_byte, lone_slowdown;
    struct copy_cost copy[COPY_CLASS_COUNT];
    struct bandwidth_point bandwidth[PRESET_BANDWIDTH_MAX];
    struct quantity overlap_slowdown, remote_ratio, link_bytes_per_s;
};

extern const struct preset presets_table[];
extern const size_t presets_table_count;

#endif
