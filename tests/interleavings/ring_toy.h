/* A toy pair of ranks with an exclusive ring each way, under model/channel/er_ring.h.
 *
 * A message is some units long; each of its units is written, and read, in a move of its own; then the sender looks behind the
 * message for a false stamp, and writes the header with its stamp last. What the first word of a unit of payload says is chosen
 * to be the worst: the stamp of that unit's next use. Behind the words the toy remembers what really lies there, and a unit is
 * free when its message has been read whole. With the last unit the receiver gives the message's units back; the word is stored
 * in a move of its own; totals also ride on the messages the other way. Sequentially consistent. States are plain data without
 * pointers or padding. */
#ifndef SHMCOLL_TESTS_RING_TOY_H
#define SHMCOLL_TESTS_RING_TOY_H

#include "model/channel/er_ring.h"
#include "tests/interleavings/state_explorer.h"

enum { RING_RANKS = 2, RING_UNITS_MAX = 8, RING_MESSAGES_MAX = 16 };

/* The arithmetic under test, and the ways in which an executor could use it wrongly. */
struct ring_rules {
    const char *name;
    uint32_t (*room)(const struct er_sender *);
    void (*hear)(struct er_sender *, uint32_t consumed);
    int (*false_stamp)(const struct er_sender *, uint32_t units, uint32_t word);
    void (*consume)(struct er_receiver *, uint32_t units);
    int (*due)(const struct er_receiver *);
    uint32_t (*tell)(struct er_receiver *);
    int stamp_first;    /* the stamp is written before the payload */
    int clears_late;    /* what is behind the message is looked at after the stamp was written */
    int returns_unread; /* units are given back before the payload is read */
    int word_unread;    /* a sender without room waits for a message only */
};

extern const struct ring_rules ring_rules_right;

struct ring_case {
    const char *name;
    uint32_t units;
    uint32_t position;                              /* where both rings begin */
    uint32_t length[RING_RANKS][RING_MESSAGES_MAX]; /* units of each message of a rank; 0 ends them */
};

enum ring_violation {
    RING_OK,
    RING_OVERWRITTEN, /* wrote a unit that has not been read */
    RING_FALSE,       /* took something for a header that is none */
    RING_TORN,        /* read a unit that is not of this message */
    RING_UNSOUND,     /* an invariant of er_ring.h does not hold */
    RING_DEADLOCK,    /* nobody can move, and messages are left */
};

const char *ring_violation_string(uint32_t violation);
/* As state_explorer_run; -EINVAL also if the case does not fit. */
int ring_explore(const struct ring_case *c, const struct ring_rules *rules, uint32_t states_max, struct state_result *out);

#endif
