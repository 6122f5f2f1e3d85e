/* A node: cores, domains, caches, and what moving bytes between them costs.
 *
 * Every number carries an interval and a source; an unknown number is NAN, never a
 * guess. The struct owns its arrays: node_create/node_destroy, or a reader in model/formats.
 * A filled node is read-only and may be shared by threads. */
#ifndef SHMCOLL_MODEL_NODE_H
#define SHMCOLL_MODEL_NODE_H

#include <stddef.h>
#include <stdint.h>

enum { NODE_NAME_BYTES = 64, QUANTITY_SOURCE_BYTES = 96 };

/* A value with its interval [low, high] (both equal to value when none is known) and where it is
 * from: "measured", "assumed", or a citation. Unknown: value is NAN. */
struct quantity {
    double value, low, high;
    char source[QUANTITY_SOURCE_BYTES];
};

struct quantity quantity_unknown(void);
struct quantity quantity_of(double value, const char *source);
struct quantity quantity_within(double value, double low, double high, const char *source);
int quantity_known(const struct quantity *q);
/* The value, or `otherwise` when unknown. */
double quantity_or(const struct quantity *q, double otherwise);

/* How far a cache line travels between two cores. */
enum handover_class {
    HANDOVER_SAME_CORE,    /* ranks sharing a core */
    HANDOVER_SAME_CACHE,   /* last-level cache (or die) shared */
    HANDOVER_SAME_SOCKET,  /* same socket, other last-level cache or domain */
    HANDOVER_CROSS_SOCKET,
    HANDOVER_CLASS_COUNT
};

/* What a copy finds and leaves, seen by the one core that does it. The queue side was last
 * touched by another core; "cold" user memory is in no cache, "warm" is in the core's own. */
enum copy_class {
    COPY_IN_COLD,    /* cold user memory -> queue slot */
    COPY_IN_WARM,    /* warm user memory -> queue slot */
    COPY_OUT_COLD,   /* queue slot -> cold user memory */
    COPY_OUT_WARM,   /* queue slot -> warm user memory */
    COPY_PLAIN_COLD, /* cold user memory -> cold user memory: the single-copy limit */
    COPY_CLASS_COUNT
};

/* Uncontended time of one copy of n bytes: start_ns + n * s_per_byte. */
struct copy_cost {
    struct quantity start_ns;
    struct quantity s_per_byte;
};

/* A measured copy: replaces the line above where given, interpolated in log2 of the three sizes.
 * queue_bytes is the span of slots used in turn, which decides where a slot is found; message_bytes
 * how much is streamed in all: the first bytes of a cold buffer cost more. 0 stands for "any". */
struct copy_point {
    enum copy_class copy_class;
    uint64_t fragment_bytes;
    uint64_t queue_bytes;
    uint64_t message_bytes;
    struct quantity time_s;   /* by one core, the others quiet */
    struct quantity beside_s; /* while another core does the counterpart (copy-out beside copy-in) */
};

/* What decides the time of one copy. queue_bytes 0: the smallest measured; message_bytes 0: the largest. */
struct copy_context {
    enum copy_class copy_class;
    uint64_t bytes, queue_bytes, message_bytes;
};

/* Bytes copied per second by `cores` cores of one domain together. */
struct bandwidth_point {
    uint32_t cores;
    struct quantity bytes_per_s;
};

/* The four parameters of the cost model (S1 5.2), as seconds. */
struct paper_costs {
    struct quantity t_s_per_byte; /* t */
    struct quantity t_w_s;        /* waiting for one fragment's notification */
    struct quantity t_wo_s;       /* waiting for a set to open */
    struct quantity t_a_s;        /* the atomic decrement */
};

struct node {
    char name[NODE_NAME_BYTES];
    char description[160];

    uint32_t domains, sockets, cores;
    uint32_t *core_domain; /* [core] */
    uint32_t *core_socket; /* [core] */
    uint32_t *core_cache;  /* [core] id of its last-level cache */
    uint32_t *core_os;     /* [core] the operating system's cpu number */
    uint32_t *domain_os;   /* [domain] the operating system's node number */
    uint64_t *domain_memory_bytes; /* [domain], 0 unknown or memory-less */
    double *distance;      /* [i*domains + j], SLIT-like, 10 on the diagonal */

    uint32_t line_bytes, page_bytes;
    uint64_t l1_bytes, l2_bytes; /* per core, data or unified; 0 unknown */
    uint64_t llc_bytes;          /* one last-level cache */

    /* 1: costs are `paper` alone; copies never share anything, notifications only cost t_w etc. */
    int contention_free;
    struct paper_costs paper;

