/* Explores every interleaving of the moves of some actors: of step programs (explorer.h), of credits, of rings.
 *
 * Breadth first over all reachable states, each visited once and kept exactly, so that a violation comes with a shortest history.
 * That all states are visited also says that they are finitely many. A machine's state is plain bytes without pointers or
 * padding: equal states are equal bytes. One thread; memory is the explorer's own. */
#ifndef SHMCOLL_TESTS_STATE_EXPLORER_H
#define SHMCOLL_TESTS_STATE_EXPLORER_H

#include <stdint.h>

enum { STATE_MOVE_IDLE = 2, STATE_PARTS_MAX = 6, STATE_HISTORY_BYTES = 1200, STATE_BYTES_MAX = 4096 };

/* States are kept as the numbers of their parts: few of these are distinct. */
struct state_part {
    uint32_t offset, bytes;
    uint32_t table; /* parts of equal length may share one; the first to name it is part number `table` itself */
};

struct state_machine {
    const void *context;
    uint32_t state_bytes, actors, moves, parts;
    struct state_part part[STATE_PARTS_MAX];
    /* 1 if the actor could make this move; then *violation says how it went, 0: well. STATE_MOVE_IDLE: the same, but where nobody
     * can move otherwise it is an end. */
    int (*move)(const void *context, void *state, uint32_t actor, uint32_t move, uint32_t *violation);
    /* The verdict on a state in which nobody can move; 0: as it should be. */
    uint32_t (*final)(const void *context, const void *state);
    /* What the actor does by this move in this state. */
    void (*format)(const void *context, const void *state, uint32_t actor, uint32_t move, char *text, uint32_t text_bytes);
    /* Sees every transition; NULL: nobody does. */
    void (*tally)(void *tally_context, const void *before, const void *after, uint32_t actor, uint32_t move);
    void *tally_context;
};

struct state_result {
    uint32_t violation;
    uint64_t states, transitions, depth, ends; /* ends: states in which nobody can move but idly */
    uint64_t memory_bytes;
    char history[STATE_HISTORY_BYTES]; /* of a violation: its last moves */
};

/* 0 whether or not a violation was found; -EINVAL if the machine's states are too large, -ENOMEM, -E2BIG beyond states_max. */
int state_explorer_run(const struct state_machine *m, const void *start, uint32_t states_max, struct state_result *out);

#endif
