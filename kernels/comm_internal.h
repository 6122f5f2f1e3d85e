/* What the files behind comm.h share: the communicator itself. */
#ifndef SHMCOLL_KERNELS_COMM_INTERNAL_H
#define SHMCOLL_KERNELS_COMM_INTERNAL_H

#include "kernels/comm.h"
#include "kernels/copy_watch.h"
#include "kernels/fault_point.h"
#include "kernels/liveness.h"
#include "kernels/peer.h"
#include "kernels/segment.h"
#include "kernels/step_text.h"
#include "kernels/wait.h"

/* One mapping per process: ranks that are threads of one process share it, so that a race
 * between them is one that a thread checker can see. */
struct comm_mapping {
    void *base;
    atomic_word users;
};

struct comm;
struct message;

/* Runs one call of a lane's protocol; 0 or -errno. */
typedef int lane_execute(struct comm *comm, uint32_t lane, const struct message *m, uint64_t size_bytes, uint32_t root);

/* A lane at work. Broadcasts go by the lanes of the configuration; allgathers by companions of these, which have the same slots
 * and words of their own, or, if they are short, by a lane for all of them. */
enum { LANE_COMPANION = COMM_LANES_MAX, LANE_BRIEF = 2 * COMM_LANES_MAX, LANES_ALL };

struct lane {
    const struct protocol *protocol; /* of a companion: NULL if there is none */
    struct bcast_call call; /* template: size and root vary */
    struct tree tree;
    const struct segment_layout *layout;
    char *base;  /* of the lane's part of the segment */
    uint32_t op; /* where its counters stand */
    uint64_t size_max_bytes;
    lane_execute *execute;
    uint32_t shared_op; /* companion: where the counters of the lane stood when it last ran */
    struct copy_watch watch[2]; /* copies out: of messages that a cache holds, and longer ones */
};

struct comm {
    struct comm_config config;
    struct segment_plan plan;
    struct comm_mapping *mapping;
    char *base;
    uint32_t lanes;
    struct lane lane[LANES_ALL];
    struct segment_layout companion_layout[COMM_LANES_MAX];
    uint32_t allgather_lane[COMM_LANES_MAX]; /* by which lane blocks go whose size is that of a lane; LANES_ALL: by none */
    uint32_t *others; /* [procs - 1] in the order in which this rank reads their blocks */
    uint8_t *far; /* [procs] whether a rank's block is out of the others' reach, where the kernel forbids to reach into memory */
    uint32_t ask_lane, queue_lane; /* 0: none. The root tells by the one whether a message goes by the other (bcast.c) */
    int crowded;
    struct waiter waiter;
    struct liveness liveness;
    struct peers peers;
    uint64_t random;
    uint64_t llc_bytes;
    int error;
    int64_t error_rank;
    struct step_at at; /* the step whose wait was not brief, or that failed */
#ifdef SHMCOLL_FAULT_POINTS
    struct fault_point fault;
#endif
    char error_text[COMM_REASON_BYTES];
    char note[COMM_NOTE_BYTES];
};

/* What a rank contributes to an allgather. */
struct contribution {
    char *block;
    uint64_t block_bytes, offset_bytes; /* where the message has it */
};

/* A call's data. */
struct message {
    char *buffer; /* NULL: by the callbacks */
    const struct comm_data *data;
    enum copy_routine copy_in, copy_out;
    const struct contribution *own; /* NULL: a broadcast */
};

/* Puts the communicator into error and tells the others: what went wrong, and at which step (comm->at) this rank was.
 * Returns the error. */
int comm_fail(struct comm *comm, int error, const char *what);
/* What a rank stumbled over may come of another's end: a process that is no more, an offer taken back, a buffer gone. If somebody
 * has ended, or does so within some milliseconds, that error; else the one given. */
int comm_error_explained(struct comm *comm, int error);

/* Runs one call of a lane; `root` is none of the ranks in an allgather. 0 or -errno. */
int lane_run(struct comm *comm, uint32_t lane, struct message *m, uint64_t size_bytes, uint32_t root);
/* The lane of the configuration for that size; comm->lanes if there is none. */
uint32_t lane_for(const struct comm *comm, uint64_t size_bytes);

/* For the waiter: tells the embedder that the wait in comm->at lasts. `context` is the struct comm. */
void comm_stalled(void *context, atomic_word *word, uint32_t seen, uint64_t waited_ns);

/* Spreads the ranks over their programs: 0..delay_max_ns before every step, now and then a yield. */
void execute_delay(struct comm *comm);

/* The executor of a protocol under this configuration. */
lane_execute *lane_execute_find(const struct protocol *protocol, const struct comm_config *config);

#endif
