#include "tests/interleavings/explorer.h"

#include "tests/interleavings/intern.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PART_WORDS = TOY_PROCS_MAX, PART_PLACES, PART_COUNT, HISTORY_STEPS = 40 };

/* A state is kept as the numbers of its parts: few ranks' states, words and places are distinct. */
struct packed {
    uint32_t part[PART_COUNT];
};

/* How a state was first reached. */
struct origin {
    uint32_t parent;
    uint32_t rank; /* who moved; TOY_PROCS_MAX + rank if it stopped */
};

struct explorer {
    const struct toy_case *c;
    struct intern ranks, words, places, states;
    struct origin *origin;
    uint32_t origin_capacity;
    struct explorer_result *result;
};

static void explorer_destroy(struct explorer *e)
{
    intern_destroy(&e->ranks);
    intern_destroy(&e->words);
    intern_destroy(&e->places);
    intern_destroy(&e->states);
    free(e->origin);
}

static int explorer_create(struct explorer *e, const struct toy_case *c, struct explorer_result *result)
{
    *e = (struct explorer){.c = c, .result = result};
    int err = intern_create(&e->ranks, sizeof(struct toy_rank));
    if (!err)
        err = intern_create(&e->words, sizeof(struct toy_words));
    if (!err)
        err = intern_create(&e->places, sizeof(struct toy_places));
    if (!err)
        err = intern_create(&e->states, sizeof(struct packed));
    if (err)
        explorer_destroy(e);
    return err;
}

static void unpack(const struct explorer *e, const struct packed *packed, struct toy_state *out)
{
    memset(out, 0, sizeof *out);
    for (uint32_t r = 0; r < e->c->procs; r++)
        memcpy(&out->rank[r], intern_get(&e->ranks, packed->part[r]), sizeof out->rank[r]);
    memcpy(&out->words, intern_get(&e->words, packed->part[PART_WORDS]), sizeof out->words);
    memcpy(&out->places, intern_get(&e->places, packed->part[PART_PLACES]), sizeof out->places);
}

/* Packs a state that differs from `packed` in one rank and perhaps in the shared parts. */
static int repack(struct explorer *e, const struct toy_state *state, uint32_t rank, struct packed *packed)
{
    int added;
    int err = intern_put(&e->ranks, &state->rank[rank], &packed->part[rank], &added);
    if (!err)
        err = intern_put(&e->words, &state->words, &packed->part[PART_WORDS], &added);
    if (!err)
        err = intern_put(&e->places, &state->places, &packed->part[PART_PLACES], &added);
    return err;
}

static int remember(struct explorer *e, const struct packed *packed, struct origin origin)
{
    uint32_t number;
    int added;
    int err = intern_put(&e->states, packed, &number, &added);
    if (err || !added)
        return err;
    if (number >= e->origin_capacity) {
        uint32_t capacity = e->states.capacity;
        struct origin *grown = realloc(e->origin, capacity * sizeof *grown);
        if (!grown)
            return -ENOMEM;
        e->origin = grown;
        e->origin_capacity = capacity;
    }
    e->origin[number] = origin;
    return 0;
}

/* The text of what `origin` did in the state it came from. */
static void describe(const struct explorer *e, struct origin origin, char *text, size_t text_bytes)
{
    struct toy_state state;
    unpack(e, intern_get(&e->states, origin.parent), &state);
    uint32_t rank = origin.rank % TOY_PROCS_MAX;
    if (origin.rank >= TOY_PROCS_MAX) {
        snprintf(text, text_bytes, "%u:stops ", rank);
        return;
    }
    int ends = state.rank[rank].phase == TOY_COPYING;
    struct toy_move move = toy_step(e->c, &state, rank);
    static const char *const ops[] = {"=?", "!=?", ">=?", ":=", "+=", "take+=", "offer:=", "copy", "done", "fault"};
    if (move.step.op == STEP_COPY)
        snprintf(text, text_bytes, "%u:%s(%s %u) ", rank, step_name_string(move.step.name), ends ? "end" : "begin",
                 (uint32_t)move.step.offset_bytes);
    else
        snprintf(text, text_bytes, "%u:%s(%u.%u%s%d) ", rank, step_name_string(move.step.name), move.step.owner,
                 move.step.index, ops[move.step.op], (int)move.step.value);
}

