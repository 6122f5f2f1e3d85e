/* Schedules: who exchanges which blocks with whom.
 *
 * An algorithm says what step k of a rank is. Any step of any rank is computed in O(1) from the few numbers that schedule_init()
 * finds in O(log procs); nothing is stored, so that a schedule for a million ranks is as small as one for two, may be
 * copied, and may be read by all ranks at once. The model sums the steps, the simulator and the kernels execute them.
 *
 * The data are `procs` blocks, numbered like the virtual ranks:
 *   ALLGATHER  rank v begins with block v and ends with all
 *   SCATTER    the root begins with all, rank v ends with block v (and may have held others)
 *   BCAST      the root begins with all, everyone ends with all: a block is a part of the message
 * All ranks and blocks here are virtual; who executes a schedule applies a numbering. Then block v of an Allgather or a scatter
 * is that of the rank who plays v; the parts of a broadcast belong to nobody and need no numbers but these.
 *
 * A step's send and receive go together, and the next step starts when both have ended. A rank has no idle steps, so
 * ranks may have different numbers of steps; `round` is what both ends of an exchange call it. */
#ifndef SHMCOLL_MODEL_SCHEDULE_H
#define SHMCOLL_MODEL_SCHEDULE_H

#include "model/numbering.h"

#include <stdint.h>

#define SCHEDULE_NONE UINT32_MAX /* no partner */

enum { SCHEDULE_PROCS_MAX = 1 << 30 };

enum schedule_kind { SCHEDULE_ALLGATHER, SCHEDULE_SCATTER, SCHEDULE_BCAST };

enum schedule_op {
    SCHEDULE_EXCHANGE,
    SCHEDULE_ROTATE, /* within the rank: what lies at place j moves to place (j + shift) mod procs; see schedule_place() */
    SCHEDULE_PERMUTE, /* of a numbering that reorders, as its last step: to place rank_of_virtual[(j + shift) mod procs] */
};

/* Blocks (first + i*stride) mod procs for i < count. */
struct schedule_blocks {
    uint32_t first, stride, count;
};

struct schedule_step {
    uint32_t op;    /* enum schedule_op */
    uint32_t round; /* the same at both ends; rises from step to step of a rank; < schedule_rounds() */
    uint32_t send_to, receive_from; /* virtual ranks or SCHEDULE_NONE; not both none in an exchange */
    struct schedule_blocks send, receive; /* count 0 where there is no partner */
    uint32_t shift; /* ROTATE, PERMUTE */
};

struct schedule_algorithm;

/* What schedule_init() fills; to be read only. */
struct schedule {
    const struct schedule_algorithm *algorithm;
    uint32_t procs;
    uint32_t root;   /* virtual rank */
    uint32_t levels; /* ceil(log2 procs) */
    uint32_t region; /* a power of two: ranks 0..region-1 are near each other, the next as many too, and so on */
};

struct schedule_algorithm {
    const char *name;
    const char *summary;
    const char *needs; /* of the number of ranks, to follow "needs"; NULL: any number will do */
    enum schedule_kind kind;
    int relative; /* blocks lie relative to the own rank until they are rotated: schedule_place() */
    int (*valid)(uint32_t procs); /* NULL: for any number of ranks */
    uint32_t (*rounds)(const struct schedule *schedule);
    uint32_t (*steps)(const struct schedule *schedule, uint32_t rank);
    /* `out` comes as an exchange without partners. */
    void (*step)(const struct schedule *schedule, uint32_t rank, uint32_t k, struct schedule_step *out);
};

extern const struct schedule_algorithm schedule_ring;
extern const struct schedule_algorithm schedule_recursive_doubling;
extern const struct schedule_algorithm schedule_bruck;
extern const struct schedule_algorithm schedule_neighbour_exchange;
extern const struct schedule_algorithm schedule_sparbit;
extern const struct schedule_algorithm schedule_locality_bruck;
extern const struct schedule_algorithm schedule_binomial;
extern const struct schedule_algorithm schedule_binomial_scatter;
extern const struct schedule_algorithm schedule_scatter_allgather;
extern const struct schedule_algorithm schedule_scatter_doubling;

/* All algorithms, NULL-terminated. */
extern const struct schedule_algorithm *const schedule_table[];
/* NULL if there is no such name of that kind. */
const struct schedule_algorithm *schedule_find(enum schedule_kind kind, const char *name);

/* Whether the algorithm is one for so many ranks. */
int schedule_valid(const struct schedule_algorithm *algorithm, uint32_t procs);

