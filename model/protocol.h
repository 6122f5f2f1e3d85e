/* Protocols: the tables of step programs for broadcast and for allgather.
 *
 * model/protocol/NAME.h holds the program itself as static inline functions, so that
 * kernels/ can instantiate it; NAME.c exports it as one row of this table for
 * everyone who can afford a call. */
#ifndef SHMCOLL_MODEL_PROTOCOL_H
#define SHMCOLL_MODEL_PROTOCOL_H

#include "model/step.h"
#include "model/tree.h"

#include <stddef.h>

/* One rank's view of one call. size_bytes is the same on all ranks, as in MPI. */
struct bcast_call {
    uint64_t size_bytes;
    uint32_t fragment_bytes; /* f >= 1 */
    uint32_t slots;          /* s >= 1, all sets together */
    uint32_t sets;           /* q >= 1, divides slots */
    uint32_t lines;          /* eager: lines a rank, a power of two >= 2 */
    uint32_t readers_most;   /* peers' buffers: ranks that read one at a time, 0: all */
    uint32_t procs, rank, root;
    const struct tree *tree; /* built for procs */
    /* Allgather: size_bytes is that of all blocks together, rank r's at r * block_bytes; root and tree mean nothing. */
    uint64_t block_bytes;
    const uint32_t *others; /* [procs - 1] the other ranks, as this one reads them; NULL: from the next one on */
    uint32_t in_place;      /* the own block is there already */
    uint32_t fence;         /* no data: over when all ranks have ended their calls before */
};

/* Where a rank is in its program. Plain data. `op` counts across calls: start() takes the
 * value the previous call on this communicator left in the cursor at STEP_DONE. */
struct cursor {
    const struct bcast_call *call;
    uint64_t offset_bytes;
    uint32_t op;
    uint32_t set;
    uint32_t index;
    uint32_t child;
    uint32_t children;
    uint32_t state;
    uint32_t known, peer; /* for the protocol's own use */
};

/* What of the segment a protocol uses, and whether it needs to reach other ranks' user buffers. */
enum protocol_use {
    PROTOCOL_SLOTS = 1,
    PROTOCOL_SETS = 2,
    PROTOCOL_LINES = 4,
    PROTOCOL_PEERS = 8,
    PROTOCOL_SERVES = 16, /* readers' own buffers are read by others during the call */
    PROTOCOL_ALLGATHER = 32,
};

/* The parameters with which a protocol comes; fragment_bytes 0: none of its own. */
struct protocol_preset {
    uint32_t fragment_bytes, slots, sets;
    struct tree_shape tree;
};

struct protocol {
    const char *name;
    const char *summary;
    const char *needs; /* what supports() demands, to follow "needs"; NULL: nothing in particular */
    struct protocol_preset preset;
    uint32_t uses;     /* enum protocol_use, or-ed */
    uint32_t counters; /* of WORD_COUNTER, a rank */
    void (*start)(struct cursor *cursor, const struct bcast_call *call, uint32_t op);
    /* `seen` is the value that satisfied the last WAIT; ignored after any other step. */
    void (*next)(struct cursor *cursor, uint32_t seen, struct step *out);
    /* Value of a word before the first call, when counting starts at `op`. */
    uint32_t (*word_initial)(uint32_t word, uint32_t op);
    /* 0 if the protocol can run this call, else -EINVAL. */
    int (*supports)(const struct bcast_call *call);
};

extern const struct protocol protocol_pipelined;
extern const struct protocol protocol_eager;
extern const struct protocol protocol_counted;
extern const struct protocol protocol_single_copy;
extern const struct protocol protocol_cooperative;
extern const struct protocol protocol_shared_source;
extern const struct protocol protocol_slot_ring;
extern const struct protocol protocol_banked;
extern const struct protocol protocol_release_gather;

/* All protocols, NULL-terminated. */
extern const struct protocol *const protocol_table[];
/* NULL if there is no such name. */
const struct protocol *protocol_find(const char *name);

/* Allgather's own. Lanes of a communicator serve both: direct takes the slots of a broadcast's queue and has its own words. */
extern const struct protocol protocol_direct;
extern const struct protocol protocol_direct_line;
extern const struct protocol protocol_shared_blocks;
extern const struct protocol *const protocol_allgather_table[];
const struct protocol *protocol_allgather_find(const char *name);

#endif
