/* One broadcast configuration, run for real and checked byte by byte: shared by tests and stress. */
#ifndef SHMCOLL_TESTS_BCAST_CASE_H
#define SHMCOLL_TESTS_BCAST_CASE_H

#include "kernels/launcher.h"

/* The lanes beside the one under test, which always carries messages of size_bytes. */
enum case_lanes {
    CASE_LANES_ONE,
    CASE_LANES_SHORT, /* before it an eager one, for messages shorter than size_bytes and a line */
    CASE_LANES_MANY,  /* around it lanes of other protocols, with thresholds next to size_bytes */
    CASE_LANES_COUNT
};
/* Sizes and roots of consecutive calls. */
enum case_calls { CASE_CALLS_SAME, CASE_CALLS_ROTATE, CASE_CALLS_MIXED, CASE_CALLS_COUNT };
/* Where the ranks' buffers are. */
enum case_buffers { CASE_BUFFERS_PRIVATE, CASE_BUFFERS_AREA, CASE_BUFFERS_EITHER, CASE_BUFFERS_COUNT };
/* Which ranks pass their data by pack and unpack. */
enum case_packed { CASE_PACKED_NONE, CASE_PACKED_ALL, CASE_PACKED_ODD, CASE_PACKED_ROOT, CASE_PACKED_COUNT };

struct bcast_case {
    struct tree_shape tree;
    const struct protocol *protocol;
    uint32_t procs, root, slots, sets, fragment_bytes, readers_most;
    uint64_t size_bytes;
    enum backend backend;
    uint64_t size_max_bytes; /* of what `more` asks for */
    /* After the first, further sizes and roots on the same communicator until it returns 0; NULL: none. */
    int (*more)(const struct bcast_case *c, uint32_t step, uint64_t *size_bytes, uint32_t *root);
    uint32_t call_count; /* consecutive broadcasts on one communicator */
    uint32_t op_start, delay_max_ns;
    uint64_t seed;
    uint32_t lanes, calls, buffers, packed; /* the enums above */
    /* Called by each rank before the communicator is made; NULL: nothing. `context` must be memory that all ranks see. */
    int (*begin)(struct launch_rank *self, void *context);
    void *context;
    int generic_executor, control_pages, huge_pages, copy_out;
};

enum { BCAST_CASE_TEXT_BYTES = 320 };

/* Defaults: 3 equal calls of pipelined, counters from 0, short messages by the eager protocol, buffers private. */
struct bcast_case bcast_case_default(void);
/* Whether the protocol takes these parameters and this size, in at most 4096 fragments. */
int bcast_case_valid(const struct bcast_case *c);
/* How many (size, root) cases one run of c comprises. */
uint32_t bcast_case_count(const struct bcast_case *c);
/* 0, or the error with one line in reason[COMM_REASON_BYTES]; wrong bytes are -EBADMSG. Does not return if it takes minutes. */
int bcast_case_run(const struct bcast_case *c, char *reason);
/* One line that names every parameter. */
const char *bcast_case_format(const struct bcast_case *c, char *text, size_t text_bytes);

#endif
