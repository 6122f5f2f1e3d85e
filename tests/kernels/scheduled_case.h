/* Allgathers by schedule over one endpoint, every byte compared: one launch runs many of them. */
#ifndef SHMCOLL_TESTS_SCHEDULED_CASE_H
#define SHMCOLL_TESTS_SCHEDULED_CASE_H

#include "kernels/allgather_schedule.h"
#include "kernels/launcher.h"

enum { SCHEDULED_PROCS_MAX = 48, SCHEDULED_BLOCKS_MAX = 16, SCHEDULED_TEXT_BYTES = 320 };

struct scheduled_case {
    const struct channel *channel[ENDPOINT_CHANNELS_MAX]; /* more than one: each rank changes at random, before any call */
    uint32_t procs;
    enum backend backend;
    uint64_t block_bytes[SCHEDULED_BLOCKS_MAX]; /* each for every algorithm that is valid */
    uint32_t blocks, repeats; /* of three turns in a row one each is with ranks in place or not at will, none of them, all */
    uint32_t op_start, ring_bytes, fragment_bytes, kept_bytes; /* 0: the default */
    int chatter; /* messages of the caller's own from neighbour to neighbour, under way during the calls */
    uint64_t seed; /* of numberings, of who is in place, of delays */
};

/* 0, or the error with one line in reason[COMM_REASON_BYTES]; wrong bytes are -EBADMSG. *calls: how many were made. */
int scheduled_case_run(const struct scheduled_case *c, uint32_t *calls, char *reason);
const char *scheduled_case_format(const struct scheduled_case *c, char *text, size_t text_bytes);

#endif
