#include "tests/interleavings/toy_case.h"

#include <errno.h>
#include <string.h>

const char *toy_violation_string(enum toy_violation violation)
{
    static const char *const names[TOY_VIOLATION_COUNT] = {
        "ok",           "fault",      "wrong data", "overwritten",  "control block busy", "control block empty", "set busy",
        "underflow", "incomplete", "out of range", "not offered", "crowded", "left its guests", "leftover", "deadlock",
    };
    return (unsigned)violation < TOY_VIOLATION_COUNT ? names[violation] : "?";
}

static struct toy_cell *cell_at(const struct toy_case *c, struct toy_state *s, const struct step_place *place)
{
    uint32_t count = place->kind == PLACE_SLOT ? c->slots : place->kind == PLACE_LINE ? c->lines : 0;
    uint32_t first = place->kind == PLACE_SLOT ? 0 : c->procs * c->slots;
    if (place->owner >= c->procs || place->index >= count)
        return NULL;
    return &s->places.cell[first + place->owner * count + place->index];
}

/* What the rank asks for next, and its cursor afterwards. */
static struct step next_step(const struct toy_case *c, const struct toy_rank *rank, uint32_t r, struct cursor *after)
{
    struct bcast_call call = toy_call_of(c, rank->call, r);
    struct step step;
    memset(&step, 0, sizeof step);
    *after = rank->cursor;
    after->call = &call;
    toy_protocol_of(c, rank->call)->next(after, rank->seen, &step);
    after->call = NULL;
    return step;
}

/* Whoever gives something has it from the beginning, but for an allgather that is not in place. */
static void start_call(const struct toy_case *c, struct toy_state *s, uint32_t r, uint32_t op)
{
    struct toy_rank *rank = &s->rank[r];
    struct bcast_call call = toy_call_of(c, rank->call, r);
    int there = !toy_is_allgather(c, rank->call) || call.in_place;
    toy_protocol_of(c, rank->call)->start(&rank->cursor, &call, op);
    rank->cursor.call = NULL;
    rank->seen = 0;
    s->places.user[r] = (struct toy_user){.held = there ? toy_contribution(c, rank->call, r) : 0};
}

/* The next call, by a protocol that goes on counting where it stood. */
static void next_call(const struct toy_case *c, struct toy_state *s, uint32_t r, uint32_t op)
{
    struct toy_rank *rank = &s->rank[r];
    uint32_t before = rank->call++, next_op = op;
    if (toy_is_bit(c->broadcasts, before) != toy_is_bit(c->broadcasts, rank->call)) {
        next_op = rank->other_op;
        rank->other_op = op;
    }
    start_call(c, s, r, next_op);
}

/* Ends calls whose program is through and starts the next: local to the rank, so it is part of the step before. */
static enum toy_violation settle(const struct toy_case *c, struct toy_state *s, uint32_t r)
{
    struct toy_rank *rank = &s->rank[r];
    const struct toy_user *user = &s->places.user[r];
    struct cursor after;
    while (next_step(c, rank, r, &after).op == STEP_DONE) {
        if (user->held != toy_bits(0, toy_message_bytes(c, rank->call)))
            return TOY_INCOMPLETE;
        if (user->guests)
            return TOY_LEFT_GUESTS;
        if (rank->call + 1 == c->calls) {
            rank->phase = TOY_FINISHED;
            rank->other_op = 0;
            s->places.user[r] = (struct toy_user){.held = 0};
            return TOY_OK;
        }
        next_call(c, s, r, after.op);
    }
    return TOY_OK;
}

