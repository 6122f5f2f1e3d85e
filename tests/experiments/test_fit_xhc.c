/* Broadcasts that Katevenis et al. (ICPP 2023) measured on two Xeons of two sockets: a few numbers of ranks tell the node, which
 * must tell the others. Times are means over ranks; hand-overs are those of a Cascade Lake, measured by others. */
#include "tests/model/cmocka_all.h"

#include "experiments/fit_node.h"
#include "experiments/statistics.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 512 };

struct server {
    const char *name;
    uint32_t half; /* cores a socket */
    uint64_t llc_bytes;
};
static const struct server skylake = {"SKX-24", 12, 17301504}, cascade_lake = {"CSX-48", 24, 34603008};

struct bed {
    struct node node;
    struct scenario scenario;
    struct fit_rows rows;
    int *use;
    double *time_s;
    struct fit_problem problem;
    char reason[FIT_REASON_BYTES];
};

static FILE *data_open(const struct server *m)
{
    const char *folder = getenv("SHMCOLL_DATA");
    char path[NAME_BYTES];
    snprintf(path, sizeof path, "%s/xhc-bcast/%s.csv", folder && *folder ? folder : "../shared/data", m->name);
    return fopen(path, "r");
}

static void topology(struct node *node, const struct server *m)
{
    assert_int_equal(node_create(node, 2, 2 * m->half), 0);
    node->sockets = 2;
    node->l1_bytes = 32 << 10;
    node->llc_bytes = m->llc_bytes;
    for (uint32_t c = 0; c < node->cores; c++)
        node->core_domain[c] = node->core_socket[c] = node->core_cache[c] = c / m->half;
    node->handover_ns[HANDOVER_SAME_CACHE] = quantity_of(48, "core-to-core-latency, 2x Gold 6242");
    node->handover_ns[HANDOVER_CROSS_SOCKET] = quantity_of(141, "core-to-core-latency, 2x Gold 6242");
    fit_node_complete(node);
}

/* all: fit to every row, else to 2, 3, half, half + 1 and all ranks. */
static void bed_create(struct bed *b, const struct server *m, int all)
{
    memset(b, 0, sizeof *b);
    FILE *file = data_open(m);
    if (!file)
        skip();
    topology(&b->node, m);
    assert_int_equal(fit_rows_read(file, m->name, 0, &b->rows, b->reason, sizeof b->reason), 0);
    fclose(file);
    b->use = calloc(b->rows.count, sizeof *b->use);
    b->time_s = calloc(b->rows.count, sizeof *b->time_s);
    assert_true(b->use && b->time_s);
    for (size_t i = 0; i < b->rows.count; i++) {
        uint32_t p = b->rows.row[i].procs;
        b->use[i] = all || p == 2 || p == 3 || p == m->half || p == m->half + 1 || p == 2 * m->half;
    }
    b->scenario = (struct scenario){.machine = {.nodes = 1}, .placement = {.name = "compact"}, .job = {.kind = JOB_BCAST},
                                    .params = {.protocol = &protocol_shared_source, .slots = 1, .sets = 1},
                                    .conditions = {.buffers = BUFFERS_WARM, .buffer_domain = -1}, .variant = ""};
    b->problem = (struct fit_problem){&b->scenario, b->rows.row, b->use, b->rows.count, 1, quantity_of(50, "assumed")};
}

static void bed_destroy(struct bed *b)
{
    node_destroy(&b->node);
    fit_rows_destroy(&b->rows);
    free(b->use);
    free(b->time_s);
}

static void predict(struct bed *b)
{
    assert_int_equal(fit_node_predict(&b->node, &b->problem, b->time_s, b->reason), 0);
}

/* |error| of the rows that were not fitted to, or of all. */
static struct statistics errors(struct bed *b, int all)
{
    double *error = calloc(b->rows.count, sizeof *error);
    struct statistics s;
    size_t n = 0;
    predict(b);
    for (size_t i = 0; i < b->rows.count; i++)
        if (all || !b->use[i])
            error[n++] = fabs(b->time_s[i] / b->rows.row[i].time_s - 1);
    assert_int_equal(statistics_of(error, n, &s), 0);
    free(error);
    return s;
}

static double time_of(const struct bed *b, uint32_t procs, uint64_t size_bytes)
{
    for (size_t i = 0; i < b->rows.count; i++)
        if (b->rows.row[i].procs == procs && b->rows.row[i].size_bytes == size_bytes)
            return b->time_s[i];
    fail();
    return 0;
}

static void fit(struct bed *b, struct fit_result *result)
{
    if (fit_node(&b->node, &b->problem, "fitted", result, b->reason))
        fail_msg("%s", b->reason);
    assert_true(result->estimates <= 10);
}

static void a_few_ranks_tell_the_others(void **state)
{
    const struct server *m = *state;
    struct bed b;
    struct fit_result result;
    bed_create(&b, m, 0);
    fit(&b, &result);
    struct statistics s = errors(&b, 0);
    printf("%s, rows not fitted to: |error| median %.1f%%, p90 %.1f%%\n", m->name, 100 * s.median, 100 * s.p90);
    assert_true(s.median <= 0.10 && s.p90 <= 0.25);
    for (uint64_t size = 64 << 10; size <= 1 << 20; size *= 2) { /* the first reader beyond, and those who come after it */
        assert_true(time_of(&b, m->half + 1, size) > 1.5 * time_of(&b, m->half, size));
        assert_true(time_of(&b, 2 * m->half, size) < 0.95 * time_of(&b, m->half + 1, size));
    }
    bed_destroy(&b);
}

/* Cascade Lake by what was fitted to Skylake. */
static void one_machine_tells_another(void **state)
{
    (void)state;
    struct bed known, b;
    struct fit_result result;
    bed_create(&known, &skylake, 1);
    fit(&known, &result);
    bed_create(&b, &cascade_lake, 1);
    for (const struct fit_parameter *p = fit_parameters; p->name; p++)
        if (p->offset != FIT_OF_BENCHMARK)
            memcpy((char *)&b.node + p->offset, (char *)&known.node + p->offset, sizeof(struct quantity));
    b.problem.late_ns = known.problem.late_ns;
    struct statistics s = errors(&b, 1);
    printf("%s by what was fitted to %s: |error| median %.1f%%, p90 %.1f%%\n", cascade_lake.name, skylake.name, 100 * s.median,
           100 * s.p90);
    assert_true(s.median <= 0.15 && s.p90 <= 0.28);
    bed_destroy(&known);
    bed_destroy(&b);
}

int main(void)
{
    FILE *file = data_open(&skylake);
    if (!file)
        return 77;
    fclose(file);
    const struct CMUnitTest tests[] = {
        {"a_few_ranks_tell_the_others: Skylake", a_few_ranks_tell_the_others, NULL, NULL, (void *)(uintptr_t)&skylake},
        {"a_few_ranks_tell_the_others: Cascade Lake", a_few_ranks_tell_the_others, NULL, NULL, (void *)(uintptr_t)&cascade_lake},
        cmocka_unit_test(one_machine_tells_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
