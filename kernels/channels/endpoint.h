/* Endpoints: tagged point-to-point messages between the ranks of a node, over shared memory.
 *
 * An endpoint is created collectively, like a communicator (comm.h), belongs to one rank and may be used by one thread at a
 * time. Messages match by (peer, tag), in the order in which they were sent for each pair and tag, whatever channels they take.
 * What is posted makes progress in any call of the same endpoint. A message that nobody has asked for yet is kept, up to a bound
 * for each pair; beyond it, or if it is longer than eager_bytes or offer_bytes, it waits at its sender: then a send takes until
 * its receive has been posted. So where two ranks send long messages to each other, both post before either waits. And a receive
 * of one tag cannot be reached by its message while kept_bytes / 64 others that nobody asks for are before it.
 *
 * Errors are as in comm.h: a peer that dies is -EOWNERDEAD for everyone, and an endpoint once in error stays so. */
#ifndef SHMCOLL_KERNELS_CHANNELS_ENDPOINT_H
#define SHMCOLL_KERNELS_CHANNELS_ENDPOINT_H

#include "kernels/comm.h"
#include "model/channel/channel_shape.h"

struct endpoint;
struct channel;

/* One message at one end; the caller's, to be left alone from post until done. Buffers too. */
struct transfer {
    uint32_t peer, tag;
    int error;      /* once done: 0; -EMSGSIZE where a message was longer than the buffer, which then holds nothing of use */
    int done;       /* ask transfer_done */
    uint64_t bytes; /* of the message; of a receive, once matched */
    /* The library's own. */
    const struct channel *channel;
    char *buffer;
    uint64_t capacity_bytes, moved_bytes;
    uint32_t own_id, peer_id, answer; /* answer: enum packet_kind */
    uint32_t card_where;              /* of a receive: how the sender's buffer is reached */
    uint64_t card_address, card_check;
    struct transfer *next;
};

/* All channels there are, by rising bandwidth of what they are for; NULL ends it. */
extern const struct channel *const channel_table[];
const struct channel *channel_find(const char *name);
const char *channel_name(const struct channel *channel);
const char *channel_summary(const struct channel *channel);

enum { ENDPOINT_CHANNELS_MAX = 8 };

/* A wait in which nothing has happened for long: for which message. */
struct endpoint_stall {
    uint32_t rank, peer, tag;
    int sends; /* the message is for the peer, else it comes from there */
    double waited_s;
    char text[COMM_REASON_BYTES]; /* all of it in one line */
};

struct endpoint_config {
    uint32_t procs, rank;
    const struct channel *channel[ENDPOINT_CHANNELS_MAX]; /* there is memory for these; NULL ends it; the first is used at
                                                             first */
    uint32_t ring_bytes;     /* exclusive ring of a pair; a power of two, 4096 at least */
    uint32_t rings_most;     /* combined: that a receiver has for its busiest senders */
    uint32_t fragment_bytes; /* longer messages move in pieces of this many at most; at most a quarter of a ring */
    uint32_t eager_bytes;    /* messages up to here are sent without asking */
    uint32_t queue_initial, queue_extension; /* packets of 256 bytes: for each sender, and to be shared */
    uint32_t pool_units, unit_bytes;         /* of a sender, for payloads on their way to anyone */
    uint32_t offer_bytes; /* longer messages are offered to be fetched, where that is the channel's way; what a node's costs say:
                             model/channel/channel_thresholds.h */
    uint32_t kept_bytes;     /* of one sender, of messages not asked for yet; with their heads, 64 bytes each */
    int32_t domain_os;       /* as in comm_config, as all that follow */
    void (*progress)(void *context);
    void *progress_context;
    int64_t (*dead_rank)(void *context);
    void *dead_rank_context;
    double wait_limit_s; /* a wait in which nothing happens for so long is an error, -ETIMEDOUT; 0: it may last for ever */
    double stall_report_s; /* one that lasts so long is told to `stall`, by the waiting rank, and each time it has lasted twice as
                              long */
    void (*stall)(void *context, const struct endpoint_stall *stall);
    void *stall_context;
    /* For tests and experiments. */
    uint32_t op_start;     /* counters start here */
    uint32_t delay_max_ns; /* random delay before every packet, there and here */
    uint64_t seed;
};

struct endpoint_config endpoint_config_default(uint32_t procs, uint32_t rank, const struct channel *channel);
/* With room of this shape. */
void endpoint_config_shape(struct endpoint_config *config, const struct channel_shape *shape);

/* Collective. All but rank, domain_os and callbacks agree on all ranks. As comm_create. */
int endpoint_create(const struct endpoint_config *config, const struct comm_bootstrap *bootstrap, struct endpoint **out,
                    char reason[COMM_REASON_BYTES]);
/* Waits for nobody. Transfers that are not done never will be. NULL is allowed. */
void endpoint_destroy(struct endpoint *e);

/* Posts a message. 0; -EINVAL (nothing done) for a peer that is none; an error of the endpoint. */
int endpoint_send(struct endpoint *e, uint32_t peer, uint32_t tag, const void *buffer, uint64_t bytes, struct transfer *t);
int endpoint_receive(struct endpoint *e, uint32_t peer, uint32_t tag, void *buffer, uint64_t capacity_bytes, struct transfer *t);

/* Moves on what can be moved. Returns how much happened: 0 nothing; -errno if the endpoint is in error. */
int endpoint_progress(struct endpoint *e);

static inline int transfer_done(const struct transfer *t)
{
    return t->done;
}

/* 0; the transfer's error; -EPIPE if its peer left without it; an error of the endpoint. */
int endpoint_wait(struct endpoint *e, struct transfer *t);
int endpoint_wait_all(struct endpoint *e, struct transfer *t, uint32_t count);

/* For channels that treat busy peers better: so many messages will go to that peer, besides those seen to go. 0 or -EINVAL. */
int endpoint_expect(struct endpoint *e, uint32_t peer, uint32_t messages);

/* From now on this rank's messages to that peer take that channel. -EINVAL if the endpoint has no memory for it. */
int endpoint_channel_set(struct endpoint *e, uint32_t peer, const struct channel *channel);

const char *endpoint_error_string(const struct endpoint *e);
int64_t endpoint_error_rank(const struct endpoint *e);
const char *endpoint_note(const struct endpoint *e);

struct endpoint_memory {
    uint64_t segment_bytes;   /* of this rank, shared, when all rings are in use */
    uint64_t used_bytes;      /* of these, now: combined's rings get memory when they are first used */
    uint64_t kept_bytes;      /* of messages not asked for yet, now */
    uint64_t kept_most_bytes; /* at any time */
    uint32_t kept_messages;
};
struct endpoint_memory endpoint_memory(const struct endpoint *e);
/* Where this rank's own range really is, as comm_audit. */
int endpoint_audit(struct endpoint *e, struct comm_audit *out);

#endif
