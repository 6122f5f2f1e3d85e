#include "sim/sim_calls.h"

#include "model/schedule_trees.h"
#include "sim/sim_calls_steps.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* From one rank to another there are at most the broadcast and a barrier's messages of two turns: who goes on to the next turn
 * has heard from everyone in this one. */
enum { ON_THE_WAY = 8 };

struct call_message {
    uint64_t at_ps, receive_ps;
    int confirm;
};

struct call_way {
    struct call_message message[ON_THE_WAY];
    uint32_t begin, end;
};

struct caller {
    struct call_step *step;
    uint32_t steps, at, turn, last_sender; /* at: its next step; last_sender: to its queue, or procs */
    int parked;                            /* it waits for a message, or for being confirmed */
    int sent, confirmed;                   /* of CALL_SEND_CONFIRMED: it has; and when that is known */
    uint64_t now_ps, entered_ps, confirmed_ps, counted_ps;
};

struct calls {
    const struct sim_calls_question *question;
    uint32_t procs;
    struct caller *caller;
    struct call_way *way; /* [from*procs + to] */
};

/* Something goes to `to`: when it can be seen there. */
static uint64_t send_ps(struct calls *c, uint32_t from, uint32_t to, const struct sim_call_cost *cost)
{
    struct caller *me = &c->caller[from], *other = &c->caller[to];
    if (other->last_sender != c->procs && other->last_sender != from)
        me->now_ps += c->question->line_ps[(size_t)other->last_sender * c->procs + from];
    other->last_sender = from;
    other->parked = 0;
    me->now_ps += cost->send_ps;
    return me->now_ps + cost->way_ps;
}

static void send_message(struct calls *c, uint32_t from, uint32_t to, const struct sim_call_cost *costs, int confirm)
{
    const struct sim_call_cost *cost = &costs[(size_t)from * c->procs + to];
    struct call_way *way = &c->way[(size_t)from * c->procs + to];
    assert(way->end - way->begin < ON_THE_WAY);
    uint64_t at_ps = send_ps(c, from, to, cost);
    way->message[way->end++ % ON_THE_WAY] = (struct call_message){at_ps, cost->receive_ps, confirm};
}

/* Whether it has come; until then the rank waits for it, and is asked again at that time: others may send before. */
static int receive(struct calls *c, uint32_t r, uint32_t from)
{
    struct caller *me = &c->caller[r], *sender = &c->caller[from];
    struct call_way *way = &c->way[(size_t)from * c->procs + r];
    if (way->begin == way->end) {
        me->parked = 1;
        return 0;
    }
    struct call_message message = way->message[way->begin % ON_THE_WAY];
    if (message.at_ps > me->now_ps) {
        me->now_ps = message.at_ps;
        return 0;
    }
    way->begin++;
    me->now_ps += message.receive_ps;
    if (message.confirm) {
        sender->confirmed_ps = send_ps(c, r, from, &c->question->empty[(size_t)r * c->procs + from]);
        sender->confirmed = 1;
    }
    return 1;
}

static int send_confirmed(struct calls *c, uint32_t r, uint32_t to)
{
    struct caller *me = &c->caller[r];
    if (!me->sent) {
        send_message(c, r, to, c->question->empty, 1);
        me->sent = me->parked = 1;
        return 0;
    }
    if (!me->confirmed) {
        me->parked = 1;
        return 0;
    }
    me->now_ps = me->confirmed_ps > me->now_ps ? me->confirmed_ps : me->now_ps;
    me->now_ps += c->question->empty[(size_t)to * c->procs + r].receive_ps;
    me->sent = me->confirmed = 0;
    return 1;
}

/* Whether the rank's step has ended. */
static int act(struct calls *c, uint32_t r)
{
    struct caller *me = &c->caller[r];
    struct call_step step = me->step[me->at];
    switch (step.op) {
    case CALL_ENTER:
        me->entered_ps = me->now_ps;
        me->now_ps += c->question->enter_ps;
        return 1;
    case CALL_LEAVE:
        me->counted_ps += me->turn >= c->question->skipped ? me->now_ps - me->entered_ps : 0;
        return 1;
    case CALL_SEND:
        send_message(c, r, step.peer, c->question->message, 0);
        return 1;
    case CALL_SEND_EMPTY:
        send_message(c, r, step.peer, c->question->empty, 0);
        return 1;
    case CALL_SEND_CONFIRMED:
        return send_confirmed(c, r, step.peer);
    default:
        return receive(c, r, step.peer);
    }
}

/* The earliest of those that can go on, the first of several; procs if there is none. */
static uint32_t next_caller(const struct calls *c)
{
    uint32_t next = c->procs;
    for (uint32_t r = 0; r < c->procs; r++) {
        const struct caller *x = &c->caller[r];
        if (!x->parked && x->turn < c->question->calls && (next == c->procs || x->now_ps < c->caller[next].now_ps))
            next = r;
    }
    return next;
}

static void go_through(struct calls *c)
{
    for (uint32_t r = next_caller(c); r < c->procs; r = next_caller(c)) {
        struct caller *me = &c->caller[r];
        if (act(c, r) && ++me->at == me->steps) {
            me->at = 0;
            me->turn++;
        }
    }
}

static void answer(const struct calls *c, struct sim_calls_answer *out)
{
    double sum_ps = 0, most_ps = 0, counted = c->question->calls - c->question->skipped;
    for (uint32_t r = 0; r < c->procs; r++) {
        assert(c->caller[r].turn == c->question->calls);
        sum_ps += (double)c->caller[r].counted_ps;
        most_ps = fmax(most_ps, (double)c->caller[r].counted_ps);
    }
    *out = (struct sim_calls_answer){sum_ps / counted / c->procs, most_ps / counted};
}

int sim_calls_run(const struct sim_calls_question *question, struct sim_calls_answer *out, char *reason, size_t reason_bytes)
{
    const struct schedule *s = question->schedule;
    uint32_t procs = s->procs, most = call_steps_max(procs);
    if (!schedule_is_tree(s) || procs < 2 || procs > SIM_CALLS_PROCS_MAX) {
        snprintf(reason, reason_bytes, "%s of %u ranks is no tree of 2 to %d ranks: take one that is", s->algorithm->name, procs,
                 SIM_CALLS_PROCS_MAX);
        return -ENOTSUP;
    }
    struct calls c = {question, procs, calloc(procs, sizeof *c.caller), calloc((size_t)procs * procs, sizeof *c.way)};
    struct call_step *step = calloc((size_t)procs * most, sizeof *step);
    int err = c.caller && c.way && step ? 0 : -ENOMEM;
    if (!err) {
        for (uint32_t r = 0; r < procs; r++) {
            c.caller[r].step = &step[(size_t)r * most];
            c.caller[r].steps = call_steps_of(s, r, c.caller[r].step);
            c.caller[r].last_sender = procs;
        }
        go_through(&c);
        answer(&c, out);
    } else {
        snprintf(reason, reason_bytes, "no memory for %u ranks", procs);
    }
    free(step);
    free(c.way);
    free(c.caller);
    return err;
}
