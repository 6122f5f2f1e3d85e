/* A toy memory on which the ranks of one communicator run their step programs.
 *
 * Words are plain numbers. A slot or line holds no bytes but a tag: which fragment of
 * which call lies there, and who has still to read it. A user buffer is the set of bytes that
 * are there. A copy is two moves, begin and end, and the target is torn in between, so whatever
 * happens during a copy is seen. A rank whose buffer others are copying from or to may not end its call.
 * States are plain data without pointers or padding: equal states are equal bytes.
 *
 * A move is one step of one rank and takes effect at once for all: memory is sequentially
 * consistent here. Whether the release and acquire orderings of the kernels are
 * strong enough is another question, which this cannot answer. */
#ifndef SHMCOLL_TESTS_TOY_H
#define SHMCOLL_TESTS_TOY_H

#include "model/protocol.h"

#include <stdint.h>

enum { TOY_PROCS_MAX = 4, TOY_CALLS_MAX = 12, TOY_WORDS_MAX = 56, TOY_CELLS_MAX = 16, TOY_SIZE_MAX = 32 };

/* The calls one after another on one communicator. Sizes in bytes; a fragment is a few bytes. */
struct toy_case {
    const char *name;
    const struct protocol *protocol;
    const struct tree *tree;
    uint32_t procs, fragment_bytes, slots, sets; /* slots, sets: 0 for eager */
    uint32_t lines;                              /* 0 for pipelined */
    uint32_t readers_most, guests_most;          /* guests_most: more at once in one buffer are a violation; 0: never */
    uint32_t op_start;
    uint32_t calls;
    uint32_t root[TOY_CALLS_MAX], size_bytes[TOY_CALLS_MAX];
    uint32_t domain[TOY_PROCS_MAX]; /* of the ranks, for joined trees */
    /* Allgather: size_bytes are a block's. Calls by `other` are broadcasts, with words of their own in the same slots. */
    uint32_t in_place;   /* bit r: rank r's own block is there already */
    uint32_t fences;     /* bit i: call i is a fence */
    uint32_t broadcasts; /* bit i: call i is made by `other` */
    const struct protocol *other;
    /* Ranks that copy out of `owner`'s slots, as bits; NULL: all but who fills them. */
    uint32_t (*readers)(const struct toy_case *c, uint32_t root, uint32_t owner);
};

enum toy_phase { TOY_RUNNING, TOY_COPYING, TOY_FINISHED, TOY_STOPPED };

struct toy_rank {
    struct cursor cursor; /* before its next step; .call is NULL here */
    uint32_t seen;        /* 0 unless the step before was a WAIT or a TAKE */
    uint32_t call;        /* which of the calls */
    uint32_t phase;       /* enum toy_phase */
    uint32_t other_op;    /* where the counters stand of the protocol that does not make this call */
};

/* A rank's buffer in the call it is in. */
struct toy_user {
    uint32_t held; /* bit i: byte i is there */
    uint32_t torn; /* bit i: a copy to byte i is under way */
    uint16_t offered; /* the call whose buffer the others may use, from 1; 0: none */
    uint16_t guests;  /* bit r: rank r is copying from or to it */
};

struct toy_cell {
    uint16_t offset_bytes;
    uint8_t bytes;
    uint8_t call;   /* 1 for the first call; 0: never written */
    uint8_t torn;   /* a copy into it is under way */
    uint8_t unread; /* bit r: rank r has not copied it out yet */
};

struct toy_places {
    struct toy_cell cell[TOY_CELLS_MAX];
    struct toy_user user[TOY_PROCS_MAX];
};

struct toy_words {
    uint32_t value[TOY_WORDS_MAX];
    uint64_t stored; /* bit i: value[i] was written, not initial */
};

struct toy_state {
    struct toy_rank rank[TOY_PROCS_MAX];
    struct toy_words words;
    struct toy_places places;
};

_Static_assert(sizeof(struct toy_rank) == sizeof(struct cursor) + 16 &&
               sizeof(struct toy_places) == 6 * TOY_CELLS_MAX + 12 * TOY_PROCS_MAX, "padding would make equal states differ");
_Static_assert(sizeof(struct cursor) == 48 && sizeof(struct toy_cell) == 6, "padding would make equal states differ");

enum toy_violation {
    TOY_OK,
    TOY_FAULT,             /* the program itself saw an impossible value */
    TOY_WRONG_DATA,        /* copied something else than its fragment, or out of order */
    TOY_OVERWRITTEN,       /* copied into a place that not all have read, or while one reads; to a byte that is there already */
    TOY_CONTROL_BUSY,      /* notified through a control block that is not 0 */
    TOY_CONTROL_EMPTY,     /* reset a control block that is 0 */
    TOY_SET_BUSY,          /* claimed a set with readers inside */
    TOY_READERS_UNDERFLOW, /* left a set that has no readers */
    TOY_INCOMPLETE,        /* ended a call without the whole message */
    TOY_OUT_OF_RANGE,      /* no such word or place */
    TOY_NOT_OFFERED,       /* used a buffer that is not offered for this call */
    TOY_CROWDED,           /* more guests in a buffer than guests_most */
    TOY_LEFT_GUESTS,       /* ended a call while others use the buffer */
    TOY_LEFTOVER,          /* all ended, but a set or control block is not clear */
    TOY_DEADLOCK,          /* nobody can move, not all have ended */
    TOY_VIOLATION_COUNT
};

struct toy_move {
    enum toy_violation violation;
    int moved;      /* 0: the rank waits, or has ended */
    int early_open; /* passed WO by the initial value: before any root opened that set */
    struct step step;
};

const char *toy_violation_string(enum toy_violation violation);
/* 0; -EINVAL if the case is too large for the toy or the protocol does not support it. */
int toy_start(const struct toy_case *c, struct toy_state *out);
/* Lets one rank take one step. The state is garbage after a violation. */
struct toy_move toy_step(const struct toy_case *c, struct toy_state *state, uint32_t rank);
/* For a state in which nobody can move: TOY_OK if all ended (or a stopped rank excuses it) and nothing is left over. */
enum toy_violation toy_final(const struct toy_case *c, const struct toy_state *state);

#endif
