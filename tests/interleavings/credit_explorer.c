#include "tests/interleavings/credit_explorer.h"

#include <stddef.h>

struct context {
    const struct credit_case *c;
    const struct credit_rules *rules;
};

static int move_make(const void *context, void *state, uint32_t rank, uint32_t move, uint32_t *violation)
{
    const struct context *x = context;
    enum credit_violation found = CREDIT_OK;
    int moved = credit_toy_move(x->c, x->rules, state, rank, move, &found);
    *violation = found;
    return moved;
}

static uint32_t final_verdict(const void *context, const void *state)
{
    return credit_toy_final(((const struct context *)context)->c, state);
}

static void tally(void *result, const void *before, const void *after, uint32_t rank, uint32_t move)
{
    const struct credit_own *was = &((const struct credit_state *)before)->own[rank];
    const struct credit_own *is = &((const struct credit_state *)after)->own[rank];
    struct credit_result *r = result;
    r->made[move < CREDIT_MOVE_PEER ? move : move - (move - CREDIT_MOVE_PEER) % CREDIT_RANKS_MAX]++;
    r->stores += move == CREDIT_MOVE_FINISH && was->phase == CREDIT_TELLING;
    for (uint32_t i = 0; i < CREDIT_RANKS_MAX - 1; i++)
        if (is->account[i].extension > r->extension_most)
            r->extension_most = is->account[i].extension;
}

int credit_explorer_run(const struct credit_case *c, const struct credit_rules *rules, uint32_t states_max,
                        struct credit_result *out)
{
    struct context context = {.c = c, .rules = rules};
    struct state_machine m = {.context = &context, .state_bytes = sizeof(struct credit_state), .actors = c->ranks,
                              .moves = CREDIT_MOVES, .parts = 2 * CREDIT_RANKS_MAX, .move = move_make, .final = final_verdict,
                              .format = credit_move_format, .tally = tally, .tally_context = out};
    struct credit_state state;
    *out = (struct credit_result){0};
    for (uint32_t r = 0; r < CREDIT_RANKS_MAX; r++) {
        m.part[r] = (struct state_part){offsetof(struct credit_state, own) + r * sizeof *state.own, sizeof *state.own, 0};
        m.part[CREDIT_RANKS_MAX + r] = (struct state_part){offsetof(struct credit_state, shared) + r * sizeof *state.shared,
                                                           sizeof *state.shared, CREDIT_RANKS_MAX};
    }
    int err = credit_toy_start(c, &state);
    return err ? err : state_explorer_run(&m, &state, states_max, &out->found);
}
