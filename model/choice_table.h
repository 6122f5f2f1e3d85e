/* best: which protocol with which parameters carries a broadcast of which size, or an allgather of which block size, from what
 * the node costs. Of allgather these are the protocols that go by steps, which is what a communicator has; schedules need
 * endpoints.
 *
 * A table has a lane for each range of sizes, few enough for a communicator to hold them all: each lane is a queue of its
 * own, and all together stay within a budget. Pure; made once a communicator, on every rank with the same answer. */
#ifndef SHMCOLL_MODEL_CHOICE_TABLE_H
#define SHMCOLL_MODEL_CHOICE_TABLE_H

#include "model/scenario.h"

enum { CHOICE_LANES_MAX = 8 };

/* What the environment permits. Where buffers are in shared memory, or ranks in one process, peers are always in reach. */
struct choice_permits {
    int peers;              /* ranks reach into each other's private memory through the kernel */
    int no_lines;           /* lines for short messages cannot be had */
    uint64_t budget_bytes;  /* queues of a rank, all lanes; 0: the node's default */
    uint32_t lanes_most;    /* 0: CHOICE_LANES_MAX */
};

struct choice_lane {
    struct params params;
    uint64_t size_max_bytes; /* messages up to here that no lane before takes */
    double time_s;           /* predicted for that size, or for the largest size asked about; NAN where ranks share cores, and
                                in an allgather of many */
};

struct choice_table {
    struct choice_lane lane[CHOICE_LANES_MAX];
    uint32_t lanes;
    uint32_t candidates; /* judged */
    char reason[200];    /* one line, set whenever it fails */
};

/* For the scenario's kind of job, node, placement, ranks and conditions; its size and params are ignored.
 * 0; -ENOTSUP if the node lacks costs; -EINVAL; -ENOMEM: see reason. */
int choice_table_make(const struct scenario *scenario, const struct choice_permits *permits, struct choice_table *out);

/* The lane that takes a size; the last one has no limit. */
const struct choice_lane *choice_table_find(const struct choice_table *table, uint64_t size_bytes);

#endif
