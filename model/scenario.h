/* Scenario in, outcome out: the one question that model, sim and run all answer.
 *
 * A scenario borrows everything it points to. An outcome owns its arrays; outcome_destroy
 * frees them. Evaluators are pure but for `run`, which starts processes. */
#ifndef SHMCOLL_MODEL_SCENARIO_H
#define SHMCOLL_MODEL_SCENARIO_H

#include "model/node.h"
#include "model/protocol.h"
#include "model/tree.h"

#include <stddef.h>
#include <stdint.h>

enum job_kind { JOB_BCAST, JOB_ALLGATHER, JOB_P2P };

struct job_bcast {
    uint64_t size_bytes;
    uint32_t root;
};

struct job_allgather {
    uint64_t block_bytes; /* of each rank */
    int in_place;         /* the own block is where it belongs */
};

/* From rank 0 to rank 1, the only ones. */
enum p2p_pattern {
    P2P_PINGPONG, /* there and back, one message at a time: its time is half of that */
    P2P_STREAM,   /* `window` messages posted one after the other, and an empty one back when all have come: that time / window */
};

struct job_p2p {
    uint64_t size_bytes;
    enum p2p_pattern pattern;
    uint32_t window; /* of P2P_STREAM: >= 1 */
};

struct job {
    enum job_kind kind;
    uint32_t procs;
    union {
        struct job_bcast bcast;
        struct job_allgather allgather;
        struct job_p2p p2p;
    };
};

/* "bcast", "allgather", "p2p". */
const char *job_name(const struct job *job);
/* "pingpong", "stream". */
const char *p2p_pattern_name(enum p2p_pattern pattern);
/* The size by which the job goes: of the message, or of a block. */
uint64_t job_size_bytes(const struct job *job);
void job_size_set(struct job *job, uint64_t bytes);
/* What every rank has in the end. */
uint64_t job_message_bytes(const struct job *job);
/* 0 where there is no root. */
uint32_t job_root(const struct job *job);

struct params {
    const struct protocol *protocol;
    uint32_t fragment_bytes, slots, sets;
    struct tree_shape tree;
    uint32_t readers_most; /* peers' buffers: so many ranks read one at a time, 0: all */
};

struct network; /* network.h */

struct machine {
    const struct node *node;
    uint32_t nodes;
    const struct network *network; /* that joins the nodes; NULL: there is one node, or the job stays on one */
    uint32_t ppn;                  /* ranks of a node, rank after rank; with a network: >= 1 */
    /* 2: a rank of each node, its first or the root, exchanges messages with those of the other nodes; before and after, ranks of
     * a node use its shared memory. Else all ranks exchange messages, wherever they are. */
    uint32_t levels;
};

/* Rank to core of the node (index into node arrays). */
struct placement {
    const char *name;             /* compact, scatter, list */
    const uint32_t *core_of_rank; /* [procs] */
};

enum buffers { BUFFERS_COLD, BUFFERS_WARM };
enum buffer_memory { BUFFER_MEMORY_PRIVATE, BUFFER_MEMORY_SHARED };
enum backend { BACKEND_PROCS, BACKEND_THREADS };
enum copying { COPYING_AUTO, COPYING_MEMCPY, COPYING_NONTEMPORAL };

struct conditions {
    enum buffers buffers;
    enum buffer_memory buffer_memory; /* whether user buffers are each rank's own or lie in the segment */
    enum backend backend;
    int root_shift;        /* root moves by one each repetition */
    int32_t buffer_domain; /* user buffers on this domain; -1: each rank's own */
    int queues_together;   /* sim: all ranks' queues on rank 0's domain, where an initialisation by rank 0 alone leaves them */
    double skew_s;         /* ranks start uniformly late in [0, skew] */
    double slice_s;        /* sim: ranks that share a core take turns of that; 0: who waits yields at once */
    double noise;          /* sim: relative standard deviation of every cost */
    uint64_t seed;
    uint32_t reps, warmup;
    double time_limit_s;   /* stop repeating after this long, 0: never */
    uint32_t op_start;     /* counters start here: tests of wrap-around */
    uint32_t delay_max_ns; /* run: random delay before every step, 0: none */
    int huge_pages;        /* run: ask for huge pages in the segment */
    enum copying copy_in, copy_out; /* run: how to copy into the queue and out of it */
    int control_pages;     /* run: one page a control block (S1 Fig. 1), else packed lines */
    double state_ns;       /* run: only while the hand-over is about this, the host's state; 0: the commonest */
    double state_patience_s; /* run: how long to wait for that state; 0: 20 s */
    int no_verify;         /* run: skip the byte check */
    double stall_report_s; /* run: a wait that lasts longer is told, by the rank that waits; 0: never */
    void (*stall_report)(const char *line);
    int no_limits;         /* run: skip measuring memcpy_cold_s, copy_bound_s and handover_ns */
};

struct schedule_algorithm; /* schedule.h */
struct numbering;          /* numbering.h */
struct channel_kind;       /* channel.h */

