#include "sim/sim_pairs.h"

#include "model/schedule_trees.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum transfer_state { TRANSFER_NONE, TRANSFER_BEGINS, TRANSFER_GOES, TRANSFER_ENDED };

/* The message that a rank receives. */
struct transfer {
    enum transfer_state state;
    uint32_t from;
    double at_ps;   /* BEGINS: when */
    double work_ps; /* alone */
    double left;    /* GOES: the part that has still to be done */
};

struct pairs_rank {
    struct transfer transfer;
    double wait_ps; /* what each who copies from here waits for the others, over all pages, as many as they are now */
    double end_ps;
};

struct pairs {
    const struct sim_pairs_question *question;
    struct pairs_rank *rank;
    double now_ps;
};

/* Lines that move for each page while so many copy from one rank. */
static uint32_t lines_of(uint32_t readers)
{
    return readers < 2 ? 0 : readers * (readers == 2 ? 2 : 3);
}

static int copies_from(const struct pairs *p, uint32_t r, uint32_t from)
{
    const struct transfer *t = &p->rank[r].transfer;
    return t->state == TRANSFER_GOES && t->from == from;
}

/* Others copy from a rank than did. They have the lock in any order: a line costs the mean over pairs of them. */
static void change_readers(struct pairs *p, uint32_t from)
{
    uint32_t procs = p->question->schedule->procs, readers = 0, pairs = 0;
    double sum_ps = 0;
    for (uint32_t r = 0; r < procs; r++) {
        if (!copies_from(p, r, from))
            continue;
        readers++;
        for (uint32_t other = 0; other < r; other++)
            if (copies_from(p, other, from)) {
                sum_ps += (double)p->question->line_ps[(size_t)r * procs + other];
                pairs++;
            }
    }
    p->rank[from].wait_ps = pairs ? (double)p->question->pages * lines_of(readers) * sum_ps / pairs : 0;
}

/* A rank has the message: it sends it on. */
static void have(struct pairs *p, uint32_t r)
{
    const struct schedule *schedule = p->question->schedule;
    double at_ps = p->now_ps;
    for (uint32_t k = r != schedule->root; k < schedule_steps(schedule, r); k++) {
        struct schedule_step step;
        schedule_step(schedule, r, k, &step);
        const struct sim_pair *pair = &p->question->pair[(size_t)r * schedule->procs + step.send_to];
        double begin_ps = at_ps + (double)pair->begin_ps, bytes_ps = (double)pair->bytes_ps;
        struct transfer *t = &p->rank[step.send_to].transfer;
        *t = (struct transfer){TRANSFER_BEGINS, r, begin_ps, bytes_ps, 0};
        at_ps += (double)pair->send_ps;
    }
    p->rank[r].end_ps = at_ps;
}

static void end_transfer(struct pairs *p, uint32_t r)
{
    struct transfer *t = &p->rank[r].transfer;
    t->state = TRANSFER_ENDED;
    change_readers(p, t->from);
    p->rank[t->from].end_ps = fmax(p->rank[t->from].end_ps, p->now_ps);
    have(p, r);
}

static void begin_transfer(struct pairs *p, uint32_t r)
{
    struct transfer *t = &p->rank[r].transfer;
    t->state = TRANSFER_GOES;
    t->left = 1;
    change_readers(p, t->from);
}

/* A transfer from begin to end, as things are. */
static double whole_ps(const struct pairs *p, const struct transfer *t)
{
    return t->work_ps + p->rank[t->from].wait_ps;
}

/* When a rank's transfer changes its state, as things are. */
static double next_ps(const struct pairs *p, const struct transfer *t)
{
    if (t->state == TRANSFER_BEGINS)
        return t->at_ps;
    return t->state == TRANSFER_GOES ? p->now_ps + t->left * whole_ps(p, t) : INFINITY;
}

static void advance(struct pairs *p, double to_ps)
{
    for (uint32_t r = 0; r < p->question->schedule->procs; r++) {
        struct transfer *t = &p->rank[r].transfer;
        if (t->state == TRANSFER_GOES && to_ps > p->now_ps)
            t->left = fmax(t->left - (to_ps - p->now_ps) / whole_ps(p, t), 0);
    }
    p->now_ps = to_ps;
}

/* The next change; 0 if there is none. */
static int go_on(struct pairs *p)
{
    uint32_t first = 0;
    double at_ps = INFINITY;
    for (uint32_t r = 0; r < p->question->schedule->procs; r++) {
        double ps = next_ps(p, &p->rank[r].transfer);
        first = ps < at_ps ? r : first;
        at_ps = fmin(at_ps, ps);
    }
    if (isinf(at_ps))
        return 0;
    advance(p, fmax(at_ps, p->now_ps));
    if (p->rank[first].transfer.state == TRANSFER_BEGINS)
        begin_transfer(p, first);
    else
        end_transfer(p, first);
    return 1;
}

static void answer(const struct pairs *p, struct sim_pairs_answer *out)
{
    double last_ps = 0, sum_ps = 0;
    uint32_t procs = p->question->schedule->procs;
    for (uint32_t r = 0; r < procs; r++) {
        last_ps = fmax(last_ps, p->rank[r].end_ps);
        sum_ps += p->rank[r].end_ps;
    }
    *out = (struct sim_pairs_answer){(uint64_t)(last_ps + 0.5), sum_ps / procs};
}

int sim_pairs_run(const struct sim_pairs_question *question, struct sim_pairs_answer *out, char *reason, size_t reason_bytes)
{
    const struct schedule *s = question->schedule;
    if (!schedule_is_tree(s)) {
        snprintf(reason, reason_bytes, "%s is no tree down which each rank receives once: take one that is", s->algorithm->name);
        return -ENOTSUP;
    }
    struct pairs p = {question, calloc(s->procs, sizeof *p.rank), 0};
    int err = p.rank ? 0 : -ENOMEM;
    if (!err) {
        have(&p, s->root);
        while (go_on(&p))
            ;
        answer(&p, out);
    } else {
        snprintf(reason, reason_bytes, "no memory for %u ranks", s->procs);
    }
    free(p.rank);
    return err;
}
