/* A node from measured times: what made synthetic rows comes back, what is known stays, and files that are no rows are told. */
#include "tests/model/cmocka_all.h"

#include "experiments/fit_node.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 200, CORES = 16 };

struct bed {
    struct node node;
    struct scenario scenario;
    struct fit_row row[ROWS_MAX];
    int use[ROWS_MAX];
    double time_s[ROWS_MAX];
    struct fit_problem problem;
    char reason[FIT_REASON_BYTES];
};

static void bed_create(struct bed *b)
{
    static const uint32_t procs[] = {2, 3, 5, 8, 9, 12, 16};
    memset(b, 0, sizeof *b);
    assert_int_equal(node_create(&b->node, 2, CORES), 0);
    b->node.sockets = 2;
    b->node.l1_bytes = 32 << 10;
    for (uint32_t c = 0; c < CORES; c++)
        b->node.core_domain[c] = b->node.core_socket[c] = b->node.core_cache[c] = c / (CORES / 2);
    b->scenario = (struct scenario){.machine = {.nodes = 1}, .placement = {.name = "compact"}, .job = {.kind = JOB_BCAST},
                                    .params = {.protocol = &protocol_shared_source, .slots = 1, .sets = 1},
                                    .conditions = {.buffers = BUFFERS_WARM, .buffer_domain = -1}, .variant = ""};
    size_t n = 0;
    for (size_t p = 0; p < sizeof procs / sizeof *procs; p++)
        for (uint64_t size = 1; size <= 1 << 20; size *= 4)
            b->row[n++] = (struct fit_row){procs[p], size, 0};
    for (size_t i = 0; i < n; i++)
        b->use[i] = 1;
    b->problem = (struct fit_problem){&b->scenario, b->row, b->use, n, 1, quantity_of(200, "assumed")};
}

/* Rows as a node with these costs would give them, each off by up to `noise`, up and down by turns. */
static void measure(struct bed *b, double noise)
{
    struct node truth;
    assert_int_equal(node_copy(&truth, &b->node), 0);
    fit_node_complete(&truth);
    truth.handover_ns[HANDOVER_SAME_CACHE].value = 45;
    truth.handover_ns[HANDOVER_CROSS_SOCKET].value = 130;
    truth.call_ns.value = 300;
    truth.serve_ns.value = 12;
    truth.detour.value = 2.5;
    truth.copy[COPY_OUT_WARM].s_per_byte.value = 70e-12;
    truth.fresh_s_per_byte.value = 110e-12;
    truth.slice_s_per_byte.value = 112e-12;
    truth.contested_s_per_byte.value = 170e-12;
    truth.lone_slowdown.value = 0.5;
    assert_int_equal(fit_node_predict(&truth, &b->problem, b->time_s, b->reason), 0);
    for (size_t i = 0; i < b->problem.count; i++)
        b->row[i].time_s = b->time_s[i] * (1 + (i % 3 - 1.0) * noise);
    b->problem.late_ns = quantity_of(50, "assumed: where a search begins");
    node_destroy(&truth);
}

static void bed_fit(struct bed *b, struct fit_result *result)
{
    b->node.handover_ns[HANDOVER_SAME_CACHE] = quantity_of(45, "measured");
    b->node.handover_ns[HANDOVER_CROSS_SOCKET] = quantity_of(130, "measured");
    fit_node_complete(&b->node);
    int err = fit_node(&b->node, &b->problem, "fitted to a test", result, b->reason);
    if (err)
        fail_msg("%s", b->reason);
}

static double within(double value, double wanted)
{
    return fabs(value / wanted - 1);
}

static void check(const struct bed *b, double tolerance)
{
    const struct node *n = &b->node;
    assert_near(within(n->call_ns.value, 300), 0, tolerance);
    assert_near(within(n->serve_ns.value, 12), 0, 5 * tolerance);
    assert_near(within(n->detour.value, 2.5), 0, tolerance);
    assert_near(within(n->copy[COPY_OUT_WARM].s_per_byte.value, 70e-12), 0, tolerance);
    assert_near(within(n->fresh_s_per_byte.value, 110e-12), 0, tolerance);
    assert_near(within(n->slice_s_per_byte.value, 112e-12), 0, tolerance);
    assert_near(within(n->contested_s_per_byte.value, 170e-12), 0, tolerance);
    assert_near(within(n->lone_slowdown.value, 0.5), 0, 3 * tolerance);
    assert_near(within(b->problem.late_ns.value, 200), 0, tolerance);
}

static void what_made_the_rows_comes_back(void **state)
{
    (void)state;
    struct bed b;
    struct fit_result result;
    bed_create(&b);
    measure(&b, 0);
    bed_fit(&b, &result);
    assert_int_equal(result.estimates, 9);
    check(&b, 0.01);
    node_destroy(&b.node);
}

static void noise_is_covered_by_the_intervals(void **state)
{
    (void)state;
    struct bed b;
    struct fit_result result;
    bed_create(&b);
    measure(&b, 0.03);
    bed_fit(&b, &result);
    check(&b, 0.08);
    for (size_t i = 0; i < result.estimates; i++) {
        const struct fit_estimate *e = &result.estimate[i];
        assert_true(e->determined);
        assert_true(e->low < e->value && e->value < e->high);
    }
    assert_true(b.node.contested_s_per_byte.low < 170e-12 && b.node.contested_s_per_byte.high > 170e-12);
    assert_string_equal(b.node.contested_s_per_byte.source, "fitted to a test");
    node_destroy(&b.node);
}

