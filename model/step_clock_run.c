/* One call of the step clock: steps, waits, and the core that ranks may have to share. */
#include "model/step_clock_state.h"

#include <errno.h>
#include <math.h>

/* The core of r is free: the rank that has waited for it longest goes on. */
static void core_leave(struct step_clock *c, uint32_t r)
{
    uint32_t core = c->core_id[r], next = STEP_NOBODY;
    if (!c->shared_cores)
        return;
    for (uint32_t i = core; i < c->procs; i++)
        if (c->core_id[i] == core && c->rank[i].ready_s < INFINITY &&
            (next == STEP_NOBODY || c->rank[i].ready_s < c->rank[next].ready_s))
            next = i;
    c->core_rank[core] = next;
    if (next == STEP_NOBODY)
        return;
    c->rank[next].at_s = fmax(c->now_s, c->rank[next].ready_s) + c->costs->switch_s;
    c->rank[next].ready_s = INFINITY;
}

/* r could go on at that time, if it had its core. */
static void core_enter(struct step_clock *c, uint32_t r, double at_s)
{
    uint32_t *runs = &c->core_rank[c->core_id[r]];
    c->rank[r].at_s = at_s;
    if (!c->shared_cores || *runs == r)
        return;
    if (*runs == STEP_NOBODY) {
        *runs = r;
        return;
    }
    c->rank[r].at_s = INFINITY;
    c->rank[r].ready_s = at_s;
}

/* The paper bills waiting for data and for a set; so a barrier's waits and those for an offer are waits for data. */
static double paper_wait_s(const struct step_costs *costs, uint32_t name)
{
    if (name == STEP_NAME_WO)
        return costs->t_wo_s;
    return name == STEP_NAME_W || name == STEP_NAME_WP || name == STEP_NAME_B ? costs->t_w_s : 0;
}

/* The wait of r is satisfied now: when it has read the word. */
static double end_wait_s(struct step_clock *c, uint32_t r, int spun)
{
    struct clock_rank *rank = &c->rank[r];
    rank->seen = c->word[rank->word].value;
    rank->phase = CLOCK_NEXT;
    rank->lag_s = 0;
    if (c->costs->contention_free)
        return c->now_s + paper_wait_s(c->costs, rank->step.name);
    return step_clock_line_comes_s(c, rank->word, r, spun) + c->costs->step_s;
}

static int satisfied(const struct step *s, uint32_t value)
{
    return s->op == STEP_WAIT_EQ   ? value == s->value
           : s->op == STEP_WAIT_NE ? value != s->value
                                   : (int32_t)(value - s->value) >= 0;
}

static void begin_wait(struct step_clock *c, uint32_t r)
{
    struct clock_rank *rank = &c->rank[r];
    rank->word = step_clock_word(c, &rank->step);
    if (satisfied(&rank->step, c->word[rank->word].value)) {
        rank->at_s = end_wait_s(c, r, 0);
        return;
    }
    rank->phase = CLOCK_PARKED;
    rank->at_s = INFINITY;
    c->word[rank->word].waiters++;
    c->held[(size_t)rank->word * c->procs + r] = 1;
    core_leave(c, r);
}

/* No store of r leaves its core before, but to the same line. */
static void keep_back(struct clock_rank *rank, uint32_t word, double time_s)
{
    rank->drain_s = time_s;
    rank->drain_word = word;
}

static void begin_store(struct step_clock *c, uint32_t r)
{
    struct clock_rank *rank = &c->rank[r];
    rank->phase = CLOCK_STORE;
    rank->word = step_clock_word(c, &rank->step);
    if (c->costs->contention_free)
        return;
    double start_s = rank->drain_word != rank->word ? fmax(rank->drain_s, c->now_s) : c->now_s;
    double taken_s = step_clock_claim_s(c, rank->word, r);
    rank->at_s = start_s + c->costs->step_s;
    rank->lag_s += start_s - c->now_s;
    if (taken_s > 0)
        keep_back(rank, rank->word, rank->at_s + taken_s * c->costs->store_share);
    /* A hand-over is the store's taking of the line, from whoever has a copy, and the reader's fetch of it. */
    rank->stored_s = rank->at_s + step_clock_shared_s(c, rank->word, r) * (1 - c->costs->fetch_share);
}

