#include "tests/interleavings/ring_toy.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum ring_move { RING_MOVE_WRITE, RING_MOVE_HEAR, RING_MOVE_READ, RING_MOVE_TELL, RING_MOVES };

/* What really lies in a unit. */
struct ring_unit {
    uint32_t word;
    uint8_t message; /* from 1 */
    uint8_t part;    /* 0: header */
    uint8_t unread, zero;
    uint32_t credit; /* of a header */
};

/* One way: who sends, who receives, and what they share. */
struct ring_way {
    struct er_sender out;
    struct er_receiver in;
    struct ring_unit unit[RING_UNITS_MAX];
    uint32_t told;   /* the word */
    uint32_t credit; /* in the header to be written */
    uint8_t sent, written;  /* messages begun; parts of the one under way */
    uint8_t taken, read;    /* messages; units of the one under way */
    uint8_t tells, zero[3]; /* the receiver is about to store the word */
};
_Static_assert(sizeof(struct ring_way) == 12 + 12 + 12 * RING_UNITS_MAX + 8 + 8, "padding would make equal states differ");

struct ring_state {
    struct ring_way way[RING_RANKS]; /* by sender */
};

struct context {
    const struct ring_case *c;
    const struct ring_rules *rules;
};

const struct ring_rules ring_rules_right = {
    .name = "exclusive ring",
    .room = er_room,
    .hear = er_hear,
    .false_stamp = er_false_stamp,
    .consume = er_consume,
    .due = er_due,
    .tell = er_tell,
};

const char *ring_violation_string(uint32_t violation)
{
    static const char *const name[] = {"ok", "overwritten", "false header", "torn", "unsound", "deadlock"};
    return name[violation];
}

static void move_format(const void *context, const void *state, uint32_t rank, uint32_t move, char *text, uint32_t text_bytes)
{
    (void)context;
    (void)state;
    static const char *const name[] = {"write", "hear", "read", "tell"};
    snprintf(text, text_bytes, "%u:%s ", rank, name[move]);
}

/* Units of the message that the rank writes, or would; 0: no more. */
static uint32_t length_of(const struct context *x, uint32_t rank, uint32_t message)
{
    return message < RING_MESSAGES_MAX ? x->c->length[rank][message] : 0;
}

/* The order in which parts are written: payload, then what is behind the message (part `length`), then the header with its
 * stamp. */
static uint32_t part_written(const struct context *x, uint32_t step, uint32_t length)
{
    if (x->rules->stamp_first || step + 1 < length)
        return x->rules->stamp_first ? step : step + 1;
    return (step + 1 == length) == x->rules->clears_late ? 0 : length;
}

static uint32_t stamp_clear(const struct context *x, struct ring_way *w, uint32_t length)
{
    uint32_t position = w->out.at + length;
    struct ring_unit *u = &w->unit[er_unit(x->c->units, position)];
    if (!x->rules->false_stamp(&w->out, length, u->word))
        return RING_OK;
    u->word = er_blank(position);
    return u->unread ? RING_OVERWRITTEN : RING_OK;
}

static uint32_t unit_write(const struct context *x, struct ring_way *w, uint32_t part)
{
    uint32_t position = w->out.at + part, units = x->c->units;
    struct ring_unit *u = &w->unit[er_unit(units, position)];
    if (u->unread)
        return RING_OVERWRITTEN;
    *u = (struct ring_unit){.message = (uint8_t)(w->sent + 1), .part = (uint8_t)part, .unread = 1};
    u->word = part == 0 ? er_stamp(position) : er_stamp(position + units);
    if (part == 0)
        u->credit = w->credit;
    return RING_OK;
}

/* One part; with the first the room is taken, and with the message goes how far this rank has read the other ring. */
static int move_write(const struct context *x, struct ring_state *s, uint32_t rank, uint32_t *violation)
{
    struct ring_way *w = &s->way[rank], *back = &s->way[1 - rank];
    uint32_t length = length_of(x, rank, w->sent);
    if (length == 0 || back->tells || back->read > 0 || (w->written == 0 && x->rules->room(&w->out) < length))
        return 0;
    if (w->written == 0)
        w->credit = x->rules->tell(&back->in);
    uint32_t part = part_written(x, w->written, length);
    *violation = part == length ? stamp_clear(x, w, length) : unit_write(x, w, part);
    if (w->written++ == length) {
        w->out.at += length;
        w->written = 0;
        w->sent++;
        w->credit = 0;
    }
    return 1;
}

static int move_hear(const struct context *x, struct ring_state *s, uint32_t rank)
{
    struct ring_way *w = &s->way[rank];
    uint32_t consumed = w->out.consumed, length = length_of(x, rank, w->sent);
    if (length == 0 || w->written > 0 || x->rules->room(&w->out) >= length || x->rules->word_unread)
        return 0;
    x->rules->hear(&w->out, w->told);
    return w->out.consumed != consumed;
}

