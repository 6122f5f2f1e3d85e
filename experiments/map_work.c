/* What is mapped: an algorithm's graph, or an application's. */
#include "experiments/map.h"
#include "model/formats/traffic_read.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* As scenario_region(): in a node, and on a node alone in a domain of it. */
static uint32_t region_of(const struct settings *s, uint32_t procs, const struct map_machine *m)
{
    uint32_t shared = s->ppn, region;
    for (uint32_t p = 0; p < m->parts; p++)
        shared |= m->sizes[p];
    region = schedule_region(procs, shared);
    for (uint32_t r = 0; r < procs && m->parts == 1 && s->node && !s->network; r++)
        while (m->node.core_domain[m->core[r]] != m->node.core_domain[m->core[r / region * region]])
            region /= 2;
    return region;
}

static int schedule_work(const struct settings *s, uint32_t procs, struct map_work *out)
{
    const char *name = s->schedule ? s->schedule : "bruck";
    const struct schedule_algorithm *algorithm = schedule_find(SCHEDULE_ALLGATHER, name);
    char known[200] = "";
    for (const struct schedule_algorithm *const *a = schedule_table; *a && !algorithm; a++)
        if ((*a)->kind == SCHEDULE_ALLGATHER)
            snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", *known ? ", " : "", (*a)->name);
    if (!algorithm)
        return talk_fail(EXIT_USAGE, "--algorithm: unknown allgather '%s': use one of %s", name, known);
    if (procs < 2)
        return talk_fail(EXIT_USAGE, "--procs: %u rank exchanges nothing: map at least 2", procs);
    if (procs > TRAFFIC_RANKS_MAX)
        return talk_fail(EXIT_USAGE, "--procs: %u are too many to map: at most %d", procs, TRAFFIC_RANKS_MAX);
    if (schedule_init(&out->schedule, algorithm, procs, 0))
        return talk_fail(EXIT_USAGE, "--procs: %u ranks: %s needs %s", procs, name, algorithm->needs);
    out->procs = procs;
    out->is_schedule = 1;
    return 0;
}

int map_work_place(const struct settings *s, const struct map_machine *machine, struct map_work *work)
{
    if (!work->is_schedule)
        return 0;
    uint32_t procs = work->procs;
    int error = schedule_init_regions(&work->schedule, work->schedule.algorithm, procs, 0, region_of(s, procs, machine));
    error = error ? error : graph_of_schedule(&work->graph, &work->schedule);
    return error ? talk_fail(EXIT_UNABLE, "no memory for a graph of %u ranks", procs) : 0;
}

static_assert(TRAFFIC_BYTES_MAX <= GRAPH_WEIGHT_MAX, "the reader of traffic refuses what a graph cannot hold");

/* Both directions of a pair are one edge. */
int map_graph_of_traffic(const char *name, const struct traffic *traffic, struct graph *out)
{
    size_t count = traffic->first[traffic->ranks], n = 0;
    struct graph_edge *edge = malloc((count ? count : 1) * sizeof *edge);
    char reason[256] = "";
    if (!edge)
        return talk_fail(EXIT_UNABLE, "%s: no memory for %zu pairs of ranks", name, count);
    for (uint32_t r = 0; r < traffic->ranks; r++)
        for (size_t i = traffic->first[r]; i < traffic->first[r + 1]; i++)
            edge[n++] = (struct graph_edge){r, traffic->to[i], traffic->bytes[i]};
    int error = graph_of_edges(out, traffic->ranks, edge, count, reason, sizeof reason);
    free(edge);
    return error ? talk_fail(exit_code_of(error), "%s: %s", name, *reason ? reason : strerror(-error)) : 0;
}

static int matrix_work(const struct settings *s, uint32_t procs, struct map_work *out)
{
    const struct traffic_wish wish = {procs, s->directed};
    struct traffic traffic;
    char reason[512];
    if (procs > TRAFFIC_RANKS_MAX)
        return talk_fail(EXIT_USAGE, "--procs: %u are too many to map: at most %d", procs, TRAFFIC_RANKS_MAX);
    int error = traffic_read_file(s->matrix, &wish, &traffic, reason, sizeof reason);
    if (error)
        return talk_fail(exit_code_of_input(error), "%s%s", reason,
                         strstr(reason, "that it is directed") ? " by --directed" : "");
    out->procs = traffic.ranks;
    int code = traffic.ranks < 2 ? talk_fail(EXIT_USAGE, "%s: one rank exchanges nothing: map at least 2", s->matrix)
                                 : map_graph_of_traffic(s->matrix, &traffic, &out->graph);
    traffic_destroy(&traffic);
    return code;
}

int map_work_create(const struct settings *s, uint32_t procs, struct map_work *out)
{
    *out = (struct map_work){.procs = 0};
    return s->matrix ? matrix_work(s, procs, out) : schedule_work(s, procs, out);
}

void map_work_destroy(struct map_work *work)
{
    graph_destroy(&work->graph);
}