/* Hand-overs are known; of one socket nothing can be said about two. */
static void known_and_unseen_costs_stay(void **state)
{
    (void)state;
    struct bed b;
    struct fit_result result;
    bed_create(&b);
    measure(&b, 0.01);
    for (size_t i = 0; i < b.problem.count; i++)
        b.use[i] = b.row[i].procs <= CORES / 2;
    bed_fit(&b, &result);
    assert_int_equal(result.estimates, 6);
    assert_near(b.node.handover_ns[HANDOVER_SAME_CACHE].value, 45, 0);
    assert_string_equal(b.node.handover_ns[HANDOVER_SAME_CACHE].source, "measured");
    assert_string_equal(b.node.contested_s_per_byte.source, "assumed: where a search begins");
    node_destroy(&b.node);
}

static void too_few_rows_are_told(void **state)
{
    (void)state;
    struct bed b;
    struct fit_result result;
    bed_create(&b);
    measure(&b, 0);
    for (size_t i = 4; i < b.problem.count; i++)
        b.use[i] = 0;
    fit_node_complete(&b.node);
    assert_int_equal(fit_node(&b.node, &b.problem, "test", &result, b.reason), -EINVAL);
    assert_non_null(strstr(b.reason, "4 rows cannot fix"));
    b.row[0].procs = CORES + 1;
    b.use[0] = 1;
    node_destroy(&b.node);
}

static int read_text(const char *text, uint32_t procs, struct fit_rows *out, char reason[FIT_REASON_BYTES])
{
    FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    assert_non_null(file);
    int err = fit_rows_read(file, "rows", procs, out, reason, FIT_REASON_BYTES);
    fclose(file);
    return err;
}

static void files_of_three_kinds(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t procs, got_procs;
        int mean;
    } file[] = {
        {"procs,note,size_bytes,time_s\n3,x,64,2e-6\r\n3,,128,3e-6\n", 0, 3, 0},
        {"time_s,size_bytes\n2e-6,64\n3e-6,128\n", 5, 5, 0},
        {"\n# OSU MPI Broadcast Latency Test v5.9\n# Size       Avg Latency(us)\n64   2.00\n128   3.00\n", 4, 4, 1},
        {"# Benchmarking Bcast\n# #processes = 6\n#bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n"
         "0 1000 0.01 0.02 0.01\n64 1000 1.5 2.0 1.7\n128 1000 2.5 3.0 2.7\n# All processes entering MPI_Finalize\n", 0, 6, 0},
    };
    char reason[FIT_REASON_BYTES];
    for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
        struct fit_rows rows;
        if (read_text(file[i].text, file[i].procs, &rows, reason))
            fail_msg("file %zu: %s", i, reason);
        assert_int_equal(rows.count, 2);
        assert_int_equal(rows.mean, file[i].mean);
        assert_int_equal(rows.row[1].procs, file[i].got_procs);
        assert_int_equal(rows.row[1].size_bytes, 128);
        assert_near(rows.row[0].time_s, 2e-6, 1e-18);
        fit_rows_destroy(&rows);
    }
}

static void bad_files_give_one_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *told;
    } bad[] = {
        {"\n\n", "rows:2: no rows"},
        {"hello\n", "rows:1: neither rows as CSV"},
        {"procs,size_bytes\n2,64\n", "rows:1: neither rows as CSV"},
        {"procs,size_bytes,time_s\n2,64\n", "rows:2: not as many columns"},
        {"procs,size_bytes,time_s\n2,64,1e-6\nx,64,1e-6\n", "rows:3: not a number of ranks"},
        {"procs,size_bytes,time_s\n1,64,1e-6\n", "rows:2: not a number of ranks"},
        {"procs,size_bytes,time_s\n2,1.5,1e-6\n", "rows:2: not a size"},
        {"procs,size_bytes,time_s\n2,64,nan\n", "rows:2: not a time"},
        {"procs,size_bytes,time_s\n2,64,-1e-6\n", "rows:2: not a time"},
        {"procs,size_bytes,time_s\n2,64,1e-6us\n", "rows:2: not a time"},
        {"# OSU MPI Broadcast Latency Test\n64 2.0\n", "rows:2: says nothing of the number of ranks"},
        {"# OSU MPI Broadcast Latency Test\nmpirun: error\n", "rows:2: not a line of size"},
    };
    char reason[FIT_REASON_BYTES];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct fit_rows rows;
        assert_int_equal(read_text(bad[i].text, 0, &rows, reason), -EINVAL);
        if (strncmp(reason, bad[i].told, strlen(bad[i].told)) || strchr(reason, '\n'))
            fail_msg("\"%s\" is told as \"%s\"", bad[i].text, reason);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_made_the_rows_comes_back),
        cmocka_unit_test(noise_is_covered_by_the_intervals),
        cmocka_unit_test(known_and_unseen_costs_stay),
        cmocka_unit_test(too_few_rows_are_told),
        cmocka_unit_test(files_of_three_kinds),
        cmocka_unit_test(bad_files_give_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
