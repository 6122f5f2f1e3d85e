/* One broadcast configuration, run for real and checked byte by byte: shared by tests and stress. */
#ifndef SHMCOLL_TESTS_BCAST_CASE_H
#define SHMCOLL_TESTS_BCAST_CASE_H

#include "kernels/launcher.h"

struct bcast_case {
    struct tree_shape tree;
    uint32_t procs, root, slots, sets, fragment_bytes;
    uint64_t size_bytes;
    enum backend backend;
    uint32_t calls; /* consecutive broadcasts on one communicator */
    uint32_t op_start, delay_max_ns;
    uint64_t seed;
    int short_protocol, generic_executor, control_pages, huge_pages, packed, rotate_root, copy_out;
};

/* Defaults: 3 calls, counters from 0, short messages by the eager protocol, root fixed. */
struct bcast_case bcast_case_default(void);
/* 0, or the error with one line in reason[COMM_REASON_BYTES]; wrong bytes are -EBADMSG. */
int bcast_case_run(const struct bcast_case *c, char *reason);
/* One line that names every parameter. */
const char *bcast_case_format(const struct bcast_case *c, char *text, size_t text_bytes);

#endif
