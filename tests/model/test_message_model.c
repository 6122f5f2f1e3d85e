/* message_model: on the paper's node, a nanosecond a byte and 50 a line, every channel's time by hand; what the ways add on
 * another. */
#include "tests/model/cmocka_all.h"
#include "tests/model/nodes.h"

#include "model/channel.h"
#include "model/message_model.h"

#include <errno.h>
#include <string.h>

static double ns(struct scenario s, const struct channel_kind *channel, enum p2p_pattern pattern, uint64_t bytes)
{
    struct message_answer answer;
    char reason[200] = "";
    s.job = (struct job){.kind = JOB_P2P, .procs = 2, .p2p = {bytes, pattern, 10}};
    s.channel = channel;
    s.params.protocol = NULL;
    assert_int_equal(scenario_check(&s, reason, sizeof reason), 0);
    if (message_model_time(&s, &answer, reason, sizeof reason))
        fail_msg("%s", reason);
    return answer.time_s * 1e9;
}

static void test_ping_pong(void **state)
{
    (void)state;
    struct test_bed bed;
    struct scenario s = test_bed_paper(&bed, 2, 1, 8192, 8, 1);
    for (const struct channel_kind *const *c = channel_kind_table; *c; c++) {
        assert_near(ns(s, *c, P2P_PINGPONG, 0), 50, 1e-6);
        assert_near(ns(s, *c, P2P_PINGPONG, 224), 2 * 224 + 50, 1e-6);
    }
    /* The first fragment in, the others' pace, the last one out. */
    assert_near(ns(s, &channel_kind_mp, P2P_PINGPONG, 225), 225 * 3 / 2. + 50, 1e-6);
    assert_near(ns(s, &channel_kind_sr, P2P_PINGPONG, 225), 450 + 50, 1e-6);
    assert_near(ns(s, &channel_kind_er, P2P_PINGPONG, 5000), 10000 + 50, 1e-6);
    assert_near(ns(s, &channel_kind_er, P2P_PINGPONG, 40000), 40000 * 6 / 5. + 50, 1e-6);
    assert_near(ns(s, &channel_kind_combined, P2P_PINGPONG, 40000), 40000 * 6 / 5. + 50, 1e-6);
    /* Beyond 64 KiB it is asked for: there and back. */
    assert_near(ns(s, &channel_kind_er, P2P_PINGPONG, 65536), 65536 * 9 / 8. + 50, 1e-6);
    assert_near(ns(s, &channel_kind_er, P2P_PINGPONG, 65537), 65537 * 10 / 9. + 150, 1e-6);
    assert_near(ns(s, &channel_kind_combined, P2P_PINGPONG, 65537), 65537 * 10 / 9. + 150, 1e-6);
    /* Fetched: one copy. */
    assert_near(ns(s, &channel_kind_zc, P2P_PINGPONG, 16384), 16384 * 3 / 2. + 50, 1e-6);
    assert_near(ns(s, &channel_kind_zc, P2P_PINGPONG, 16385), 16385 + 50, 1e-6);
    assert_near(ns(s, &channel_kind_combined, P2P_PINGPONG, (4 << 20) + 1), (4 << 20) + 1 + 50, 1e-6);
    test_bed_destroy(&bed);
}

/* The first message, the others at the pace of one end, the answer. */
static void test_stream(void **state)
{
    (void)state;
    struct test_bed bed;
    struct scenario s = test_bed_paper(&bed, 2, 1, 8192, 8, 1);
    assert_near(ns(s, &channel_kind_er, P2P_STREAM, 5000), (10050 + 9 * 5000 + 50) / 10., 1e-6);
    assert_near(ns(s, &channel_kind_zc, P2P_STREAM, 20000), (20050 + 9 * 20000 + 50) / 10., 1e-6);
    /* Eight fragments are in the ring: a byte takes as long as its room takes around, an eighth of it. */
    assert_near(ns(s, &channel_kind_er, P2P_STREAM, 1), (52 + 9 * (2 + 100) / 8. + 50) / 10., 1e-6);
    /* 128 slots of the queue, of which nobody else has any. */
    assert_near(ns(s, &channel_kind_mp, P2P_STREAM, 1), (52 + 9 * 1 + 50) / 10., 1e-6);
    test_bed_destroy(&bed);
}

static void test_what_ways_add(void **state)
{
    (void)state;
    struct test_bed bed;
    struct scenario s = test_bed_described(&bed, 2, 1, 8192, 8, 1);
    bed.node.copy[COPY_PLAIN_COLD].s_per_byte = quantity_of(1.5e-10, "test");
    double er = ns(s, &channel_kind_er, P2P_PINGPONG, 200);
    assert_near(ns(s, &channel_kind_mp, P2P_PINGPONG, 200), er + 5, 1e-6); /* a place in the queue */
    double fetched = ns(s, &channel_kind_zc, P2P_PINGPONG, 1 << 20);
    bed.node.peer_call_ns = quantity_of(1000, "test");
    assert_near(ns(s, &channel_kind_zc, P2P_PINGPONG, 1 << 20), fetched + 1000, 1e-6);
    s.conditions.backend = BACKEND_THREADS;
    assert_near(ns(s, &channel_kind_zc, P2P_PINGPONG, 1 << 20), fetched, 1e-6);
    test_bed_destroy(&bed);
}

static void test_refusals(void **state)
{
    (void)state;
    struct test_bed bed;
    struct scenario s = test_bed_described(&bed, 2, 1, 8192, 2, 1);
    struct message_answer answer;
    char reason[200] = "";
    s.job = (struct job){.kind = JOB_P2P, .procs = 2, .p2p = {1, P2P_PINGPONG, 1}};
    assert_int_equal(message_model_time(&s, &answer, reason, sizeof reason), -EINVAL);
    assert_non_null(strstr(reason, "quarter"));
    s.params.slots = 8;
    bed.node.handover_ns[HANDOVER_SAME_CACHE] = quantity_unknown();
    assert_int_equal(message_model_time(&s, &answer, reason, sizeof reason), -ENOTSUP);
    assert_non_null(strstr(reason, "hand-over"));
    test_bed_destroy(&bed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ping_pong), cmocka_unit_test(test_stream),
                                       cmocka_unit_test(test_what_ways_add), cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
