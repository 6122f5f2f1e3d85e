/* Ranks that share cores, against what one reckons by hand. */
#include "tests/model/cmocka_all.h"

#include "model/scenario.h"

#include <errno.h>
#include <string.h>

enum { CORES = 4, RANKS = 12, SIZE = 1 << 20 };

static const double RATE = 1e-10, SWITCH = 1500e-9; /* a copy of SIZE: 105 us */

struct bed {
    struct node node;
    struct scenario scenario;
    uint32_t core[RANKS];
};

/* Lines cost nothing, and nothing but cores is shared. */
static void bed_create(struct bed *b, uint32_t procs, const uint32_t *core, double slice_s)
{
    *b = (struct bed){0};
    assert_int_equal(node_create(&b->node, 1, CORES), 0);
    for (int c = 0; c < COPY_CLASS_COUNT; c++)
        b->node.copy[c] = (struct copy_cost){quantity_of(0, "test"), quantity_of(RATE, "test")};
    b->node.handover_ns[HANDOVER_SAME_CORE] = quantity_of(SWITCH * 1e9, "test");
    b->node.handover_ns[HANDOVER_SAME_CACHE] = quantity_of(0, "test");
    memcpy(b->core, core, procs * sizeof *core);
    b->scenario = (struct scenario){.machine = {.node = &b->node, .nodes = 1},
                                    .placement = {"list", b->core},
                                    .job = {.kind = JOB_BCAST, .procs = procs, .bcast = {SIZE, 0}},
                                    .params = {.protocol = &protocol_pipelined, .fragment_bytes = SIZE, .slots = 1, .sets = 1},
                                    .conditions = {.buffers = BUFFERS_COLD, .buffer_domain = -1, .slice_s = slice_s},
                                    .variant = ""};
}

static double time_s(struct bed *b)
{
    struct outcome out;
    if (evaluator_sim.evaluate(&b->scenario, NULL, &out))
        fail_msg("%s", out.reason);
    double time_s = out.time_s;
    outcome_destroy(&out);
    return time_s;
}

static double on_cores(uint32_t procs, const uint32_t *core, double slice_s)
{
    struct bed b;
    bed_create(&b, procs, core, slice_s);
    double s = time_s(&b);
    node_destroy(&b.node);
    return s;
}

/* Readers on one core copy one after the other. */
static void test_readers_take_turns(void **state)
{
    (void)state;
    double copy_s = SIZE * RATE;
    assert_near(on_cores(4, (const uint32_t[]){0, 1, 2, 3}, 0), 2 * copy_s, 1e-9);
    for (uint32_t readers = 2; readers < RANKS; readers++) {
        uint32_t core[RANKS] = {0};
        for (uint32_t r = 1; r <= readers; r++)
            core[r] = 1;
        double changes_s = on_cores(readers + 1, core, 0) - copy_s * (readers + 1);
        assert_true(changes_s > (readers - 1.01) * SWITCH && changes_s < (readers + 0.01) * SWITCH);
    }
}

/* Over all cores alike the last one's readers decide. */
static void test_ranks_over_cores(void **state)
{
    (void)state;
    double copy_s = SIZE * RATE;
    uint32_t core[RANKS];
    for (uint32_t r = 0; r < RANKS; r++)
        core[r] = r % CORES;
    double time_s = on_cores(RANKS, core, 0), rounds = RANKS / CORES;
    assert_true(time_s > copy_s * (1 + rounds) && time_s < copy_s * (1 + rounds) + 3 * rounds * SWITCH);
}

/* A reader that has the core first spins to the end of its slice, and then the root begins. Its copy is not cut, but if its slice
 * has ended meanwhile, the reader spins for another before the root can tell it. */
