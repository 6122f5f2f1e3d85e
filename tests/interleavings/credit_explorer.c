#include "tests/interleavings/credit_explorer.h"

#include "tests/interleavings/intern.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { HISTORY_MOVES = 80 };

/* A state is kept as the numbers of its parts: few ranks' own and shared parts are distinct. */
struct packed {
    uint32_t own[CREDIT_RANKS_MAX], shared[CREDIT_RANKS_MAX];
};

/* How a state was first reached. */
struct origin {
    uint32_t parent;
    uint16_t rank, move;
};

struct explorer {
    const struct credit_case *c;
    const struct credit_rules *rules;
    struct intern own, shared, states;
    struct origin *origin;
    uint32_t origin_capacity;
    struct credit_result *result;
};

static void explorer_destroy(struct explorer *e)
{
    intern_destroy(&e->own);
    intern_destroy(&e->shared);
    intern_destroy(&e->states);
    free(e->origin);
}

static int explorer_create(struct explorer *e)
{
    int err = intern_create(&e->own, sizeof(struct credit_own));
    if (!err)
        err = intern_create(&e->shared, sizeof(struct credit_shared));
    if (!err)
        err = intern_create(&e->states, sizeof(struct packed));
    return err;
}

static void unpack(const struct explorer *e, const struct packed *packed, struct credit_state *out)
{
    memset(out, 0, sizeof *out);
    for (uint32_t r = 0; r < e->c->ranks; r++) {
        memcpy(&out->own[r], intern_get(&e->own, packed->own[r]), sizeof out->own[r]);
        memcpy(&out->shared[r], intern_get(&e->shared, packed->shared[r]), sizeof out->shared[r]);
    }
}

static int pack(struct explorer *e, const struct credit_state *state, struct packed *packed)
{
    int added, err = 0;
    *packed = (struct packed){0};
    for (uint32_t r = 0; r < e->c->ranks && !err; r++) {
        err = intern_put(&e->own, &state->own[r], &packed->own[r], &added);
        if (!err)
            err = intern_put(&e->shared, &state->shared[r], &packed->shared[r], &added);
    }
    return err;
}

static int remember(struct explorer *e, const struct credit_state *state, struct origin origin)
{
    struct packed packed;
    uint32_t number;
    int added, err = pack(e, state, &packed);
    if (!err)
        err = intern_put(&e->states, &packed, &number, &added);
    if (err || !added)
        return err;
    if (number >= e->origin_capacity) {
        struct origin *grown = realloc(e->origin, e->states.capacity * sizeof *grown);
        if (!grown)
            return -ENOMEM;
        e->origin = grown;
        e->origin_capacity = e->states.capacity;
    }
    e->origin[number] = origin;
    return 0;
}

/* The last moves that led to a violation, and before them the first way found to where they began. */
static void tell_history(struct explorer *e, struct origin last)
{
    struct origin moves[HISTORY_MOVES];
    uint32_t count = 0;
    for (struct origin o = last;; o = e->origin[o.parent]) {
        moves[count++] = o;
        if (count == HISTORY_MOVES || o.parent == 0)
            break;
    }
    size_t used = 0;
    e->result->history[0] = 0;
    while (count-- && used + 1 < CREDIT_HISTORY_BYTES) {
        credit_move_format(moves[count].rank, moves[count].move, e->result->history + used,
                           (uint32_t)(CREDIT_HISTORY_BYTES - used));
        used += strlen(e->result->history + used);
    }
}

static void tally(struct explorer *e, const struct credit_state *before, const struct credit_state *after, uint32_t rank,
                  uint32_t move)
{
    struct credit_result *r = e->result;
    r->transitions++;
    r->made[move < CREDIT_MOVE_PEER ? move : move - (move - CREDIT_MOVE_PEER) % CREDIT_RANKS_MAX]++;
    r->stores += move == CREDIT_MOVE_FINISH && before->own[rank].phase == CREDIT_TELLING;
    for (uint32_t i = 0; i < CREDIT_RANKS_MAX - 1; i++)
        if (after->own[rank].account[i].extension > r->extension_most)
            r->extension_most = after->own[rank].account[i].extension;
}

/* Returns whether the rank could make the move. */
static int try_move(struct explorer *e, uint32_t number, const struct credit_state *state, uint32_t rank, uint32_t move, int *err)
{
    struct credit_state next = *state;
    struct origin origin = {.parent = number, .rank = (uint16_t)rank, .move = (uint16_t)move};
    enum credit_violation violation;
    if (!credit_toy_move(e->c, e->rules, &next, rank, move, &violation))
        return 0;
    tally(e, state, &next, rank, move);
    if (violation) {
        e->result->violation = violation;
        tell_history(e, origin);
    } else {
        *err = remember(e, &next, origin);
    }
    return 1;
}

/* All successors of a state; sets result->violation when one is found. */
static int expand(struct explorer *e, uint32_t number)
{
    struct credit_state state;
    int err = 0, moved = 0;
    unpack(e, intern_get(&e->states, number), &state);
    for (uint32_t i = 0; i < e->c->ranks * CREDIT_MOVES && !err && !e->result->violation; i++)
        moved |= try_move(e, number, &state, i / CREDIT_MOVES, i % CREDIT_MOVES, &err);
    if (err || moved)
        return err;
    e->result->ends++;
    e->result->violation = credit_toy_final(e->c, &state);
    if (e->result->violation && number)
        tell_history(e, e->origin[number]);
    return 0;
}

/* States are numbered as they are found, so one pass over the numbers is breadth first. */
static int explore(struct explorer *e, uint32_t states_max)
{
    uint32_t level_end = 1;
    int err = 0;
    for (uint32_t number = 0; number < e->states.count && !err && !e->result->violation; number++) {
        if (number == level_end) {
            e->result->depth++;
            level_end = e->states.count;
        }
        if (states_max && e->states.count > states_max)
            return -E2BIG;
        err = expand(e, number);
    }
    return err;
}

int credit_explorer_run(const struct credit_case *c, const struct credit_rules *rules, uint32_t states_max,
                        struct credit_result *out)
{
    struct explorer e = {.c = c, .rules = rules, .result = out};
    struct credit_state state;
    *out = (struct credit_result){0};
    int err = credit_toy_start(c, &state);
    if (!err)
        err = explorer_create(&e);
    if (!err)
        err = remember(&e, &state, (struct origin){0});
    if (!err)
        err = explore(&e, states_max);
    out->states = e.states.count;
    out->memory_bytes = intern_bytes(&e.states) + intern_bytes(&e.own) + intern_bytes(&e.shared) +
                        e.origin_capacity * sizeof *e.origin;
    explorer_destroy(&e);
    return err;
}