/* The last steps that led to a violation: `last`, and before it the first way found to its parent. */
static void tell_history(struct explorer *e, struct origin last)
{
    struct origin steps[HISTORY_STEPS];
    uint32_t count = 0;
    for (struct origin o = last;; o = e->origin[o.parent]) {
        steps[count++] = o;
        if (count == HISTORY_STEPS || o.parent == 0)
            break;
    }
    size_t used = 0;
    e->result->history[0] = 0;
    while (count-- && used + 1 < EXPLORER_HISTORY_BYTES) {
        describe(e, steps[count], e->result->history + used, EXPLORER_HISTORY_BYTES - used);
        used += strlen(e->result->history + used);
    }
}

/* One rank's step from a state. *moved counts those that could. */
static int try_step(struct explorer *e, uint32_t number, const struct packed *packed, const struct toy_state *state,
                    uint32_t rank, uint32_t *moved)
{
    struct toy_state next = *state;
    struct packed next_packed = *packed;
    struct toy_move move = toy_step(e->c, &next, rank);
    struct origin origin = {.parent = number, .rank = rank};
    if (move.violation) {
        e->result->violation = move.violation;
        tell_history(e, origin);
        return 0;
    }
    if (!move.moved)
        return 0;
    ++*moved;
    e->result->transitions++;
    e->result->early_opens += (uint64_t)move.early_open;
    int err = repack(e, &next, rank, &next_packed);
    return err ? err : remember(e, &next_packed, origin);
}

/* One rank stops for ever: its part of the state freezes, copies under way included. */
static int try_stop(struct explorer *e, uint32_t number, const struct packed *packed, const struct toy_state *state,
                    uint32_t rank)
{
    if (state->rank[rank].phase >= TOY_FINISHED)
        return 0;
    struct toy_state next = *state;
    struct packed next_packed = *packed;
    next.rank[rank] = (struct toy_rank){.phase = TOY_STOPPED};
    e->result->transitions++;
    int err = repack(e, &next, rank, &next_packed);
    return err ? err : remember(e, &next_packed, (struct origin){.parent = number, .rank = TOY_PROCS_MAX + rank});
}

static uint32_t stopped_count(const struct toy_case *c, const struct toy_state *state)
{
    uint32_t count = 0;
    for (uint32_t r = 0; r < c->procs; r++)
        count += state->rank[r].phase == TOY_STOPPED;
    return count;
}

/* All successors of a state; sets result->violation when one is found. */
static int expand(struct explorer *e, uint32_t number, uint32_t stops_max)
{
    struct packed packed = *(const struct packed *)intern_get(&e->states, number);
    struct toy_state state;
    unpack(e, &packed, &state);
    uint32_t moved = 0;
    int err = 0, may_stop = stopped_count(e->c, &state) < stops_max;
    for (uint32_t r = 0; r < e->c->procs && !err && !e->result->violation; r++) {
        err = try_step(e, number, &packed, &state, r, &moved);
        if (!err && may_stop)
            err = try_stop(e, number, &packed, &state, r);
    }
    if (err || e->result->violation || moved)
        return err;
    e->result->ends++;
    e->result->violation = toy_final(e->c, &state);
    if (e->result->violation && number)
        tell_history(e, e->origin[number]);
    return 0;
}

static int start(struct explorer *e)
{
    struct toy_state state;
    int err = toy_start(e->c, &state);
    struct packed packed = {{0}};
    for (uint32_t r = 0; r < e->c->procs && !err; r++)
        err = repack(e, &state, r, &packed);
    return err ? err : remember(e, &packed, (struct origin){0});
}

/* States are numbered as they are found, so one pass over the numbers is breadth first. */
static int explore(struct explorer *e, const struct explorer_options *options)
{
    uint32_t level_end = 1;
    int err = 0;
    for (uint32_t number = 0; number < e->states.count && !err && !e->result->violation; number++) {
        if (number == level_end) {
            e->result->depth++;
            level_end = e->states.count;
        }
        if (options->states_max && e->states.count > options->states_max)
            return -E2BIG;
        err = expand(e, number, options->stops_max);
    }
    return err;
}

int explorer_run(const struct toy_case *c, const struct explorer_options *options, struct explorer_result *out)
{
    struct explorer e;
    *out = (struct explorer_result){0};
    int err = explorer_create(&e, c, out);
    if (err)
        return err;
    err = start(&e);
    if (!err)
        err = explore(&e, options);
    out->states = e.states.count;
    out->memory_bytes = intern_bytes(&e.states) + intern_bytes(&e.ranks) + intern_bytes(&e.words) + intern_bytes(&e.places) +
                        e.origin_capacity * sizeof *e.origin;
    explorer_destroy(&e);
    return err;
}
