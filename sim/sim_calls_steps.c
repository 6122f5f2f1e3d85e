#include "sim/sim_calls_steps.h"

struct list {
    struct call_step *step;
    uint32_t n;
};

static void add(struct list *l, enum call_op op, uint32_t peer)
{
    l->step[l->n++] = (struct call_step){op, peer};
}

static void add_bcast(struct list *l, const struct schedule *s, uint32_t r)
{
    add(l, CALL_ENTER, r);
    for (uint32_t k = 0; k < schedule_steps(s, r); k++) {
        struct schedule_step step;
        schedule_step(s, r, k, &step);
        if (step.receive_from != SCHEDULE_NONE)
            add(l, CALL_RECEIVE, step.receive_from);
        else
            add(l, CALL_SEND, step.send_to);
    }
    add(l, CALL_LEAVE, r);
}

static void add_barrier_linear(struct list *l, uint32_t procs, uint32_t r)
{
    for (uint32_t i = 1; r == 0 && i < procs; i++)
        add(l, CALL_RECEIVE, i);
    for (uint32_t i = 1; r == 0 && i < procs; i++)
        add(l, CALL_SEND_EMPTY, i);
    if (r > 0) {
        add(l, CALL_SEND_EMPTY, 0);
        add(l, CALL_RECEIVE, 0);
    }
}

static void exchange(struct list *l, uint32_t peer)
{
    add(l, CALL_SEND_EMPTY, peer);
    add(l, CALL_RECEIVE, peer);
}

static void add_barrier_doubling(struct list *l, uint32_t procs, uint32_t r)
{
    uint32_t power = 1u << (31 - __builtin_clz(procs));
    if (r >= power) {
        exchange(l, r - power);
        return;
    }
    int has_one_beyond = r + power < procs;
    if (has_one_beyond)
        add(l, CALL_RECEIVE, r + power);
    for (uint32_t bit = 1; bit < power; bit *= 2)
        exchange(l, r ^ bit);
    if (has_one_beyond)
        add(l, CALL_SEND_CONFIRMED, r + power);
}

uint32_t call_steps_of(const struct schedule *s, uint32_t r, struct call_step *out)
{
    struct list l = {out, 0};
    add_bcast(&l, s, r);
    if (s->procs >= 4 && s->procs < 8)
        add_barrier_linear(&l, s->procs, r);
    else
        add_barrier_doubling(&l, s->procs, r);
    return l.n;
}
