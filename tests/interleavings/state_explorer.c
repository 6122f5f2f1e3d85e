#include "tests/interleavings/state_explorer.h"

#include "tests/interleavings/intern.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { HISTORY_MOVES = 80 };

struct packed {
    uint32_t part[STATE_PARTS_MAX];
};

/* How a state was first reached. */
struct origin {
    uint32_t parent;
    uint16_t actor, move;
};

struct explorer {
    const struct state_machine *m;
    struct intern table[STATE_PARTS_MAX], states;
    struct origin *origin;
    uint32_t origin_capacity;
    struct state_result *result;
};

static void explorer_destroy(struct explorer *e)
{
    for (uint32_t i = 0; i < STATE_PARTS_MAX; i++)
        intern_destroy(&e->table[i]);
    intern_destroy(&e->states);
    free(e->origin);
}

static int explorer_create(struct explorer *e)
{
    int err = intern_create(&e->states, sizeof(struct packed));
    for (uint32_t i = 0; i < e->m->parts && !err; i++)
        if (e->m->part[i].table == i)
            err = intern_create(&e->table[i], e->m->part[i].bytes);
    return err;
}

static void unpack(const struct explorer *e, uint32_t number, unsigned char *state)
{
    const struct packed *packed = intern_get(&e->states, number);
    memset(state, 0, e->m->state_bytes);
    for (uint32_t i = 0; i < e->m->parts; i++) {
        const struct state_part *p = &e->m->part[i];
        memcpy(state + p->offset, intern_get(&e->table[p->table], packed->part[i]), p->bytes);
    }
}

/* The state's parts but for those that are as in `before`, whose numbers are in *packed; NULL: all. */
static int pack(struct explorer *e, const unsigned char *before, const unsigned char *state, struct packed *packed)
{
    int added, err = 0;
    for (uint32_t i = 0; i < e->m->parts && !err; i++) {
        const struct state_part *p = &e->m->part[i];
        if (!before || memcmp(before + p->offset, state + p->offset, p->bytes) != 0)
            err = intern_put(&e->table[p->table], state + p->offset, &packed->part[i], &added);
    }
    return err;
}

static int remember(struct explorer *e, const unsigned char *before, const unsigned char *state, struct origin origin)
{
    struct packed packed = {{0}};
    uint32_t number;
    int added;
    if (before)
        packed = *(const struct packed *)intern_get(&e->states, origin.parent);
    int err = pack(e, before, state, &packed);
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
    _Alignas(8) unsigned char state[STATE_BYTES_MAX];
    struct origin moves[HISTORY_MOVES];
    uint32_t count = 0;
    for (struct origin o = last;; o = e->origin[o.parent]) {
        moves[count++] = o;
        if (count == HISTORY_MOVES || o.parent == 0)
            break;
    }
    size_t used = 0;
    e->result->history[0] = 0;
    while (count-- && used + 1 < STATE_HISTORY_BYTES) {
        unpack(e, moves[count].parent, state);
        e->m->format(e->m->context, state, moves[count].actor, moves[count].move, e->result->history + used,
                     (uint32_t)(STATE_HISTORY_BYTES - used));
        used += strlen(e->result->history + used);
    }
}

/* Returns whether the actor could make the move, other than idly. */
static int try_move(struct explorer *e, uint32_t number, const unsigned char *state, uint32_t actor, uint32_t move, int *err)
{
    _Alignas(8) unsigned char next[STATE_BYTES_MAX];
    struct origin origin = {.parent = number, .actor = (uint16_t)actor, .move = (uint16_t)move};
    uint32_t violation = 0;
    memcpy(next, state, e->m->state_bytes);
    int moved = e->m->move(e->m->context, next, actor, move, &violation);
    if (!moved)
        return 0;
    e->result->transitions++;
    if (e->m->tally)
        e->m->tally(e->m->tally_context, state, next, actor, move);
    if (violation) {
        e->result->violation = violation;
        tell_history(e, origin);
    } else {
        *err = remember(e, state, next, origin);
    }
    return moved != STATE_MOVE_IDLE;
}

/* All successors of a state; sets result->violation when one is found. */
static int expand(struct explorer *e, uint32_t number)
{
    _Alignas(8) unsigned char state[STATE_BYTES_MAX];
    uint32_t moves = e->m->moves;
    int err = 0, moved = 0;
    unpack(e, number, state);
    for (uint32_t i = 0; i < e->m->actors * moves && !err && !e->result->violation; i++)
        moved |= try_move(e, number, state, i / moves, i % moves, &err);
    if (err || moved)
        return err;
    e->result->ends++;
    e->result->violation = e->m->final(e->m->context, state);
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

int state_explorer_run(const struct state_machine *m, const void *start, uint32_t states_max, struct state_result *out)
{
    struct explorer e = {.m = m, .result = out};
    *out = (struct state_result){0};
    if (m->state_bytes > STATE_BYTES_MAX || m->parts > STATE_PARTS_MAX)
        return -EINVAL;
    int err = explorer_create(&e);
    if (!err)
        err = remember(&e, NULL, start, (struct origin){0});
    if (!err)
        err = explore(&e, states_max);
    out->states = e.states.count;
    out->memory_bytes = intern_bytes(&e.states) + e.origin_capacity * sizeof *e.origin;
    for (uint32_t i = 0; i < m->parts; i++)
        if (m->part[i].table == i)
            out->memory_bytes += intern_bytes(&e.table[i]);
    explorer_destroy(&e);
    return err;
}
