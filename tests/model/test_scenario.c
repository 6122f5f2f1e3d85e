/* scenario: what is refused, with which words; where placements put ranks. */
#include "tests/model/cmocka_all.h"

#include "model/scenario.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct node node;
static uint32_t cores[16];

static int setup(void **state)
{
    (void)state;
    /* Domains of 2, 0 and 3 cores, interleaved. */
    const uint32_t domain[5] = {2, 0, 2, 0, 2};
    if (node_create(&node, 3, 5))
        return -1;
    memcpy(node.core_domain, domain, sizeof domain);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    node_destroy(&node);
    return 0;
}

static struct scenario sound(void)
{
    struct scenario s = {.machine = {.node = &node, .nodes = 1}, .placement = {"compact", cores}, .variant = ""};
    s.job = (struct job){.kind = JOB_BCAST, .procs = 3, .bcast = {1 << 20, 2}};
    s.params = (struct params){&protocol_pipelined, 8192, 8, 2, {TREE_KARY, 2}, 0};
    s.conditions.buffer_domain = -1;
    assert_int_equal(placement_fill("compact", &node, 3, cores), 0);
    return s;
}

static void refused(const struct scenario *s, const char *words)
{
    char reason[200] = "";
    assert_int_equal(scenario_check(s, reason, sizeof reason), -EINVAL);
    if (!strstr(reason, words))
        fail_msg("reason \"%s\" lacks \"%s\"", reason, words);
    assert_null(strchr(reason, '\n'));
    char tiny[8];
    assert_int_equal(scenario_check(s, tiny, sizeof tiny), -EINVAL);
    assert_int_equal(strlen(tiny), 7);
    assert_int_equal(scenario_check(s, NULL, 0), -EINVAL);
}

static void test_check(void **state)
{
    (void)state;
    struct scenario s = sound();
    assert_int_equal(scenario_check(&s, NULL, 0), 0);
    s.params.protocol = &protocol_eager, s.job.bcast.size_bytes = 120;
    assert_int_equal(scenario_check(&s, NULL, 0), 0);
    s.job.bcast.size_bytes = 121, refused(&s, "at most 120 bytes");
    s = sound(), s.job.procs = 0, refused(&s, "0 processes");
    s = sound(), s.job.bcast.root = 3, refused(&s, "root 3 out of range: ranks are 0..2");
    s = sound(), s.job.kind = (enum job_kind)9, refused(&s, "collective");
    s = sound(), s.job = (struct job){.kind = JOB_ALLGATHER, .procs = 3, .allgather = {.block_bytes = 1000}};
    refused(&s, "pipelined is none of allgather");
    s.params.protocol = &protocol_direct;
    assert_int_equal(scenario_check(&s, NULL, 0), 0);
    assert_int_equal(job_message_bytes(&s.job), 3000);
    s.params.slots = 6, refused(&s, "powers of two");
    s.params.protocol = &protocol_direct_line, refused(&s, "at most 120 bytes");
    s.params.protocol = &protocol_shared_blocks, s.job.allgather.block_bytes = UINT64_MAX / 8;
    refused(&s, "more than there can be");
    s = sound(), s.params.protocol = &protocol_direct, refused(&s, "direct is none of bcast");
    s = sound(), s.machine.node = NULL, refused(&s, "node");
    s = sound(), s.placement.core_of_rank = NULL, refused(&s, "placed");
    s = sound(), cores[1] = 5, refused(&s, "rank 1 placed on core 5");
    s = sound(), s.params.protocol = NULL, refused(&s, "protocol");
    s = sound(), s.params.fragment_bytes = 0, refused(&s, "fragment of 0");
    s = sound(), s.params.slots = 0, refused(&s, "0 slots");
    s = sound(), s.params.sets = 0, refused(&s, "0 sets");
    s = sound(), s.params.sets = 3, refused(&s, "3 sets do not divide 8 slots");
    s = sound(), s.params.tree = (struct tree_shape){TREE_KNOMIAL, 1}, refused(&s, "tree");
    s = sound(), s.conditions.buffer_domain = 3, refused(&s, "domains 0..2");
    s = sound(), s.conditions.buffer_domain = -2, refused(&s, "domain -2");
    s = sound(), s.conditions.skew_s = NAN, refused(&s, "skew");
    s = sound(), s.conditions.noise = -1, refused(&s, "noise");
}

static void placed(const char *name, uint32_t procs, const uint32_t *want)
{
    uint32_t got[16];
    assert_int_equal(placement_fill(name, &node, procs, got), 0);
    for (uint32_t i = 0; i < procs; i++)
        assert_int_equal(got[i], want[i]);
}

static void test_placement(void **state)
{
    (void)state;
    placed("compact", 7, (const uint32_t[]){1, 3, 0, 2, 4, 1, 3});
    placed("scatter", 7, (const uint32_t[]){1, 0, 3, 2, 4, 1, 0});
    placed("scatter", 2, (const uint32_t[]){1, 0});
    placed("list:4,0,2", 5, (const uint32_t[]){4, 0, 2, 4, 0});
    placed("list:4,0,2", 2, (const uint32_t[]){4, 0});
    placed("list:3", 2, (const uint32_t[]){3, 3});
    uint32_t got[4];
    const char *const wrong[] = {
        "",        "compactly",  "list:",    "list:5",    "list:1,",   "list:,1", "list:-1",
        "list: 1", "list:1,2,9", "list:1;2", "list:1,,2", "list:1,2x", "lists:1", "list:99999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(placement_fill(wrong[i], &node, 1, got), -EINVAL);
}

static void test_outcome(void **state)
{
    (void)state;
    struct outcome out;
    outcome_init(&out);
    assert_true(isnan(out.time_s) && isnan(out.copy_s) && isnan(out.slots_opt) && isnan(out.memcpy_cold_s));
    assert_int_equal(out.verified, -1);
    assert_int_equal(out.sample_count, 0);
    out.samples_s = malloc(sizeof(double));
    outcome_destroy(&out);
    assert_null(out.samples_s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_check), cmocka_unit_test(test_placement),
                                       cmocka_unit_test(test_outcome)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