static void words_start(const struct toy_case *c, const struct protocol *p, struct toy_words *words)
{
    static const uint32_t kinds[] = {WORD_SET_OP, WORD_SET_NREADERS, WORD_CONTROL, WORD_LINE, WORD_ACK, WORD_OFFER, WORD_COUNTER};
    for (uint32_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (uint32_t owner = 0; owner < c->procs; owner++)
            for (uint32_t i = 0; i < TOY_WORDS_MAX; i++) {
                uint32_t at = toy_word_at(c, p, kinds[k], owner, i);
                if (at != TOY_NOWHERE)
                    words->value[at] = p->word_initial(kinds[k], c->op_start);
            }
}

int toy_start(const struct toy_case *c, struct toy_state *out)
{
    if (!toy_case_fits(c))
        return -EINVAL;
    memset(out, 0, sizeof *out);
    words_start(c, c->protocol, &out->words);
    if (c->other)
        words_start(c, c->other, &out->words);
    for (uint32_t r = 0; r < c->procs; r++) {
        out->rank[r].other_op = c->other ? c->op_start : 0;
        start_call(c, out, r, c->op_start);
        settle(c, out, r);
    }
    return 0;
}

static int wait_satisfied(const struct step *step, uint32_t value)
{
    switch (step->op) {
    case STEP_WAIT_EQ:
        return value == step->value;
    case STEP_WAIT_NE:
        return value != step->value;
    default: /* STEP_WAIT_GE */
        return (int32_t)(value - step->value) >= 0;
    }
}

/* What a word must look like when it is written to, for the words of which the protocol promises something. */
static enum toy_violation write_allowed(const struct protocol *p, const struct step *step, uint32_t old, uint32_t r)
{
    if (!(p->uses & PROTOCOL_SETS))
        return TOY_OK;
    if (step->word == WORD_CONTROL && step->owner != r)
        return old == 0 ? TOY_OK : TOY_CONTROL_BUSY;
    if (step->word == WORD_CONTROL)
        return old != 0 ? TOY_OK : TOY_CONTROL_EMPTY;
    if (step->word == WORD_SET_NREADERS && step->name == STEP_NAME_WS)
        return old == 0 ? TOY_OK : TOY_SET_BUSY;
    if (step->word == WORD_SET_NREADERS)
        return old != 0 ? TOY_OK : TOY_READERS_UNDERFLOW;
    return TOY_OK;
}

static void step_word(const struct toy_case *c, struct toy_state *s, uint32_t r, struct toy_move *move)
{
    const struct step *step = &move->step;
    const struct protocol *p = toy_protocol_of(c, s->rank[r].call);
    uint32_t at = toy_word_at(c, p, step->word, step->owner, step->index);
    if (at == TOY_NOWHERE) {
        move->violation = TOY_OUT_OF_RANGE;
        return;
    }
    uint32_t *value = &s->words.value[at];
    uint64_t bit = UINT64_C(1) << at;
    if (step->op <= STEP_WAIT_GE) {
        move->moved = wait_satisfied(step, *value);
        move->early_open = move->moved && step->word == WORD_SET_OP && !(s->words.stored & bit);
        s->rank[r].seen = *value;
        return;
    }
    move->violation = write_allowed(p, step, *value, r);
    s->rank[r].seen = step->op == STEP_TAKE ? *value : 0;
    *value = step->op == STEP_STORE || step->op == STEP_OFFER ? step->value : *value + step->value;
    s->words.stored |= bit;
    if (step->op == STEP_OFFER)
        s->places.user[r].offered = (uint16_t)(s->rank[r].call + 1);
    move->moved = 1;
}

/* The fragment that this copy is meant to move. */
static struct toy_cell fragment_of(const struct toy_rank *rank, const struct step *step)
{
    return (struct toy_cell){
        .offset_bytes = (uint16_t)step->offset_bytes, .bytes = (uint8_t)step->bytes, .call = (uint8_t)(rank->call + 1)};
}

static int cell_holds(const struct toy_cell *cell, const struct toy_cell *fragment)
{
    return !cell->torn && cell->call == fragment->call && cell->offset_bytes == fragment->offset_bytes &&
           cell->bytes == fragment->bytes;
}

/* Who is to copy a new fragment out: all but the writer from a slot, if the case does not know better; the owner from a line that
 * another has written. */
static uint8_t readers_of(const struct toy_case *c, const struct toy_rank *rank, const struct step *step, uint32_t writer)
{
    uint32_t all = (1u << c->procs) - 1;
    if (step->to.kind == PLACE_SLOT && c->readers)
        return (uint8_t)c->readers(c, c->root[rank->call], step->to.owner);
    int others = step->to.kind == PLACE_SLOT || step->to.owner == writer;
    return (uint8_t)(others ? all & ~(1u << writer) : 1u << step->to.owner);
}

/* The user buffer that a place means: the rank's own, or another's; NULL if it is none. */
static struct toy_user *user_at(const struct toy_case *c, struct toy_state *s, uint32_t r, const struct step_place *place)
{
    if (place->kind == PLACE_USER || place->kind == PLACE_SEND)
        return &s->places.user[r];
    return place->kind == PLACE_PEER && place->owner < c->procs && place->owner != r ? &s->places.user[place->owner] : NULL;
}

/* Whether a user's buffer has what is copied out of it: in an allgather everyone gives his own block, wherever it lies. */
static int source_holds(const struct toy_case *c, const struct toy_state *s, uint32_t r, const struct step *step,
                        const struct toy_user *from)
{
    uint32_t part = toy_bits(step->offset_bytes, step->bytes), call = s->rank[r].call;
    uint32_t owner = step->from.kind == PLACE_PEER ? step->from.owner : r;
    uint32_t held = toy_is_allgather(c, call) ? toy_contribution(c, call, owner) : from->held;
    return (held & part) == part;
}

static enum toy_violation users_begin(const struct toy_case *c, const struct toy_state *s, uint32_t r, const struct step *step,
                                      const struct toy_user *from, const struct toy_user *to)
{
    uint32_t part = toy_bits(step->offset_bytes, step->bytes), call = s->rank[r].call + 1;
    int peers = step->from.kind == PLACE_PEER || step->to.kind == PLACE_PEER;
    if ((step->from.kind == PLACE_PEER && from->offered != call) || (step->to.kind == PLACE_PEER && to->offered != call))
        return TOY_NOT_OFFERED;
    if (from && !source_holds(c, s, r, step, from))
        return TOY_WRONG_DATA;
    if (to && ((to->held | to->torn) & part))
        return TOY_OVERWRITTEN;
    int in_order = !peers && !toy_is_allgather(c, call - 1); /* as through a queue of one rank's */
    if (to && in_order && to->held != toy_bits(0, step->offset_bytes))
        return TOY_WRONG_DATA;
    return TOY_OK;
}

static enum toy_violation copy_begin(const struct toy_case *c, struct toy_state *s, uint32_t r, const struct step *step)
{
    struct toy_rank *rank = &s->rank[r];
    struct toy_cell fragment = fragment_of(rank, step);
    struct toy_cell *from = cell_at(c, s, &step->from), *to = cell_at(c, s, &step->to);
    struct toy_user *from_user = user_at(c, s, r, &step->from), *to_user = user_at(c, s, r, &step->to);
    if ((!from && !from_user) || (!to && !to_user) || step->offset_bytes + step->bytes > toy_message_bytes(c, rank->call))
        return TOY_OUT_OF_RANGE;
    if (from && !cell_holds(from, &fragment))
        return TOY_WRONG_DATA;
    enum toy_violation violation = users_begin(c, s, r, step, from_user, to_user);
    if (violation)
        return violation;
    if (to && (to->torn || to->unread))
        return TOY_OVERWRITTEN;
    if (to) {
        *to = fragment;
        to->torn = 1;
    } else {
        to_user->torn |= toy_bits(step->offset_bytes, step->bytes);
    }
    if (step->from.kind == PLACE_PEER)
        from_user->guests |= (uint16_t)(1u << r);
    if (step->to.kind == PLACE_PEER)
        to_user->guests |= (uint16_t)(1u << r);
    rank->phase = TOY_COPYING;
    int crowd = from_user ? __builtin_popcount(from_user->guests) : 0;
    return c->guests_most && crowd > (int)c->guests_most ? TOY_CROWDED : TOY_OK;
}

static enum toy_violation copy_end(const struct toy_case *c, struct toy_state *s, uint32_t r, const struct step *step)
{
    struct toy_rank *rank = &s->rank[r];
    struct toy_cell fragment = fragment_of(rank, step);
    struct toy_cell *from = cell_at(c, s, &step->from), *to = cell_at(c, s, &step->to);
    struct toy_user *from_user = user_at(c, s, r, &step->from), *to_user = user_at(c, s, r, &step->to);
    if (from && !cell_holds(from, &fragment))
        return TOY_OVERWRITTEN;
    if (from && (!to || step->from.owner != r)) /* who passes its own on has still to copy it out */
        from->unread &= (uint8_t)~(1u << r);
    if (!from)
        from_user->guests &= (uint16_t)~(1u << r);
    if (to) {
        to->torn = 0;
        to->unread = readers_of(c, rank, step, r);
    } else {
        to_user->guests &= (uint16_t)~(1u << r);
        to_user->torn &= ~toy_bits(step->offset_bytes, step->bytes);
        to_user->held |= toy_bits(step->offset_bytes, step->bytes);
    }
    rank->phase = TOY_RUNNING;
    rank->seen = 0;
    return TOY_OK;
}

struct toy_move toy_step(const struct toy_case *c, struct toy_state *state, uint32_t r)
{
    struct toy_rank *rank = &state->rank[r];
    struct toy_move move = {0};
    if (rank->phase == TOY_FINISHED || rank->phase == TOY_STOPPED)
        return move;
    struct cursor after;
    int begins = rank->phase == TOY_RUNNING;
    move.step = next_step(c, rank, r, &after);
    if (move.step.op == STEP_FAULT) {
        move.violation = TOY_FAULT;
    } else if (move.step.op == STEP_COPY) {
        move.moved = 1;
        move.violation = begins ? copy_begin(c, state, r, &move.step) : copy_end(c, state, r, &move.step);
    } else {
        step_word(c, state, r, &move);
    }
    if (move.violation || !move.moved || rank->phase == TOY_COPYING)
        return move;
    rank->cursor = after;
    move.violation = settle(c, state, r);
    return move;
}

/* Sets and control blocks that are not clear when all have ended. */
static int leftover(const struct toy_case *c, const struct protocol *p, const struct toy_state *state)
{
    int left = 0;
    for (uint32_t i = 0; i < c->sets && !(p->uses & PROTOCOL_ALLGATHER); i++)
        left |= state->words.value[toy_word_at(c, p, WORD_SET_NREADERS, 0, i)] != 0;
    for (uint32_t i = 0; i < c->procs * c->slots && (p->uses & PROTOCOL_SETS); i++)
        left |= state->words.value[toy_word_at(c, p, WORD_CONTROL, i / c->slots, i % c->slots)] != 0;
    return left;
}

enum toy_violation toy_final(const struct toy_case *c, const struct toy_state *state)
{
    int stopped = 0, all_ended = 1;
    for (uint32_t r = 0; r < c->procs; r++) {
        stopped |= state->rank[r].phase == TOY_STOPPED;
        all_ended &= state->rank[r].phase == TOY_FINISHED;
    }
    if (stopped)
        return TOY_OK;
    if (!all_ended)
        return TOY_DEADLOCK;
    return leftover(c, c->protocol, state) || (c->other && leftover(c, c->other, state)) ? TOY_LEFTOVER : TOY_OK;
}
