#include "tests/sim/remote_schedule_case.h"
#include "tests/model/cmocka_all.h"

#include <string.h>

/* The schedule's program, watched: which rank has which blocks. */
struct watched {
    struct sim_remote_schedule *s;
    struct sim_remote_program inner;
    int has[REMOTE_RANKS_MOST][REMOTE_RANKS_MOST];
    uint32_t came, calls;
};

static uint32_t own_block(const struct numbering *n, uint32_t rank)
{
    return n && n->remap == NUMBERING_EXCH ? rank : numbering_virtual(n, rank);
}

static void start_with_own(struct watched *w)
{
    const struct schedule *schedule = &w->s->schedule;
    memset(w->has, 0, sizeof w->has);
    w->came = 0;
    for (uint32_t r = 0; r < schedule->procs; r++)
        for (uint32_t b = 0; b < schedule->procs; b++)
            w->has[r][b] =
                schedule->algorithm->kind == SCHEDULE_ALLGATHER ? own_block(w->s->numbering, r) == b : r == schedule->root;
}

static void step_of(const struct watched *w, uint32_t act, uint32_t rank, struct schedule_step *step)
{
    uint32_t places = (uint32_t)sim_remote_schedule_places(w->s, rank);
    schedule_step_numbered(&w->s->schedule, w->s->numbering, rank, (act - places) / 3, step);
}

static void watched_act(const void *context, uint32_t rank, uint32_t i, struct sim_remote_act *out)
{
    struct watched *w = (struct watched *)(uintptr_t)context;
    struct schedule_step step;
    w->inner.act(w->inner.context, rank, i, out);
    if (out->kind != SIM_REMOTE_SEND)
        return;
    step_of(w, i, rank, &step);
    assert_int_equal(step.send_to, out->peer);
    for (uint32_t b = 0; b < step.send.count; b++)
        if (!w->has[rank][schedule_block(&w->s->schedule, &step.send, b)])
            fail_msg("%s among %u: rank %u sends a block before it has it", w->s->schedule.algorithm->name, w->s->schedule.procs,
                     rank);
    if (schedule_step_trades(w->s->numbering, rank, (i - (uint32_t)sim_remote_schedule_places(w->s, rank)) / 3))
        w->has[rank][rank] = 0; /* it gets that again */
}

static void watched_received(const void *context, uint32_t rank, uint32_t act)
{
    struct watched *w = (struct watched *)(uintptr_t)context;
    struct schedule_step step;
    step_of(w, act, rank, &step);
    for (uint32_t b = 0; b < step.receive.count; b++)
        w->has[rank][schedule_block(&w->s->schedule, &step.receive, b)]++;
    w->came++;
}

/* What the steps say, as often as there were calls. */
static void check_counts(const struct watched *w, uint32_t exchanges, uint32_t inside, uint64_t bytes_inside)
{
    const struct sim_remote *remote = &w->s->remote;
    assert_int_equal(w->came, exchanges);
    assert_int_equal(remote->messages, w->calls * exchanges);
    assert_int_equal(remote->messages_inside, w->calls * inside);
    assert_int_equal(remote->bytes_inside, w->calls * bytes_inside);
}

static void check_all(const struct watched *w)
{
    const struct schedule *schedule = &w->s->schedule;
    uint32_t exchanges = 0, inside = 0, ppn = w->s->remote.question.ppn;
    uint64_t bytes_inside = 0;
    for (uint32_t r = 0; r < schedule->procs; r++) {
        for (uint32_t b = 0; b < schedule->procs; b++)
            if (w->has[r][b] < 1 || (schedule->algorithm->kind == SCHEDULE_ALLGATHER && w->has[r][b] > 1))
                fail_msg("%s among %u: rank %u has block %u %d times", schedule->algorithm->name, schedule->procs, r, b,
                         w->has[r][b]);
        for (uint32_t k = 0; k < schedule_steps_numbered(schedule, w->s->numbering, r); k++) {
            struct schedule_step step;
            schedule_step_numbered(schedule, w->s->numbering, r, k, &step);
            if (step.op != SCHEDULE_EXCHANGE || step.receive_from == SCHEDULE_NONE)
                continue;
            exchanges++;
            inside += step.receive_from / ppn == r / ppn;
            bytes_inside += step.receive_from / ppn == r / ppn ? sim_cluster_bytes(&w->s->question, &step.receive) : 0;
        }
    }
    check_counts(w, exchanges, inside, bytes_inside);
}

uint64_t remote_schedule_ps(const struct remote_asked *q)
{
    struct sim_remote_schedule s = {.in_place = q->in_place, .numbering = q->numbering};
    struct watched w = {.s = &s};
    uint64_t ps = 0;
    char reason[200] = "";
    assert_int_equal(schedule_init(&s.schedule, q->algorithm, q->remote.procs, 0), 0);
    s.question = (struct sim_cluster_question){
        .schedule = &s.schedule, .size_bytes = q->size_bytes, .skew_ps = q->skew_ps, .seed = q->seed};
    assert_int_equal(sim_remote_create(&s.remote, &q->remote, reason, sizeof reason), 0);
    struct sim_remote_program program = w.inner = sim_remote_schedule_program(&s);
    program.act = watched_act;
    program.received = watched_received;
    program.context = &w;
    program.late_ps = NULL;
    for (int call = 0; call < 2; call++) {
        start_with_own(&w);
        w.calls++;
        if (q->skew_ps) {
            if (sim_remote_schedule_call(&s, q->seed, NULL, &ps, reason, sizeof reason))
                fail_msg("%s", reason);
            continue;
        }
        if (sim_remote_call(&s.remote, &program, NULL, &ps, reason, sizeof reason))
            fail_msg("%s among %u over %s: %s", q->algorithm->name, q->remote.procs, q->remote.kind->name, reason);
        check_all(&w);
    }
    if (!sim_remote_sound(&s.remote))
        fail_msg("%s among %u over %s: credits or units do not add up", q->algorithm->name, q->remote.procs,
                 q->remote.kind->name);
    sim_remote_schedule_destroy(&s);
    return ps;
}

struct remote_asked remote_ask(const struct nic *nic, const char *layer, const struct channel_kind *kind,
                               const struct schedule_algorithm *algorithm, uint32_t procs, uint64_t size_bytes)
{
    return (struct remote_asked){remote_question(nic, layer, kind, procs), algorithm, size_bytes, 0, 1, 0, NULL};
}