/* Additions to one word follow one another; each has the line to itself. */
static void begin_add(struct step_clock *c, uint32_t r)
{
    struct clock_rank *rank = &c->rank[r];
    rank->phase = CLOCK_ADD;
    rank->word = step_clock_word(c, &rank->step);
    struct clock_word *w = &c->word[rank->word];
    if (c->costs->contention_free) {
        rank->at_s = c->now_s + c->costs->t_a_s;
        return;
    }
    w->busy_s = fmax(fmax(c->now_s, rank->drain_s), w->busy_s) + step_clock_fetch_s(c, rank->word, r) + c->costs->atomic_s;
    step_clock_own(c, rank->word, r);
    rank->at_s = w->busy_s + c->costs->step_s;
}

/* Payload in a notification's line: written, it takes the line from its reader as the store after it would. */
static void copy_line(struct step_clock *c, uint32_t r)
{
    struct clock_rank *rank = &c->rank[r];
    const struct step *s = &rank->step;
    double start_s = c->now_s, taken_s = 0;
    uint32_t word = STEP_NOBODY;
    if (s->to.kind == PLACE_LINE) {
        word = c->word_base[WORD_LINE] + s->to.owner * c->word_stride[WORD_LINE] + s->to.index;
        start_s = fmax(start_s, rank->drain_s);
        taken_s = step_clock_claim_s(c, word, r);
        step_clock_own(c, word, r);
        step_clock_copy_read(c, r);
    }
    rank->at_s = start_s + step_clock_line_s(c, s) + c->costs->step_s;
    if (taken_s > 0)
        keep_back(rank, word, rank->at_s + taken_s * c->costs->store_share);
    rank->copy_s += rank->at_s - c->now_s;
}

/* While notifications before it waited for their lines the core was already copying, as far as its store buffer goes. */
static void begin_copy(struct step_clock *c, uint32_t r)
{
    struct clock_rank *rank = &c->rank[r];
    struct clock_flow *f = &rank->flow;
    if (c->costs->contention_free) {
        rank->at_s = c->now_s + rank->step.bytes * c->costs->t_s;
        rank->copy_s += rank->at_s - c->now_s;
        return;
    }
    if (rank->step.from.kind == PLACE_LINE || rank->step.to.kind == PLACE_LINE) {
        copy_line(c, r);
        return;
    }
    rank->phase = CLOCK_COPY;
    step_clock_copy_prepare(c, r);
    double stalled_s = fmax(rank->stored_s - c->now_s - f->ahead_s, 0);
    double ahead_s = fmin(rank->lag_s, f->ahead_s), start_s = fmin(f->start_s, ahead_s);
    f->start_s -= start_s;
    f->left_s -= ahead_s - start_s;
    rank->lag_s = 0;
    rank->at_s = c->now_s + f->start_s + stalled_s + c->costs->step_s;
}

static void end_copy(struct step_clock *c, uint32_t r)
{
    struct clock_rank *rank = &c->rank[r];
    step_clock_copy_end(c, r);
    keep_back(rank, STEP_NOBODY, c->now_s + rank->flow.tail_s);
    rank->copy_s += c->now_s - rank->start_s;
}

