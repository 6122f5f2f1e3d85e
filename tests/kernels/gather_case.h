/* One allgather configuration, run for real, perhaps with broadcasts in between, and checked byte by byte. */
#ifndef SHMCOLL_TESTS_GATHER_CASE_H
#define SHMCOLL_TESTS_GATHER_CASE_H

#include "kernels/launcher.h"

/* Beside the lane under test, which takes everything: none, or short and medium ones before it. */
enum gather_lanes { GATHER_LANES_ONE, GATHER_LANES_MANY, GATHER_LANES_COUNT };
/* Block sizes of consecutive calls: all the same, or on both sides of every threshold. */
enum gather_calls { GATHER_CALLS_SAME, GATHER_CALLS_MIXED, GATHER_CALLS_COUNT };
/* Which calls are broadcasts instead: none, every other, half of them at random. The roots rotate. */
enum gather_broadcasts { GATHER_BROADCASTS_NONE, GATHER_BROADCASTS_EVEN, GATHER_BROADCASTS_RANDOM, GATHER_BROADCASTS_COUNT };
/* Which ranks' own blocks are there already. */
enum gather_in_place { GATHER_IN_PLACE_NONE, GATHER_IN_PLACE_ALL, GATHER_IN_PLACE_ODD, GATHER_IN_PLACE_COUNT };
/* Where the ranks' buffers are. */
enum gather_buffers { GATHER_BUFFERS_PRIVATE, GATHER_BUFFERS_AREA, GATHER_BUFFERS_EITHER, GATHER_BUFFERS_COUNT };

struct gather_case {
    const struct protocol *protocol; /* of the lane's broadcasts */
    const struct protocol *expected; /* by which blocks of block_bytes have to go; NULL: any */
    uint32_t procs, slots, sets, fragment_bytes;
    uint64_t block_bytes;
    enum backend backend;
    uint32_t call_count, lanes, calls, broadcasts, in_place, buffers; /* the enums above */
    uint32_t op_start, delay_max_ns;
    uint64_t seed;
    /* Called by each rank before the communicator is made; NULL: nothing. */
    int (*begin)(struct launch_rank *self, void *context);
    void *context;
    int generic_executor, copy_out, pinned; /* pinned: all ranks on one cpu */
};

enum { GATHER_CASE_TEXT_BYTES = 320 };

/* Two ranks, 5 calls of 20000 bytes through 8 slots of 4096 of a counted lane. */
struct gather_case gather_case_default(void);
/* 0, or the error with one line in reason[COMM_REASON_BYTES]; wrong bytes are -EBADMSG. Does not return if it takes minutes. */
int gather_case_run(const struct gather_case *c, char *reason);
/* One line that names every parameter. */
const char *gather_case_format(const struct gather_case *c, char *text, size_t text_bytes);

#endif
