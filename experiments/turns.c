#include "experiments/turns.h"

#include "kernels/allgather_lanes.h"
#include "kernels/clock.h"
#include "kernels/comm.h"
#include "kernels/launcher.h"
#include "kernels/pool.h"
#include "kernels/wait.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPS_MOST = 64, LEAD_NS = 10000, LEAD_CROWDED_NS = 100000 };

/* In memory that all ranks see; behind it the end of every rank. */
struct common {
    _Alignas(128) atomic_word turn;
    uint64_t deadline_ticks;
    uint32_t reps; /* of a round, found by rank 0 in the first one */
    _Alignas(128) uint64_t end_ticks[];
};

struct measurer {
    const struct turns *turns;
    struct launch_rank *self;
    struct common *common;
    struct clock clock;
    struct comm *comm[TURNS_CONFIGS_MAX];
    struct pool pool;
    unsigned char *warm;
    uint32_t turn;
};

static int is_allgather(const struct scenario *s)
{
    return s->job.kind == JOB_ALLGATHER;
}

/* A call's buffer: the message, and behind it what an allgather sends. */
static uint64_t buffer_bytes(const struct scenario *s)
{
    return job_message_bytes(&s->job) + (is_allgather(s) ? job_size_bytes(&s->job) : 0);
}

static struct comm_config config_of(const struct measurer *m, const struct params *p)
{
    const struct scenario *s = m->turns->scenario;
    const struct node *node = s->machine.node;
    const struct protocol *carrier = is_allgather(s) ? companion_carrier(p->protocol) : p->protocol;
    struct comm_lane lane = {.protocol = carrier, .fragment_bytes = p->fragment_bytes, .slots = p->slots, .sets = p->sets,
                             .readers_most = p->readers_most, .tree = p->tree, .size_max_bytes = UINT64_MAX};
    if (p->protocol->uses & PROTOCOL_LINES)
        lane.size_max_bytes = job_size_bytes(&s->job);
    struct comm_config config = comm_config_of(m->self->procs, m->self->rank, &lane);
    config.domain_os = (int32_t)node->domain_os[node->core_domain[s->placement.core_of_rank[m->self->rank]]];
    config.llc_bytes = node->llc_bytes;
    config.dead_rank = launcher_dead_rank;
    config.dead_rank_context = m->self;
    return config;
}

static int comms_create(struct measurer *m)
{
    int err = 0;
    for (uint32_t i = 0; i < m->turns->count && !err; i++) {
        struct comm_config config = config_of(m, &m->turns->configs[i]);
        err = comm_create(&config, &m->self->bootstrap, &m->comm[i], m->self->message);
    }
    return err;
}

/* The instant of the next call, when all have arrived. */
static int agree(struct measurer *m, uint64_t *deadline)
{
    struct common *c = m->common;
    int err = launcher_barrier(m->self);
    m->turn++;
    if (!err && m->self->rank == 0) {
        double lead_ns = launcher_crowded(m->self) ? (double)LEAD_CROWDED_NS * m->self->procs : LEAD_NS;
        c->deadline_ticks = clock_ticks(&m->clock) + clock_ticks_of_ns(&m->clock, lead_ns);
        word_store_release(&c->turn, m->turn); /* R1: the deadline is written; pairs with A1 in the wait below */
        launcher_wake(m->self, &c->turn);
    } else if (!err) {
        err = launcher_wait(m->self, &c->turn, STEP_WAIT_GE, m->turn);
    }
    *deadline = c->deadline_ticks;
    return err;
}

