/* Communicators: the embedding interface of the kernels for broadcast and allgather.
 *
 * A communicator is created collectively by `procs` ranks, which may be processes or threads of any
 * origin. What they need to find each other comes as callbacks (struct comm_bootstrap). The library neither
 * forks nor pins, installs no signal handler and prints nothing. A struct comm belongs to one rank and
 * may be used by one thread at a time. Calls are collective, in the same order on all ranks.
 *
 * After an error a communicator stays in error, on all ranks, and can only be destroyed. */
#ifndef SHMCOLL_KERNELS_COMM_H
#define SHMCOLL_KERNELS_COMM_H

#include "kernels/copy.h"
#include "model/node.h"
#include "model/protocol.h"
#include "model/tree.h"

#include <stddef.h>
#include <stdint.h>

enum { COMM_REASON_BYTES = 256, COMM_NOTE_BYTES = 512, COMM_PROCS_MAX = 65534, COMM_COPY_AUTO = -1, COMM_LANES_MAX = 12 };

/* Collective among the ranks of the communicator to be; used in comm_create only. Each returns 0 or -errno and
 * should return an error when a peer has died. */
struct comm_bootstrap {
    void *context;
    /* all[r * bytes] = what rank r gave as mine. */
    int (*allgather)(void *context, const void *mine, void *all, size_t bytes);
    /* Passes rank 0's descriptor: *fd is given on rank 0, set on the others to a descriptor of
     * their own, which the library closes. */
    int (*share_fd)(void *context, int *fd);
};

/* How messages up to a size go: a protocol of the broadcast with its parameters and memory of its own. Allgathers go through the
 * same lanes, by the size of a block, or by lanes of their own, each in its own way (model/protocol/direct.h, shared_blocks.h):
 * through every rank's queue, or, where buffers lie in comm_area and the lane reaches into others' memory, straight from
 * there. */
struct comm_lane {
    const struct protocol *protocol;
    uint32_t fragment_bytes, slots, sets; /* what the protocol does not use may be 0 */
    uint32_t readers_most;                /* peers' buffers: so many ranks read one at a time, 0: all */
    struct tree_shape tree;
    uint64_t size_max_bytes; /* messages up to here, if no lane before takes them */
    uint64_t
        block_max_bytes; /* allgathers of blocks up to here, if no lane before takes them; 0 in all lanes: by size_max_bytes */
};

/* A wait that lasts: who waits for whom, at which step, for what value of which word. */
struct comm_stall {
    uint32_t rank;
    int64_t awaited;            /* rank; -1: more than one */
    const char *protocol, *step; /* their names */
    uint32_t call;              /* of this communicator, from 0 */
    char word[40];              /* "ack[2]" */
    uint32_t op, value, seen;   /* enum step_op; what is waited for, what is there */
    double waited_s;
    char text[COMM_REASON_BYTES]; /* all of it in one line */
};

struct comm_config {
    uint32_t procs, rank;
    uint32_t lanes;
    struct comm_lane lane[COMM_LANES_MAX]; /* by rising size_max_bytes */
    struct comm_lane without_peers; /* takes the place of lanes that reach into others' memory where that is forbidden, for the
                                       same sizes; protocol NULL: counted, with a queue that suits the cache */
    uint64_t area_bytes; /* memory in the segment for this rank's own buffers, see comm_area */
    int huge_pages;     /* try huge pages; comm_note says what came of it */
    int control_pages;  /* lane 0, which must be pipelined, has the paper's layout: one page a control block */
    int32_t domain_os;  /* where this rank's queue shall be; -1: where the rank runs now. If without memory, the nearest with */
    uint64_t llc_bytes; /* last-level cache, for the choice of copy routine; 0: ask the system */
    int copy_in, copy_out; /* enum copy_routine, or COMM_COPY_AUTO */
    void (*progress)(void *context); /* called now and then in every wait; may be NULL */
    void *progress_context;
    /* A rank the embedder knows to be dead, -1 if none; asked now and then in waits, beside the library's own means. May be
     * NULL. */
    int64_t (*dead_rank)(void *context);
    void *dead_rank_context;
    /* Stall watchdog: a wait that has lasted stall_report_s is told to `stall`, again when it has lasted twice as long, and so
     * on; the call goes on. Called by the waiting rank. 0: never. */
    double stall_report_s;
    void (*stall)(void *context, const struct comm_stall *stall);
    void *stall_context;
    double wait_limit_s; /* a wait that lasts longer is an error, -ETIMEDOUT; 0: it may last for ever */
    /* For tests and experiments. */
    uint32_t op_start;     /* counters start here */
    uint32_t delay_max_ns; /* random delay before every step */
    uint64_t seed;
    int generic_executor;  /* run the program through the protocol table instead of inline */
};