static void test_spinners_use_up_their_slices(void **state)
{
    (void)state;
    double copy_s = SIZE * RATE;
    const uint32_t core[] = {0, 0, 0, 0};
    for (double slice_s = 10e-6; slice_s < 1e-3; slice_s *= 3) {
        struct bed b;
        bed_create(&b, 2, core, slice_s);
        b.scenario.job.bcast.root = 1;
        double turns = slice_s < copy_s ? 2 : 1;
        assert_near(time_s(&b), turns * slice_s + 2 * copy_s + 2 * turns * SWITCH, 1e-9);
        b.scenario.conditions.slice_s = 0; /* it yields instead */
        assert_near(time_s(&b), 2 * copy_s + 2 * SWITCH, 1e-9);
        node_destroy(&b.node);
    }
    /* Three before it. */
    struct bed b;
    bed_create(&b, 4, core, 200e-6);
    b.scenario.job.bcast.root = 3;
    assert_near(time_s(&b), 3 * 200e-6 + 4 * copy_s + 6 * SWITCH, 1e-9);
    node_destroy(&b.node);
}

/* Many fragments, cut into slices: the copies are the same, only changes are more. */
static void test_slices_of_many_fragments(void **state)
{
    (void)state;
    const uint32_t core[] = {0, 1, 1, 1};
    for (double slice_s = 2e-6; slice_s < 1e-3; slice_s *= 4) {
        struct bed b;
        bed_create(&b, 4, core, slice_s);
        b.scenario.params.fragment_bytes = 4096; /* 0.4 us */
        b.scenario.params.slots = SIZE / 4096;
        double s = time_s(&b), copies_s = SIZE * RATE * 3;
        assert_true(s > copies_s && s < copies_s * (1 + (SWITCH + 1e-6) / slice_s) + 3 * slice_s);
        node_destroy(&b.node);
    }
}

/* Any protocol, and alike each time. */
static void test_every_protocol_ends(void **state)
{
    (void)state;
    const struct protocol *protocols[] = {&protocol_pipelined, &protocol_counted, &protocol_slot_ring, &protocol_banked,
                                          &protocol_release_gather, &protocol_single_copy, &protocol_cooperative};
    int ran = 0;
    for (size_t i = 0; i < sizeof protocols / sizeof *protocols; i++)
        for (double slice_s = 0; slice_s < 1e-4; slice_s += 30e-6) {
            uint32_t core[RANKS];
            struct bed b;
            for (uint32_t r = 0; r < RANKS; r++)
                core[r] = r * 7 % CORES;
            bed_create(&b, RANKS, core, slice_s);
            b.scenario.params.protocol = protocols[i];
            b.scenario.params.fragment_bytes = 8192;
            b.scenario.params.slots = 8;
            b.scenario.params.sets = 2;
            b.scenario.params.tree = (struct tree_shape){.kind = TREE_KARY, .degree = 4};
            char reason[200];
            if (scenario_check(&b.scenario, reason, sizeof reason) == 0) {
                double s = time_s(&b);
                assert_true(s > SIZE * RATE && s == time_s(&b));
                ran++;
            }
            node_destroy(&b.node);
        }
    assert_true(ran >= 4 * 4);
}

static void wait_for_ever(struct cursor *cursor, uint32_t seen, struct step *step)
{
    (void)cursor, (void)seen;
    *step = (struct step){.op = STEP_WAIT_EQ, .name = STEP_NAME_W, .word = WORD_CONTROL, .value = 12345};
}

/* Turns of cores on which everybody spins are no reason to go on. */
static void test_all_waiting_is_told(void **state)
{
    (void)state;
    struct protocol stuck = protocol_pipelined;
    stuck.next = wait_for_ever;
    for (double slice_s = 0; slice_s < 1e-4; slice_s += 40e-6) {
        const uint32_t core[] = {0, 0, 1, 1, 1};
        struct bed b;
        struct outcome out;
        bed_create(&b, 5, core, slice_s);
        b.scenario.params.protocol = &stuck;
        assert_int_equal(evaluator_sim.evaluate(&b.scenario, NULL, &out), -EPROTO);
        assert_non_null(strstr(out.reason, "stops for ever"));
        outcome_destroy(&out);
        node_destroy(&b.node);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_readers_take_turns),
        cmocka_unit_test(test_ranks_over_cores),
        cmocka_unit_test(test_spinners_use_up_their_slices),
        cmocka_unit_test(test_slices_of_many_fragments),
        cmocka_unit_test(test_every_protocol_ends),
        cmocka_unit_test(test_all_waiting_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
