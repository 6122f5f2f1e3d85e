/* One broadcast configuration, run for real and checked byte by byte: shared by tests and stress. */
#ifndef SHMCOLL_TESTS_BCAST_CASE_H
#define SHMCOLL_TESTS_BCAST_CASE_H

#include "kernels/launcher.h"

struct bcast_case {
    struct tree_shape tree;
    const struct protocol *protocol; /* of messages that are not short */
    uint32_t procs, root, slots, sets, fragment_bytes, readers_most;
    uint64_t size_bytes;
    enum backend backend;
    uint64_t size_max_bytes; /* of what `more` asks for */
    /* After the first, further sizes and roots on the same communicator until it returns 0; NULL: none. */
    int (*more)(const struct bcast_case *c, uint32_t step, uint64_t *size_bytes, uint32_t *root);
    uint32_t calls; /* consecutive broadcasts on one communicator */
    uint32_t op_start, delay_max_ns;
    uint64_t seed;
    int short_protocol, generic_executor, control_pages, huge_pages, packed, rotate_root, copy_out;
};

/* Defaults: 3 calls, counters from 0, short messages by the eager protocol, root fixed. */
struct bcast_case bcast_case_default(void);
/* How many (size, root) cases one run of c comprises. */
uint32_t bcast_case_count(const struct bcast_case *c);
/* 0, or the error with one line in reason[COMM_REASON_BYTES]; wrong bytes are -EBADMSG. */
int bcast_case_run(const struct bcast_case *c, char *reason);
/* One line that names every parameter. */
const char *bcast_case_format(const struct bcast_case *c, char *text, size_t text_bytes);

#endif