/* Data that does not lie in one piece. Both callbacks may be called with any [offset, offset + n) in order;
 * pack on the root, unpack on the others. */
struct comm_data {
    void *context;
    void (*pack)(void *context, uint64_t offset_bytes, void *to, size_t n);
    void (*unpack)(void *context, uint64_t offset_bytes, const void *from, size_t n);
};

struct comm;

/* Messages of up to a line eager, others pipelined with 64 slots of 8 KiB in one set; binary tree: what S1 found good. */
struct comm_config comm_config_default(uint32_t procs, uint32_t rank);
/* The same with one lane for everything. */
struct comm_config comm_config_of(uint32_t procs, uint32_t rank, const struct comm_lane *lane);

/* What a choice of lanes goes by. Everything is the same on all ranks. */
struct comm_surroundings {
    const struct node *node;      /* calibrated: a communicator never guesses */
    const uint32_t *core_of_rank; /* [procs] indices into the node's arrays */
    int buffers_warm;    /* user buffers are in the caches, else in memory */
    int buffers_in_area; /* they come from comm_area; area_bytes is the caller's to set */
    int threads;         /* all ranks are threads of one process */
    uint64_t budget_bytes; /* queues of a rank, all lanes; 0: the node's default */
};

/* Up to eight lanes for broadcasts and four for allgathers, whatever protocols and parameters are fastest by the node's costs
 * (model/choice_table.h), all queues within the budget, with what takes the place
 * of those that reach into other ranks' memory. Not collective; some tens of milliseconds for two ranks, some hundreds for eight.
 * 0; -ENOTSUP with one line in `reason` (or NULL) if the node lacks costs: calibrate it; -ENOMEM. *out is set only on success. */
int comm_config_best(uint32_t procs, uint32_t rank, const struct comm_surroundings *around, struct comm_config *out,
                     char reason[COMM_REASON_BYTES]);

/* Collective. All ranks succeed or all fail, if the bootstrap holds.
 *   config->procs, lanes, area_bytes, op_start and pages agree on all ranks
 *   reason  NULL, or gets one line when it fails
 * Returns 0; -EINVAL for parameters that make no sense or differ; -ENOMEM; other -errno. */
int comm_create(const struct comm_config *config, const struct comm_bootstrap *bootstrap, struct comm **out,
                char reason[COMM_REASON_BYTES]);
/* Does not wait for anyone: memory goes when the last rank leaves. NULL is allowed. */
void comm_destroy(struct comm *comm);

/* Broadcast of size_bytes (the same on all ranks, 0 allowed) from root's buffer to all others'.
 * Returns 0; -EINVAL (nothing done, as when no lane takes this size); -EOWNERDEAD if a peer died, -EPIPE if one left, -EPROTO if
 * the segment was corrupted or sizes differ, -ETIMEDOUT after config.wait_limit_s. comm_error_string says who. */
int comm_bcast(struct comm *comm, void *buffer, uint64_t size_bytes, uint32_t root);
int comm_bcast_packed(struct comm *comm, const struct comm_data *data, uint64_t size_bytes, uint32_t root);

/* Allgather of a block of block_bytes (the same on all ranks, 0 allowed) of each rank: receive[r * block_bytes] = that of rank r.
 *   send  the own block; NULL, or where it belongs in `receive`: it is there already. May differ between ranks
 * Returns as comm_bcast; -EINVAL also where the lane has the paper's layout (control_pages), in which there is no room. */
int comm_allgather(struct comm *comm, const void *send, void *receive, uint64_t block_bytes);

/* The last error of this communicator in one line, "" if there was none. */
const char *comm_error_string(const struct comm *comm);
/* The rank that failed first, -1 if none has. */
int64_t comm_error_rank(const struct comm *comm);
/* Memory of this rank's own within the segment, config.area_bytes of it, on the rank's domain, aligned to pages. Buffers that
 * lie there are read by the other ranks without a system call. It goes with the communicator. */
void *comm_area(const struct comm *comm);

/* How messages of that size go, which is another way than was configured where the host forbids that; NULL: not at all. */
const struct comm_lane *comm_lane_of(const struct comm *comm, uint64_t size_bytes);

/* What was asked for and could not be had (huge pages, reaching into other processes), and what takes its place; "" if
 * nothing. */
const char *comm_note(const struct comm *comm);

struct comm_audit {
    uint64_t pages, pages_misplaced;
    uint64_t segment_bytes;
    int32_t domain_os; /* where this rank's pages should be */
};
/* Where this rank's own range really is. 0; -ENOTSUP if the kernel does not tell. */
int comm_audit(struct comm *comm, struct comm_audit *out);

/* Whether some ranks share a cpu, so that waiting yields at once. */
int comm_crowded(const struct comm *comm);

#endif
