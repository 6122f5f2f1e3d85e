#include "experiments/per_rank.h"
#include "experiments/command.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double seconds(uint64_t from_ps, uint64_t to_ps)
{
    return (double)(to_ps - from_ps) * 1e-12;
}

/* From *at_ps on, if there is time left until then. */
static void account(uint64_t *at_ps, uint64_t to_ps, double *seconds_spent)
{
    if (to_ps <= *at_ps)
        return;
    *seconds_spent += seconds(*at_ps, to_ps);
    *at_ps = to_ps;
}

static uint64_t sooner_ps(uint64_t a_ps, uint64_t b_ps)
{
    return a_ps < b_ps ? a_ps : b_ps;
}

/* Until the sender has begun, until the message would be here, and the rest. */
static void account_idle(struct per_rank_times *t, const struct trace_step *step)
{
    uint64_t at_ps = step->start_ps, end_ps = step->wait_end_ps;
    account(&at_ps, sooner_ps(step->sent_ps, end_ps), &t->wait_s);
    account(&at_ps, sooner_ps(step->alone_ps, end_ps), &t->network_s);
    account(&at_ps, end_ps, &t->contention_s);
}

/* What NICs and links do is not a rank's time, nor what its core does for others when it has ended. */
static void count(struct per_rank *p, const struct trace_step *step)
{
    struct per_rank_times *t = &p->times[step->rank];
    if (step->stage || step->op == STEP_DONE)
        return;
    if (isnan(t->network_s))
        t->wait_s += seconds(step->start_ps, step->wait_end_ps);
    else
        account_idle(t, step);
    *(step->op == STEP_COPY ? &t->copy_s : &t->busy_s) += seconds(step->wait_end_ps, step->end_ps);
    t->end_s = fmax(t->end_s, seconds(0, step->end_ps));
}

static void emit(void *context, const struct trace_step *step)
{
    struct per_rank *p = context;
    count(p, step);
    if (p->next)
        p->next->emit(p->next->context, step);
}

int per_rank_create(struct per_rank *out, uint32_t procs, double copy_s, double network_s)
{
    *out = (struct per_rank){.sink = {emit, out}, .procs = procs, .times = calloc(procs, sizeof *out->times)};
    if (!out->times)
        return -ENOMEM;
    for (uint32_t r = 0; r < procs; r++)
        out->times[r] = (struct per_rank_times){.copy_s = copy_s, .network_s = network_s, .contention_s = network_s};
    return 0;
}

void per_rank_destroy(struct per_rank *per_rank)
{
    free(per_rank->times);
    *per_rank = (struct per_rank){.times = NULL};
}

static void print_cell(FILE *file, double value_s)
{
    if (isnan(value_s))
        fputc(',', file);
    else
        fprintf(file, ",%.12g", value_s);
}

int per_rank_write(const struct per_rank *per_rank, const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return talk_fail(EXIT_FAILED, "cannot write %s: %s; choose another path", path, strerror(errno));
    fputs("rank,busy_s,copy_s,wait_s,network_s,contention_s,end_s\n", file);
    for (uint32_t r = 0; r < per_rank->procs; r++) {
        const struct per_rank_times *t = &per_rank->times[r];
        const double cells[] = {t->busy_s, t->copy_s, t->wait_s, t->network_s, t->contention_s, t->end_s};
        fprintf(file, "%u", r);
        for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
            print_cell(file, cells[i]);
        fputc('\n', file);
    }
    int failed = ferror(file);
    return fclose(file) || failed ? talk_fail(EXIT_FAILED, "cannot write %s: is there room?", path) : 0;
}