    struct quantity handover_ns[HANDOVER_CLASS_COUNT]; /* one way, from the store to the reader's load done */
    double *pair_handover_ns; /* [i*cores + j], i writer, j reader; NULL if there is none; NAN entries fall back to the class */
    struct quantity fetch_ns; /* a load of a line the nearest core wrote a while ago; a hand-over where unknown: there the load
                                 waits for the store as well */
    struct quantity store_ns;  /* one notification store at the writer beyond the first in a row */
    struct quantity atomic_ns; /* atomic add on a line in the own cache */
    struct quantity packet_ns; /* sending a packet from endpoint to endpoint and taking it in, beyond copies and hand-over */
    struct quantity cold_ns;   /* a copy of a few bytes whose lines are in no cache: until they have come. A colder start than
                                  start_ns, which copies one after the other share, has the first of a message */
    struct quantity step_ns;   /* executing one step of a protocol, no miss */
    struct quantity call_ns;   /* entering and leaving one collective call */
    struct quantity peer_call_ns; /* the kernel's copy from another process's memory, beyond the same copy within one: a call, */
    struct quantity peer_page_ns; /* and each of its pages; unknown: nothing beyond */

    /* Many who read what one core has just written; see shared_read.h. */
    struct quantity serve_ns;             /* many spin on a line: from one hand-over's begin to the next's; unknown: its end */
    struct quantity detour;               /* ... on two sockets: those beside the writer get it so many far hand-overs later */
    struct quantity fresh_s_per_byte;     /* the part of a message that its writer has in its first-level cache */
    struct quantity slice_s_per_byte;     /* by a core's slice of the last-level cache, for all who read beside the writer */
    struct quantity contested_s_per_byte; /* readers on several sockets, each of them; */
    struct quantity lone_slowdown;        /* and while only one is away from the writer's socket, against that; >= 0 */

    struct copy_cost copy[COPY_CLASS_COUNT];
    struct copy_point *copy_points; /* [copy_point_count] */
    size_t copy_point_count;

    struct bandwidth_point *bandwidth; /* [bandwidth_count], per domain controller, by rising cores */
    size_t bandwidth_count;
    struct quantity overlap_slowdown; /* copy-in beside copy-out on another core, time against alone; >= 1 */
    struct quantity remote_ratio;     /* copy rate with one side on another domain / local rate, in (0, 1] */
    struct quantity link_bytes_per_s; /* between two sockets, one direction */
};

/* Allocates the arrays, one domain, socket and cache for all cores, quantities unknown.
 * 0; -EINVAL if a count is 0; -ENOMEM. */
int node_create(struct node *out, uint32_t domains, uint32_t cores);
void node_destroy(struct node *node);
/* Deep copy. 0 or -ENOMEM. */
int node_copy(struct node *out, const struct node *node);

enum handover_class node_handover_class(const struct node *node, uint32_t core_a, uint32_t core_b);
/* One-way hand-over in ns; a class unknown falls back to the next nearer known one; NAN if none is known. */
double node_handover_ns(const struct node *node, uint32_t writer_core, uint32_t reader_core);
/* fetch_ns against the hand-over of the nearest known class, for scaling it to farther cores; 1 if unknown, never above. */
double node_fetch_share(const struct node *node);
/* Sockets before one memory have their caches on its bus as well: whether what one core's cache has of the other's passes it. */
int node_caches_by_bus(const struct node *node, uint32_t core_a, uint32_t core_b);
/* Seconds of one copy by one core, both sides on its own domain: `alone`, and beside the counterpart on
 * another core (overlap_slowdown where no such time was measured). NAN if the class is unknown. */
double node_copy_alone_s(const struct node *node, const struct copy_context *copy);
double node_copy_beside_s(const struct node *node, const struct copy_context *copy);
/* Seconds by which the kernel's copy between two processes takes longer than the same copy within one; 0 where unknown. */
double node_peer_extra_s(const struct node *node, uint64_t bytes);
/* Seconds from a slot of another rank's to an own one: what a copy-in and a copy-out cost beyond a plain copy, as if the two
 * sides of a copy added; never less than either with warm user memory. NAN if unknown. */
double node_copy_relay_s(const struct node *node, uint64_t bytes, uint64_t queue_bytes, uint64_t message_bytes);
/* node_copy_alone_s for a long message. */
double node_copy_s(const struct node *node, enum copy_class copy_class, uint64_t bytes, uint64_t queue_bytes);
/* Bytes copied per second by n cores of one domain together, interpolated and flat outside; NAN if unknown. */
double node_bandwidth_bytes_per_s(const struct node *node, double cores);

const char *handover_class_name(enum handover_class c);
const char *copy_class_name(enum copy_class c);

#endif