/* One call, timed; *time_s is set on rank 0. */
static int call_once(struct measurer *m, uint32_t config, double *time_s)
{
    const struct scenario *s = m->turns->scenario;
    uint64_t size = buffer_bytes(s), deadline, last = 0;
    unsigned char *buffer = m->warm ? m->warm : pool_next(&m->pool, size);
    if (m->warm)
        memset(buffer, (int)m->turn, size);
    else
        pool_chill(&m->pool, buffer, size);
    int err = agree(m, &deadline);
    if (err)
        return err;
    wait_deadline(&m->clock, deadline, launcher_crowded(m->self));
    err = is_allgather(s) ? comm_allgather(m->comm[config], buffer + job_message_bytes(&s->job), buffer, job_size_bytes(&s->job))
                          : comm_bcast(m->comm[config], buffer, size, s->job.bcast.root);
    m->common->end_ticks[m->self->rank * 16] = clock_ticks(&m->clock);
    if (err)
        snprintf(m->self->message, COMM_REASON_BYTES, "%s", comm_error_string(m->comm[config]));
    err = err ? err : launcher_barrier(m->self);
    for (uint32_t r = 0; r < m->self->procs; r++)
        last = m->common->end_ticks[r * 16] > last ? m->common->end_ticks[r * 16] : last;
    *time_s = clock_ns(&m->clock, last - deadline) * 1e-9;
    return err ? err : launcher_barrier(m->self);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int median_of(struct measurer *m, uint32_t config, uint32_t reps, double *time_s)
{
    double samples[REPS_MOST];
    int err = 0;
    for (uint32_t i = 0; i < reps && !err; i++)
        err = call_once(m, config, &samples[i]);
    if (!err) {
        qsort(samples, reps, sizeof *samples, by_value);
        *time_s = reps % 2 ? samples[reps / 2] : (samples[reps / 2 - 1] + samples[reps / 2]) / 2;
    }
    return err;
}

/* A first round in which everything is touched tells how many repetitions a round has time for. */
static int warm_up(struct measurer *m)
{
    uint64_t start_ns = clock_monotonic_ns();
    double ignored;
    int err = 0;
    for (int again = 0; again < 3; again++)
        for (uint32_t i = 0; i < m->turns->count && !err; i++)
            err = call_once(m, i, &ignored);
    double reps = m->turns->limit_s / ((double)(clock_monotonic_ns() - start_ns) * 1e-9 / 3);
    if (m->self->rank == 0)
        m->common->reps = reps < 1 ? 1 : reps > REPS_MOST ? REPS_MOST : (uint32_t)reps;
    return err ? err : launcher_barrier(m->self);
}

static int rounds_run(struct measurer *m)
{
    uint32_t count = m->turns->count;
    int err = warm_up(m);
    for (uint32_t round = 0; round < m->turns->rounds && !err; round++)
        for (uint32_t i = 0; i < count && !err; i++) {
            uint32_t config = round % 2 ? count - 1 - i : i; /* there and back */
            double time_s = 0;
            err = median_of(m, config, m->common->reps, &time_s);
            if (m->self->rank == 0)
                ((double *)m->self->result)[round * count + config] = time_s;
        }
    return err;
}

static int measure_rank(struct launch_rank *self, void *argument)
{
    struct measurer m = *(const struct measurer *)argument;
    const struct scenario *s = m.turns->scenario;
    uint64_t size = buffer_bytes(s);
    int cold = s->conditions.buffers == BUFFERS_COLD;
    m.self = self;
    m.common = self->common;
    int err = comms_create(&m);
    if (!err)
        err = pool_create(&m.pool, cold ? pool_size_bytes(s->machine.node->llc_bytes, size, self->procs) : size);
    if (!err && !cold)
        m.warm = pool_next(&m.pool, size);
    if (!err)
        err = rounds_run(&m);
    pool_destroy(&m.pool);
    for (uint32_t i = 0; i < m.turns->count; i++)
        comm_destroy(m.comm[i]);
    return err;
}

int turns_measure(const struct turns *turns, double *time_s, char reason[TURNS_REASON_BYTES])
{
    const struct scenario *s = turns->scenario;
    uint32_t procs = s->job.procs;
    size_t result_bytes = (size_t)turns->rounds * turns->count * sizeof *time_s;
    if (turns->count == 0 || turns->count > TURNS_CONFIGS_MAX || turns->rounds == 0)
        return -EINVAL;
    struct measurer m = {.turns = turns, .clock = clock_create()};
    struct launch_report report = {.failed_rank = -1};
    uint32_t *cpu_os = calloc(procs, sizeof *cpu_os);
    double *results = calloc(procs, result_bytes);
    int err = cpu_os && results ? 0 : -ENOMEM;
    for (uint32_t r = 0; r < procs && !err; r++)
        cpu_os[r] = s->machine.node->core_os[s->placement.core_of_rank[r]];
    struct launch_options options = {.procs = procs, .backend = s->conditions.backend, .cpu_os = cpu_os, .timeout_s = 600,
                                     .result_bytes = result_bytes,
                                     .common_bytes = sizeof(struct common) + (size_t)procs * 16 * sizeof(uint64_t)};
    if (!err)
        err = launcher_run(&options, measure_rank, &m, results, NULL, &report);
    if (!err)
        memcpy(time_s, results, result_bytes);
    else
        snprintf(reason, TURNS_REASON_BYTES, "%s", report.reason[0] ? report.reason : strerror(-err));
    free(cpu_os);
    free(results);
    return err;
}
