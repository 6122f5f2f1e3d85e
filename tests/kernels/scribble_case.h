/* Broadcasts while somebody scribbles over the words of the segment: shared by the test and the stress test. */
#ifndef SHMCOLL_TESTS_SCRIBBLE_CASE_H
#define SHMCOLL_TESTS_SCRIBBLE_CASE_H

#include "kernels/comm.h"

enum scribble_target {
    SCRIBBLE_WORDS, /* of the protocol */
    SCRIBBLE_CARDS, /* those and the cards of offers */
    SCRIBBLE_HEAD,  /* those and the head: who failed, who left, who sleeps */
    SCRIBBLE_TARGETS
};

struct scribble_case {
    const struct protocol *protocol;
    uint32_t procs;
    enum scribble_target target;
    uint64_t seed;
    int in_area;            /* user buffers in the segment, else between guard pages */
    uint32_t pause_max_ns;  /* between two scribbles */
};

struct scribble_count {
    uint64_t scribbles, calls, errors; /* calls that succeeded; ranks that ended with an error */
};

/* 0; -1 with a line in reason[COMM_REASON_BYTES]: a rank crashed, touched what is not its own, or did not end in time. */
int scribble_case_run(const struct scribble_case *c, struct scribble_count *count, char *reason);

#endif
