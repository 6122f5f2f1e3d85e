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
    double at_ps;    /* BEGINS: when */
    double work_ps;  /* alone */
    double until_ps; /* GOES: it ends when so much has been done for each of its share */
};

struct pairs_rank {
    struct transfer transfer;
    double end_ps;
};

/* Transfers from a socket. */
struct share {
    uint32_t going;
    double done_ps; /* for each that goes, since the begin */
};

struct pairs {
    const struct sim_pairs_question *question;
    struct pairs_rank *rank;
    struct share *share;
    double now_ps;
};

static struct share *share_of(const struct pairs *p, const struct transfer *t)
{
    return &p->share[p->question->socket_of_rank[t->from]];
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
    share_of(p, t)->going--;
    p->rank[t->from].end_ps = fmax(p->rank[t->from].end_ps, p->now_ps);
    have(p, r);
}

static void begin_transfer(struct pairs *p, uint32_t r)
{
    struct transfer *t = &p->rank[r].transfer;
    t->state = TRANSFER_GOES;
    t->until_ps = share_of(p, t)->done_ps + t->work_ps;
    share_of(p, t)->going++;
}

/* When a rank's transfer changes its state, as things are. */
static double next_ps(const struct pairs *p, const struct transfer *t)
{
    if (t->state == TRANSFER_BEGINS)
        return t->at_ps;
    if (t->state != TRANSFER_GOES)
        return INFINITY;
    const struct share *share = share_of(p, t);
    return p->now_ps + (t->until_ps - share->done_ps) * share->going;
}

static void advance(struct pairs *p, double to_ps)
{
    for (uint32_t i = 0; i < p->question->schedule->procs; i++)
        if (p->share[i].going)
            p->share[i].done_ps += (to_ps - p->now_ps) / p->share[i].going;
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
    struct pairs p = {question, calloc(s->procs, sizeof *p.rank), calloc(s->procs, sizeof *p.share), 0};
    int err = p.rank && p.share ? 0 : -ENOMEM;
    if (!err) {
        have(&p, s->root);
        while (go_on(&p))
            ;
        answer(&p, out);
    } else {
        snprintf(reason, reason_bytes, "no memory for %u ranks", s->procs);
    }
    free(p.rank);
    free(p.share);
    return err;
}
