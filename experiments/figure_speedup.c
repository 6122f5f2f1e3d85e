/* TopoMPI's times and speed-ups (S3): Allgather in default numbering, and with the ranks renumbered so that as little as possible
 * goes between nodes. The renumbering is found once, at the first call: what that takes is added to one call, as measured here
 * and as S3 gives it; the more calls follow the nearer each comes to the time without. */
#include "experiments/figure_cluster.h"

#include <math.h>

struct line {
    const struct cluster_panel *panel;
    const char *algorithm, *way;
    uint64_t bytes;
    double default_s, optimisation_s, metis_s, reported_s; /* 0 where nothing is optimised */
};

struct span {
    double low, high;
};

static void row(FILE *csv, const struct line *l, struct cluster_answer a, struct span *span)
{
    const struct cluster_panel *p = l->panel;
    double speedup = l->default_s / a.time_s, first_s = a.time_s + l->optimisation_s, reported_s = a.time_s + l->reported_s;
    fprintf(csv, "%s,%s,%s,%s,%llu,%.9g,%llu,%.6g,%g,%g,", p->network, p->range, l->algorithm, l->way,
            (unsigned long long)l->bytes, a.time_s, (unsigned long long)a.bytes_between, speedup, p->low, p->high);
    fprintf(csv, "%.9g,%.9g,%g,%.9g,%.9g,%.6g,%.6g\n", l->optimisation_s, l->metis_s, l->reported_s, first_s, reported_s,
            l->default_s / first_s, l->default_s / reported_s);
    span->low = fmin(span->low, speedup);
    span->high = fmax(span->high, speedup);
}

/* How an algorithm is renumbered. */
struct renumbering {
    const struct schedule_algorithm *algorithm;
    struct mapping mapping;
    double time_s, metis_s; /* as it is, and with the kind of method that S3 used */
};

static int renumber(struct renumbering *r, uint64_t seed)
{
    struct mapping unused;
    int code = cluster_optimise(r->algorithm, "metis-rb", seed, &unused, &r->metis_s);
    if (code)
        return code;
    mapping_destroy(&unused);
    return cluster_optimise(r->algorithm, "auto", seed, &r->mapping, &r->time_s);
}

/* One algorithm at one size, its own numbering first, then exchanging blocks before, and moving them within ranks in the end. */
static int write_size(FILE *csv, const struct cluster *c, const struct cluster_panel *p, const struct renumbering *r,
                      uint64_t bytes, struct span *span)
{
    struct line line = {.panel = p, .algorithm = r->algorithm->name, .way = "default", .bytes = bytes};
    struct span unused = {INFINITY, 0};
    struct numbering numbering = mapping_numbering(&r->mapping);
    struct cluster_answer answer;
    int code = cluster_simulate(c, r->algorithm, NULL, bytes, &answer);
    line.default_s = answer.time_s;
    if (!code)
        row(csv, &line, answer, &unused);
    line.optimisation_s = r->time_s;
    line.metis_s = r->metis_s;
    line.reported_s = cluster_reported_optimisation_s(r->algorithm);
    int ways = r->algorithm == &schedule_ring ? 0 : 2; /* a ring's neighbours are on one node as it is */
    for (int reorder = 0; reorder < ways && !code; reorder++) {
        line.way = reorder ? "reorder" : "exch.";
        numbering.remap = reorder ? NUMBERING_REORDER : NUMBERING_EXCH;
        code = cluster_simulate(c, r->algorithm, &numbering, bytes, &answer);
        if (!code)
            row(csv, &line, answer, span);
    }
    return code;
}

static int write_panel(FILE *csv, const struct settings *settings, const struct cluster_panel *p, const struct renumbering *r)
{
    struct span span = {INFINITY, 0};
    struct cluster c;
    int code = cluster_create(&c, p->network);
    if (code)
        return code;
    for (int a = 0; a < 3 && !code; a++)
        for (uint32_t i = 0; i < p->steps && !code; i++)
            code = write_size(csv, &c, p, &r[a], p->first_bytes + i * p->step_bytes, &span);
    cluster_destroy(&c);
    if (!code)
        talk_note(settings->verbosity, 0, "%s, %s: speed-up %.2f to %.2f; measured: %g to %g", p->network, p->range, span.low,
                  span.high, p->low, p->high);
    return code;
}

int figure_speedup(FILE *csv, const struct settings *settings)
{
    struct renumbering r[] = {{.algorithm = &schedule_bruck}, {.algorithm = &schedule_recursive_doubling},
                              {.algorithm = &schedule_ring}};
    int made = 0, code = 0;
    fputs("network,range,algorithm,numbering,size_bytes,time_s,bytes_between,speedup,reported_low,reported_high,optimisation_s,"
          "optimisation_metis_s,optimisation_s3_s,time_first_s,time_first_s3_s,speedup_first,speedup_first_s3\n", csv);
    while (made < 3 && !code) {
        code = renumber(&r[made], settings->seed);
        made += !code;
    }
    for (const struct cluster_panel *p = cluster_panels; p->network && !code; p++)
        code = write_panel(csv, settings, p, r);
    for (int i = 0; i < 2 && !code; i++)
        talk_note(settings->verbosity, 0, "%s: optimised in %.1f us, by METIS in %.0f us; measured (S3): %.0f us",
                  r[i].algorithm->name, 1e6 * r[i].time_s, 1e6 * r[i].metis_s,
                  1e6 * cluster_reported_optimisation_s(r[i].algorithm));
    while (made--)
        mapping_destroy(&r[made].mapping);
    return code;
}