/* A store or addition is visible now: those it satisfies go on. */
static void change_word(struct step_clock *c, uint32_t r)
{
    struct clock_rank *rank = &c->rank[r];
    struct clock_word *w = &c->word[rank->word];
    uint32_t before = w->value, word = rank->word;
    w->stored_s = rank->phase == CLOCK_ADD ? -INFINITY : c->now_s;
    w->value = rank->phase == CLOCK_ADD ? w->value + rank->step.value : rank->step.value;
    rank->seen = rank->step.op == STEP_TAKE ? before : rank->seen;
    rank->phase = CLOCK_NEXT;
    if (!c->costs->contention_free)
        step_clock_own(c, word, r);
    for (uint32_t i = 0; w->waiters && i < c->procs; i++) {
        if (c->rank[i].phase != CLOCK_PARKED || c->rank[i].word != word)
            continue;
        if (satisfied(&c->rank[i].step, w->value)) {
            w->waiters--;
            core_enter(c, i, end_wait_s(c, i, 1));
        } else {
            c->held[(size_t)word * c->procs + i] = 1; /* it spins on, and has the line again by and by */
        }
    }
}

static int begin_step(struct step_clock *c, uint32_t r)
{
    struct clock_rank *rank = &c->rank[r];
    rank->step = (struct step){0};
    c->protocol->next(&rank->cursor, rank->seen, &rank->step);
    rank->start_s = c->now_s;
    switch (rank->step.op) {
    case STEP_STORE:
    case STEP_OFFER:
        begin_store(c, r);
        return 0;
    case STEP_ADD:
    case STEP_TAKE:
        begin_add(c, r);
        return 0;
    case STEP_COPY:
        begin_copy(c, r);
        return 0;
    case STEP_DONE:
        rank->phase = CLOCK_OVER;
        rank->at_s = INFINITY;
        c->running--;
        c->end_s = fmax(c->end_s, c->now_s);
        c->ends_s += c->now_s;
        core_leave(c, r);
        return 0;
    case STEP_FAULT:
        return -EPROTO;
    default:
        begin_wait(c, r);
        return 0;
    }
}

static int go_on(struct step_clock *c, uint32_t r)
{
    switch (c->rank[r].phase) {
    case CLOCK_NEXT:
        return begin_step(c, r);
    case CLOCK_COPY:
        step_clock_copy_begin(c, r);
        return 0;
    case CLOCK_COPYING:
        end_copy(c, r);
        return 0;
    default:
        change_word(c, r);
        return 0;
    }
}

static int run_call(struct step_clock *c, struct clock_shape shape, uint64_t last_bytes)
{
    step_clock_reset(c, shape, last_bytes);
    for (uint32_t r = 0; r < c->procs; r++)
        core_enter(c, r, c->costs->call_s);
    while (c->running) {
        uint32_t first = 0;
        for (uint32_t r = 1; r < c->procs; r++)
            if (c->rank[r].at_s < c->rank[first].at_s)
                first = r;
        if (isinf(c->rank[first].at_s))
            return -EPROTO;
        c->now_s = c->rank[first].at_s;
        int err = go_on(c, first);
        if (err)
            return err;
    }
    return 0;
}

/* A short call goes ahead, so that lines are where calls leave them. */
static int run_calls(struct step_clock *c, struct clock_shape shape, uint64_t last_bytes)
{
    struct clock_shape ahead = {shape.set_slots, shape.fragments < 2 ? shape.fragments : 2};
    int err = c->costs->contention_free ? 0 : run_call(c, ahead, last_bytes);
    return err ? err : run_call(c, shape, last_bytes);
}

int step_clock_run(struct step_costs *costs, const struct tree *tree, struct clock_shape shape, struct bcast_prediction *out)
{
    const struct scenario *s = costs->scenario;
    struct step_clock clock = {.costs = costs, .protocol = s->params.protocol, .tree = tree, .procs = s->job.procs};
    uint64_t left = job_size_bytes(&s->job) % s->params.fragment_bytes;
    int err = step_clock_create(&clock, shape);
    if (!err)
        err = run_calls(&clock, shape, left ? left : s->params.fragment_bytes);
    *out = (struct bcast_prediction){.time_s = clock.end_s, .time_mean_s = clock.ends_s / clock.procs};
    for (uint32_t r = 0; r < clock.procs && !err; r++)
        out->copy_s += clock.rank[r].copy_s;
    step_clock_destroy(&clock);
    return err;
}
