/* Random traffic over an endpoint, every byte compared: shared by tests and stress.
 *
 * Who sends what to whom follows from the seed, so that both ends know it. Receives are posted in another order than messages are
 * sent, as far as tags allow, and late. */
#ifndef SHMCOLL_TESTS_CHANNEL_CASE_H
#define SHMCOLL_TESTS_CHANNEL_CASE_H

#include "kernels/channels/endpoint.h"
#include "kernels/launcher.h"

enum channel_pattern { PATTERN_ALL_TO_ALL, PATTERN_MANY_TO_ONE, PATTERN_NEIGHBOURS, PATTERN_RANDOM, PATTERN_COUNT };

struct channel_case {
    const struct channel *channel[ENDPOINT_CHANNELS_MAX];
    int moving;   /* pairs change between these channels at any message */
    uint32_t procs;
    enum backend backend;
    uint32_t messages; /* of all ranks together, about */
    uint64_t size_max_bytes;
    uint32_t tags, window; /* messages of a pair under way, and how far receives are out of order */
    enum channel_pattern pattern;
    int slow;     /* odd ranks sleep now and then; of many to one the one */
    int blocking; /* ranks wait in endpoint_wait rather than look around */
    uint32_t op_start, ring_bytes, fragment_bytes, eager_bytes, kept_bytes, rings_most, offer_bytes; /* 0: the default */
    uint32_t delay_max_ns; /* before every packet */
    uint64_t seed;
};

enum { CHANNEL_CASE_TEXT_BYTES = 320 };

struct channel_case channel_case_default(const struct channel *channel);
/* 0, or the error with one line in reason[COMM_REASON_BYTES]; wrong bytes are -EBADMSG. *moved: how many messages arrived. */
int channel_case_run(const struct channel_case *c, uint64_t *moved, char *reason);
/* One line that names every parameter. */
const char *channel_case_format(const struct channel_case *c, char *text, size_t text_bytes);

#endif
