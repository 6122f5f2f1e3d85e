#include "tests/interleavings/explorer.h"

#include <stddef.h>
#include <stdio.h>

enum { MOVE_STEP, MOVE_STOP, MOVES };

struct context {
    const struct toy_case *c;
    uint32_t stops_max;
    uint64_t *early_opens;
};

static uint32_t stopped_count(const struct toy_case *c, const struct toy_state *state)
{
    uint32_t count = 0;
    for (uint32_t r = 0; r < c->procs; r++)
        count += state->rank[r].phase == TOY_STOPPED;
    return count;
}

/* For ever: its part of the state freezes, copies under way included. */
static int stop(const struct context *x, struct toy_state *state, uint32_t rank)
{
    if (state->rank[rank].phase >= TOY_FINISHED || stopped_count(x->c, state) >= x->stops_max)
        return 0;
    state->rank[rank] = (struct toy_rank){.phase = TOY_STOPPED};
    return STATE_MOVE_IDLE;
}

static int move_make(const void *context, void *state, uint32_t rank, uint32_t move, uint32_t *violation)
{
    const struct context *x = context;
    if (move == MOVE_STOP)
        return stop(x, state, rank);
    struct toy_move made = toy_step(x->c, state, rank);
    *violation = made.violation;
    *x->early_opens += (uint64_t)made.early_open;
    return made.moved || made.violation;
}

static uint32_t final_verdict(const void *context, const void *state)
{
    return toy_final(((const struct context *)context)->c, state);
}

static void move_format(const void *context, const void *state, uint32_t rank, uint32_t move, char *text, uint32_t text_bytes)
{
    static const char *const ops[] = {"=?", "!=?", ">=?", ":=", "+=", "take+=", "offer:=", "copy", "done", "fault"};
    struct toy_state after = *(const struct toy_state *)state;
    int ends = after.rank[rank].phase == TOY_COPYING;
    if (move == MOVE_STOP) {
        snprintf(text, text_bytes, "%u:stops ", rank);
        return;
    }
    struct step step = toy_step(((const struct context *)context)->c, &after, rank).step;
    if (step.op == STEP_COPY)
        snprintf(text, text_bytes, "%u:%s(%s %u) ", rank, step_name_string(step.name), ends ? "end" : "begin",
                 (uint32_t)step.offset_bytes);
    else
        snprintf(text, text_bytes, "%u:%s(%u.%u%s%d) ", rank, step_name_string(step.name), step.owner, step.index, ops[step.op],
                 (int)step.value);
}

int explorer_run(const struct toy_case *c, const struct explorer_options *options, struct explorer_result *out)
{
    struct toy_state state;
    *out = (struct explorer_result){0};
    struct context context = {.c = c, .stops_max = options->stops_max, .early_opens = &out->early_opens};
    struct state_machine m = {.context = &context, .state_bytes = sizeof state, .actors = c->procs,
                              .moves = options->stops_max ? MOVES : 1, .parts = c->procs + 2, .move = move_make,
                              .final = final_verdict, .format = move_format};
    int err = toy_start(c, &state);
    if (err)
        return err;
    for (uint32_t r = 0; r < c->procs; r++)
        m.part[r] = (struct state_part){offsetof(struct toy_state, rank) + r * sizeof *state.rank, sizeof *state.rank, 0};
    m.part[c->procs] = (struct state_part){offsetof(struct toy_state, words), sizeof state.words, c->procs};
    m.part[c->procs + 1] = (struct state_part){offsetof(struct toy_state, places), sizeof state.places, c->procs + 1};
    return state_explorer_run(&m, &state, options->states_max, &out->found);
}