static void give_back(const struct context *x, struct ring_way *w, uint32_t length)
{
    x->rules->consume(&w->in, length);
    w->tells = (uint8_t)(x->rules->due(&w->in) != 0);
}

static uint32_t unit_read(const struct context *x, struct ring_way *w, uint32_t begin)
{
    struct ring_unit *u = &w->unit[er_unit(x->c->units, begin + w->read)];
    if (u->message != w->taken + 1 || u->part != w->read)
        return w->read == 0 ? RING_FALSE : RING_TORN;
    u->unread = 0;
    return RING_OK;
}

/* One unit of what has come; with the last the message is over. */
static int move_read(const struct context *x, struct ring_state *s, uint32_t rank, uint32_t *violation)
{
    struct ring_way *w = &s->way[1 - rank];
    const struct ring_unit *head = &w->unit[er_unit(x->c->units, w->in.at)];
    if (w->tells || s->way[rank].written > 0 || (w->read == 0 && head->word != er_stamp(w->in.at)))
        return 0;
    uint32_t length = length_of(x, 1 - rank, w->taken), returned = x->rules->returns_unread && w->read > 0;
    *violation = unit_read(x, w, returned ? w->in.at - length : w->in.at);
    if (*violation)
        return 1;
    if (w->read == 0)
        x->rules->hear(&s->way[rank].out, head->credit);
    if (w->read == 0 && x->rules->returns_unread)
        give_back(x, w, length);
    if (++w->read < length)
        return 1;
    w->read = 0;
    w->taken++;
    if (!x->rules->returns_unread)
        give_back(x, w, length);
    return 1;
}

static int move_tell(const struct context *x, struct ring_state *s, uint32_t rank)
{
    struct ring_way *w = &s->way[1 - rank];
    if (!w->tells)
        return 0;
    w->told = x->rules->tell(&w->in);
    w->tells = 0;
    return 1;
}

/* consumed as known <= told <= the receiver's at <= the sender's at < consumed + units. */
static int way_sound(const struct ring_way *w)
{
    uint32_t base = w->out.consumed, told = w->in.told - base, read = w->in.at - base, at = w->out.at + w->written - base;
    return told <= read && read <= at && at < w->out.units;
}

static int move_make(const void *context, void *state, uint32_t rank, uint32_t move, uint32_t *violation)
{
    const struct context *x = context;
    struct ring_state *s = state;
    int moved;
    if (move == RING_MOVE_WRITE)
        moved = move_write(x, s, rank, violation);
    else if (move == RING_MOVE_READ)
        moved = move_read(x, s, rank, violation);
    else
        moved = move == RING_MOVE_HEAR ? move_hear(x, s, rank) : move_tell(x, s, rank);
    for (uint32_t r = 0; r < RING_RANKS && moved && !*violation; r++)
        if (!way_sound(&s->way[r]))
            *violation = RING_UNSOUND;
    return moved;
}

static uint32_t final_verdict(const void *context, const void *state)
{
    const struct ring_state *s = state;
    for (uint32_t r = 0; r < RING_RANKS; r++)
        if (length_of(context, r, s->way[r].sent) != 0 || s->way[r].taken != s->way[r].sent)
            return RING_DEADLOCK;
    return RING_OK;
}

static int start(const struct ring_case *c, struct ring_state *out)
{
    memset(out, 0, sizeof *out);
    if (c->units == 0 || c->units > RING_UNITS_MAX || (c->units & (c->units - 1)))
        return -EINVAL;
    for (uint32_t r = 0; r < RING_RANKS; r++) {
        struct ring_way *w = &out->way[r];
        w->out = er_sender_start(c->units, c->position);
        w->in = er_receiver_start(c->units, c->position);
        w->told = c->position;
        for (uint32_t i = 0; i < c->units; i++)
            w->unit[er_unit(c->units, c->position + i)].word = er_blank(c->position + i);
    }
    return 0;
}

int ring_explore(const struct ring_case *c, const struct ring_rules *rules, uint32_t states_max, struct state_result *out)
{
    struct context context = {.c = c, .rules = rules};
    struct state_machine m = {.context = &context, .state_bytes = sizeof(struct ring_state), .actors = RING_RANKS,
                              .moves = RING_MOVES, .parts = RING_RANKS, .move = move_make, .final = final_verdict,
                              .format = move_format};
    struct ring_state state;
    for (uint32_t r = 0; r < RING_RANKS; r++)
        m.part[r] = (struct state_part){r * (uint32_t)sizeof *state.way, sizeof *state.way, 0};
    int err = start(c, &state);
    return err ? err : state_explorer_run(&m, &state, states_max, out);
}
