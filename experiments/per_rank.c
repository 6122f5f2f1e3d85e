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

static void emit(void *context, const struct trace_step *step)
{
    struct per_rank *p = context;
    struct per_rank_times *t = &p->times[step->rank];
    if (step->op == STEP_COPY) {
        t->copy_s += seconds(step->start_ps, step->end_ps);
    } else {
        t->wait_s += seconds(step->start_ps, step->wait_end_ps);
        t->busy_s += seconds(step->wait_end_ps, step->end_ps);
    }
    t->end_s = fmax(t->end_s, seconds(0, step->end_ps));
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
        return talk_fail(EXIT_FAILED, "cannot write %s: %s", path, strerror(errno));
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