struct scenario {
    struct machine machine;
    struct placement placement;
    struct job job;
    struct params params; /* with two levels: how a rank hands the others of its node what came from other nodes */
    struct params params_gather; /* with two levels, Allgather: how the ranks of a node exchange their blocks before */
    /* Allgather: messages exchanged by this schedule, over channels; the protocol is not looked at then. NULL: by the protocol.
     * On a network the schedule of whatever collective it is, which must be given. */
    const struct schedule_algorithm *algorithm;
    /* Of an Allgather by a schedule: who plays whom, and how blocks come to where they belong; NULL: the identity. `mapping` is
     * what rows call it. */
    const struct numbering *numbering;
    const char *mapping;
    /* What messages go over, of p2p and of a schedule; NULL: er. Its queues have params.slots fragments. */
    const struct channel_kind *channel;
    struct conditions conditions;
    const char *variant; /* model: "paper", "extended"; else "" */
};

/* Called by sim for every step of every rank when a trace is asked for. Times in picoseconds. */
struct trace_step {
    uint32_t rank, name, op; /* enum step_name, enum step_op */
    uint32_t index;          /* slot, set or line */
    uint64_t start_ps, wait_end_ps, end_ps; /* wait_end: when the awaited value was posted (start if it was there) */
    uint64_t bytes;
    /* Of what a network brings: until when the wait is for the sender, and until when for a way that nobody else is on. 0
     * elsewhere. */
    uint64_t sent_ps, alone_ps;
    uint32_t stage;    /* of a network, enum nic_stage: where; 0: the rank itself */
    const char *label; /* what it is; NULL: its name says it */
};
struct trace_sink {
    void (*emit)(void *context, const struct trace_step *step);
    void *context;
};

struct outcome {
    double time_s; /* median over repetitions; last end minus the agreed start */
    double time_mean_s; /* mean over ranks of their ends minus the agreed start, as OSU's benchmarks print it; median over
                           repetitions; NAN if absent */
    double *samples_s;
    size_t sample_count;
    double time_min_s, time_p99_s, ci_low_s, ci_high_s; /* run; NAN if absent */
    /* Sums over ranks, seconds; NAN if absent. */
    double copy_s, wait_s, notify_s;
    double time_own_s; /* sim: of each rank the mean time to its own end, and of these the greatest, as IMB's t_max; NAN if
                          absent */
    /* model */
    double fragment_opt_bytes, slots_opt; /* NAN if absent, as the terms of the paper's form (S1 5.2): */
    double term_sets_s, term_fill_s, term_notify_s, term_copy_s;
    /* sim: events are queue pops, messages are notifications stored. On a network without contention, simulated round by round
     * without a queue, they are steps of ranks and messages received. */
    uint64_t events, messages;
    uint64_t channel_bytes; /* of memory, of the rank whose channels have most; 0: absent */
    double wall_s; /* evaluator's own time */
    /* sim: messages between ranks and their bytes, of one call, of a schedule on a network in one level */
    int levels_counted;
    uint64_t messages_inside, messages_between, bytes_inside, bytes_between; /* a node; nodes */
    /* run */
    int verified; /* 1 checked and right, 0 wrong, -1 not checked */
    double memcpy_cold_s, copy_bound_s, handover_ns; /* NAN if absent */
    uint64_t reps_dropped; /* repetitions while the host was in another state */
    uint64_t audit_pages, audit_pages_misplaced;
    int audited;
    struct params ran; /* run: what took the place of the parameters asked for, as the host forbids them; protocol NULL:
                          nothing */
    char note[800];    /* what could not be had here and what took its place, in one line; "" if nothing */
    char reason[200]; /* one line, set whenever evaluate() fails */
};

void outcome_init(struct outcome *out);
void outcome_destroy(struct outcome *out);

struct evaluator {
    const char *name; /* model, sim, run: the row's `source` */
    /* 0; -ENOTSUP if this evaluator cannot do that scenario, -EINVAL for a scenario that makes no sense,
     * other -errno when it failed: out->reason says why. `sink` may be NULL. */
    int (*evaluate)(const struct scenario *scenario, struct trace_sink *sink, struct outcome *out);
};

extern const struct evaluator evaluator_model; /* model/ */
extern const struct evaluator evaluator_sim;   /* sim/ */
extern const struct evaluator evaluator_run;   /* kernels/ */

/* Checks what every evaluator assumes: procs >= 1, root < procs, cores exist, the protocol supports the parameters.
 * 0 or -EINVAL with one line in `reason`. */
int scenario_check(const struct scenario *scenario, char *reason, size_t reason_bytes);

/* Whether ranks exchange messages over channels, rather than by a protocol of the collective. */
int scenario_by_messages(const struct scenario *scenario);
/* What they go over. */
const struct channel_kind *scenario_channel(const struct scenario *scenario);

/* Whether a rank reaches another's user buffer only through the kernel: ranks are processes, and buffers their own memory. */
int scenario_peers_by_kernel(const struct scenario *scenario);

/* Ranks of a region, as schedule_init_regions() takes them: the most that are always on one node, or of a node alone in one
 * domain. */
uint32_t scenario_region(const struct scenario *scenario);

/* Whether two ranks are on one core. */
int scenario_shares_cores(const struct scenario *scenario);

/* The tree of the parameters for the ranks where they are placed, which must be sound. 0 or as tree_create. */
int scenario_tree_create(const struct scenario *scenario, struct tree *out);

/* Fills core_of_rank[procs]: compact fills domain after domain, scatter deals ranks over domains, list:A,B,...
 * names cores. More ranks than cores wrap around. 0 or -EINVAL. */
int placement_fill(const char *name, const struct node *node, uint32_t procs, uint32_t *core_of_rank);

#endif
