/* The report on renumbered Allgathers: every quantity of the paper is simulated once, what is changed does what the notes say;
 * and the blocks that are counted are those that the simulator sends. */
#include "tests/experiments/report_case.h"
#include "tests/model/cmocka_all.h"

#include "experiments/figure_cut.h"
#include "kernels/clock.h"

#include <stdlib.h>
#include <string.h>

static int simulate(void **state)
{
    (void)state;
    return report_case_make(&report_source_s3, 0);
}

/* How long this host optimises is not judged. */
static int measured(const char *id)
{
    return id[0] == 'p' || id[0] == 'o';
}

static void every_quantity_is_reported_once(void **state)
{
    (void)state;
    assert_int_equal(report_case.published.rows, 17);
    for (size_t row = 0; row < report_case.published.rows; row++) {
        const struct report_result *r = report_case_result(csv_table_text(&report_case.published, row, "id"), NULL);
        assert_true(r->simulated.low > 0 && r->simulated.high >= r->simulated.low);
        if (r->verdict != REPORT_AGREES && !measured(r->row->id) && !report_note(report_case.source, r->row->cause))
            fail_msg("%s has no cause", r->row->id);
    }
}

static void verdicts(void **state)
{
    (void)state;
    static const struct {
        const char *id, *if_so;
        enum report_verdict verdict;
    } rows[] = {{"t.gigabit", NULL, REPORT_DEVIATES},         {"t.infiniband", NULL, REPORT_AGREES},
                {"s.gigabit.short", NULL, REPORT_DEVIATES},   {"s.gigabit.long", NULL, REPORT_DEVIATES},
                {"s.infiniband.short", NULL, REPORT_PARTLY}, {"s.infiniband.short", "one call", REPORT_PARTLY},
                {"s.infiniband.short", "ten calls", REPORT_AGREES}, {"s.infiniband.long", NULL, REPORT_PARTLY},
                {"c.smaller", NULL, REPORT_DEVIATES},         {"c.smaller", "busiest", REPORT_AGREES},
                {"c.reorder", NULL, REPORT_DEVIATES},         {"c.reorder", "exchanged", REPORT_AGREES},
                {"c.reorder", "no limit", REPORT_AGREES}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct report_result *r = report_case_result(rows[i].id, rows[i].if_so);
        if (r->verdict != rows[i].verdict)
            fail_msg("%s, if %s: %g..%g", rows[i].id, rows[i].if_so ? rows[i].if_so : "as it is", r->simulated.low,
                     r->simulated.high);
    }
    /* What is expected of both says which takes longer, and nearly by how much. */
    assert_near(report_case_result("c.reorder", "added up")->simulated.high,
                report_case_result("c.reorder", NULL)->simulated.high, 0.05);
    assert_near(report_case_result("c.reorder", "sums up")->simulated.high, report_case_result("c.reorder", NULL)->simulated.high,
                0.05);
    static const char *const better[][2] = {{"c.tau.gigabit", "busiest"},
                                            {"c.tau.infiniband", "busiest"},
                                            {"c.tau.infiniband", "added up"},
                                            {"c.tau.gigabit", "sums up"},
                                            {"c.tau.infiniband", "sums up"}};
    for (int i = 0; i < 5; i++)
        assert_true(report_case_result(better[i][0], better[i][1])->simulated.high >
                    report_case_result(better[i][0], NULL)->simulated.high);
    /* Without memory what goes between nodes counts alike over both networks. */
    assert_near(report_case_result("c.tau.infiniband", "no limit")->simulated.high,
                report_case_result("c.tau.gigabit", NULL)->simulated.high, 0.05);
    /* 3752 blocks leave 8 nodes, whose NICs take them one after the other. */
    assert_near(report_case_result("t.gigabit", NULL)->simulated.high, 3752 / 8 * 16384 * 8.497e-9, 0.01 * 0.0656);
    /* The optimisation weighs on short messages, the more the fewer calls share it. */
    assert_true(report_case_result("s.infiniband.short", "one call")->simulated.low <
                report_case_result("s.infiniband.short", "ten calls")->simulated.low);
    assert_true(report_case_result("s.infiniband.short", "ten calls")->simulated.low <
                report_case_result("s.infiniband.short", NULL)->simulated.low);
}

static void blocks_are_those_sent(void **state)
{
    (void)state;
    static const struct schedule_algorithm *const algorithms[] = {&schedule_bruck, &schedule_recursive_doubling};
    struct cluster cluster;
    assert_int_equal(cluster_create(&cluster, "infiniband-ddr"), 0);
    for (int a = 0; a < 2; a++) {
        struct cut_points points;
        assert_int_equal(cut_points_make(&cluster, algorithms[a], 1024, 3, &points), 0);
        assert_int_equal(points.count, 39);
        for (size_t i = 0; i < points.count; i++) {
            const struct cut_point *p = &points.point[i];
            assert_true(p->cut <= p->between && p->busiest <= 2 * p->cut && 8 * p->rounds >= p->between && p->bus <= p->copies);
            assert_int_equal(p->sent_bytes, 1024 * p->between);
        }
        for (const struct cut_measure *m = cut_measures; m->name; m++)
            assert_true((cut_points_tau(&points, m->name) > 0) == (cut_points_inverted(&points, m->name) < 0.5));
        const struct cut_point *exch = cut_point_find(&points, "auto", "exch"),
                               *reorder = cut_point_find(&points, "auto", "reorder");
        assert_int_equal(exch->cut, 448);
        assert_int_equal(exch->between, 504);
        assert_int_equal(reorder->between, 448);
        /* Within a node pass 56 blocks by 24 messages, or 35 by 17: but for the first 8, or 4, between cores of two caches. */
        const struct cut_point *plain = cut_point_find(&points, "default", "none"),
                               *same = cut_point_find(&points, "block", "reorder");
        assert_int_equal(plain->bus, a ? 48 : 31);
        /* Where every rank plays its own number nothing is reordered, nor rotated: by each of the 8 ranks of a node 64 blocks. */
        assert_int_equal(same->copies, plain->copies - (algorithms[a]->relative ? 8 * CLUSTER_PROCS : 0));
    }
    cluster_destroy(&cluster);
}

/* n - s blocks at least enter each part of s; no more where the formula is for so many parts. */
static void parts_are_those_cut(void **state)
{
    (void)state;
    const uint64_t n = 4096;
    struct figure_parted closed, metis, block;
    double start_s = clock_monotonic_s();
    assert_int_equal(figure_partition_once(&schedule_bruck, "auto", 4096, 128, &closed), 0);
    assert_int_equal(figure_partition_once(&schedule_bruck, "metis-rb", 4096, 3, &metis), 0);
    assert_int_equal(figure_partition_once(&schedule_bruck, "block", 64, 8, &block), 0);
    assert_true(closed.time_s > 0 && metis.time_s > 0 && closed.time_s + metis.time_s <= clock_monotonic_s() - start_s);
    assert_true(closed.cut == n * 127 && closed.bound == n * 127 && metis.bound == n * 2 && metis.cut > n * 2 &&
                block.cut == 3752);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_quantity_is_reported_once),
        cmocka_unit_test(verdicts),
        cmocka_unit_test(blocks_are_those_sent),
        cmocka_unit_test(parts_are_those_cut),
    };
    return cmocka_run_group_tests(tests, simulate, report_case_forget);
}