/* `root`: virtual rank; 0 for an Allgather. 0, or -EINVAL if the algorithm is not valid for procs or the root is none of them. */
int schedule_init(struct schedule *out, const struct schedule_algorithm *algorithm, uint32_t procs, uint32_t root);
/* The same with regions of so many ranks, which only locality_bruck looks at; schedule_init() is with regions of one. -EINVAL as
 * well if the region is no power of two, or does not divide procs. */
int schedule_init_regions(struct schedule *out, const struct schedule_algorithm *algorithm, uint32_t procs, uint32_t root,
                          uint32_t region);
/* The largest region of which none is on two nodes, with ppn >= 1 ranks on each, rank after rank. */
uint32_t schedule_region(uint32_t procs, uint32_t ppn);

static inline uint32_t schedule_rounds(const struct schedule *schedule)
{
    return schedule->algorithm->rounds(schedule);
}

static inline uint32_t schedule_steps(const struct schedule *schedule, uint32_t rank)
{
    return schedule->algorithm->steps(schedule, rank);
}

/* Step k < schedule_steps() of a virtual rank. */
static inline void schedule_step(const struct schedule *schedule, uint32_t rank, uint32_t k, struct schedule_step *out)
{
    *out = (struct schedule_step){.op = SCHEDULE_EXCHANGE, .send_to = SCHEDULE_NONE, .receive_from = SCHEDULE_NONE};
    schedule->algorithm->step(schedule, rank, k, out);
}

/* The same for who plays that rank, an Allgather if the numbering remaps: partners are ranks, blocks stay virtual.
 *   EXCH     rounds are later by one. In the first, a rank who is not its own virtual rank sends the block it has and gets that
 *            of its virtual rank; the block it sends is from then on one that it still has to get
 *   REORDER  a rank ends with SCHEDULE_PERMUTE, in which the rotation is contained. Who keeps every block at its number and
 *            rotates nothing takes its shift for 0 */
void schedule_step_remapped(const struct schedule *schedule, const struct numbering *numbering, uint32_t rank, uint32_t k,
                            struct schedule_step *out);
uint32_t schedule_steps_numbered(const struct schedule *schedule, const struct numbering *numbering, uint32_t rank);
uint32_t schedule_rounds_numbered(const struct schedule *schedule, const struct numbering *numbering);
/* Whether step k is the first of EXCH: what it sends lies wherever the user has it. */
static inline int schedule_step_trades(const struct numbering *numbering, uint32_t rank, uint32_t k)
{
    return k == 0 && numbering && numbering->remap == NUMBERING_EXCH && numbering_virtual(numbering, rank) != rank;
}

static inline void schedule_step_numbered(const struct schedule *schedule, const struct numbering *numbering, uint32_t rank,
                                          uint32_t k, struct schedule_step *out)
{
    if (numbering && numbering->remap != NUMBERING_PLACED) {
        schedule_step_remapped(schedule, numbering, rank, k, out);
        return;
    }
    schedule_step(schedule, numbering_virtual(numbering, rank), k, out);
    if (out->send_to != SCHEDULE_NONE)
        out->send_to = numbering_rank(numbering, out->send_to);
    if (out->receive_from != SCHEDULE_NONE)
        out->receive_from = numbering_rank(numbering, out->receive_from);
}

/* What the rank has to know of a numbering to take its steps, but REORDER's moves. 0, or -E2BIG if that is not a few numbers. */
int schedule_neighbours(const struct schedule *schedule, const struct numbering *numbering, uint32_t rank,
                        struct numbering_neighbours *out);

/* The i-th of the blocks, i < count. */
static inline uint32_t schedule_block(const struct schedule *schedule, const struct schedule_blocks *blocks, uint32_t i)
{
    return (uint32_t)((blocks->first + (uint64_t)i * blocks->stride) % schedule->procs);
}

/* Where a virtual rank keeps a block among the `procs` places of its buffer, while steps are exchanges. After SCHEDULE_ROTATE
 * it is the block's own number. What is sent and received at once lies in one piece this way: an executor that does not
 * need that may keep every block at its number, and leave the rotation out. */
static inline uint32_t schedule_place(const struct schedule *schedule, uint32_t rank, uint32_t block)
{
    if (!schedule->algorithm->relative)
        return block;
    return block >= rank ? block - rank : block + schedule->procs - rank;
}

/* How many of the blocks from the i-th on, i < count, lie one behind the other in a virtual rank's buffer. */
uint32_t schedule_run(const struct schedule *schedule, uint32_t rank, const struct schedule_blocks *blocks, uint32_t i);

#endif
