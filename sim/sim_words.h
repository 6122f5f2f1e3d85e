/* The words a protocol synchronises on, each on a cache line of its own.
 *
 * A word knows its value, when it last changed, which rank had its line last to itself and who
 * holds a copy since, until when the line is on its way between caches, and who waits for it.
 * Waiters are ranks, linked through an array of the caller's making; nobody polls. */
#ifndef SHMCOLL_SIM_WORDS_H
#define SHMCOLL_SIM_WORDS_H

#include "model/protocol.h"

#include <stddef.h>
#include <stdint.h>

enum { SIM_NOBODY = UINT32_MAX };

struct sim_word {
    uint64_t change_ps; /* last store; 0 after an addition, which has its line first */
    uint64_t busy_ps;   /* no other hand-over of the line begins until then */
    uint64_t detour_ps; /* the last store's line comes so much later to those who spun beside its writer */
    uint32_t value;
    uint32_t writer; /* rank that had the line last to itself */
    uint32_t first_waiter, last_waiter;
};

struct sim_words {
    uint32_t procs, slots, sets, lines, counters;
    size_t count;
    struct sim_word *word; /* [count] */
    size_t row;            /* 64-bit groups of ranks */
    uint64_t *holder;      /* [word*row + rank/64], bit rank%64: has the line in its cache; NULL where lines cost nothing */
    uint32_t *next_waiter; /* [rank] */
};

/* As after many calls: counters as the protocol says for `op`, every line with the rank that touches it between calls
 * (control blocks and lines: the reader; set_op: rank 0; nreaders: the last to have left, here the last rank;
 * acknowledgements, and all words of an allgather: read by everyone).
 * with_lines 0: nobody will ask who holds a line. 0 or -ENOMEM. */
int sim_words_create(struct sim_words *words, const struct bcast_call *call, const struct protocol *protocol, uint32_t op,
                     int with_lines);
void sim_words_destroy(struct sim_words *words);

/* Number of the word that a step or a PLACE_LINE names. */
static inline size_t sim_words_index(const struct sim_words *w, uint32_t kind, uint32_t owner, uint32_t index)
{
    size_t sets = w->sets, control = 2 * sets, line = control + (size_t)w->procs * w->slots;
    switch (kind) {
    case WORD_SET_OP:
        return index;
    case WORD_SET_NREADERS:
        return sets + index;
    case WORD_CONTROL:
        return control + (size_t)owner * w->slots + index;
    case WORD_LINE:
        return line + (size_t)owner * w->lines + index;
    case WORD_ACK:
        return line + (size_t)w->procs * w->lines + owner;
    case WORD_OFFER:
        return line + (size_t)w->procs * (w->lines + 1) + owner;
    default: /* WORD_COUNTER */
        return line + (size_t)w->procs * (w->lines + 2) + (size_t)owner * w->counters + index;
    }
}

/* Whether a WAIT step is satisfied by `seen`. */
static inline int sim_words_satisfied(const struct step *step, uint32_t seen)
{
    return step->op == STEP_WAIT_EQ   ? seen == step->value
           : step->op == STEP_WAIT_NE ? seen != step->value
                                      : (int32_t)(seen - step->value) >= 0;
}

static inline int sim_words_held(const struct sim_words *w, size_t word, uint32_t rank)
{
    return w->holder[word * w->row + rank / 64] >> rank % 64 & 1;
}

static inline void sim_words_share(struct sim_words *w, size_t word, uint32_t rank)
{
    if (w->holder)
        w->holder[word * w->row + rank / 64] |= UINT64_C(1) << rank % 64;
}

/* All other copies are gone: `rank` has stored to the line or is about to. */
void sim_words_own(struct sim_words *words, size_t word, uint32_t rank);
/* First holder of the line among `peers` (a row of bits), SIM_NOBODY if there is none. */
uint32_t sim_words_holder_among(const struct sim_words *words, size_t word, const uint64_t *peers);

/* Waiters leave in the order in which they came. */
void sim_words_park(struct sim_words *words, size_t word, uint32_t rank);

#endif
