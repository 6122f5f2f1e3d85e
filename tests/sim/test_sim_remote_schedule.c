/* Whole schedules over channels and interfaces: every block comes once and after whoever sends it has it, a message alone is as
 * between two, a ring with nothing in its way is the sum of its messages, and credits that are few only take time. */
#include "tests/model/cmocka_all.h"
#include "tests/sim/remote_schedule_case.h"
#include "tests/sim/sim_case.h"

#include "model/formats/network_load.h"
#include "model/nic_cost.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- what moves ---- */

static void every_block_comes_once(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {0, 8, 3000, 20000};
    for (const struct schedule_algorithm *const *a = schedule_table; *a; a++)
        for (uint32_t procs = 1; procs <= REMOTE_RANKS_MOST; procs += procs < 9 ? 1 : 3)
            for (const struct channel_kind *const *k = channel_kind_table; *k && (*a)->kind != SCHEDULE_SCATTER; k++)
                for (size_t i = 0; i < sizeof sizes / sizeof *sizes && schedule_valid(*a, procs); i++) {
                    struct remote_asked q = remote_ask(remote_tianhe(), i % 2 ? "ch4" : "ch3", *k, *a, procs, sizes[i]);
                    q.in_place = procs % 2;
                    q.remote.cold = i % 2;
                    remote_schedule_ps(&q);
                }
}

/* Of one credit for each pair and none to share, rings of four fragments and two units of a pool. */
static void few_credits_only_take_time(void **state)
{
    (void)state;
    for (const struct channel_kind *const *k = channel_kind_table; *k; k++)
        for (uint32_t procs = 2; procs <= 12; procs += 5) {
            struct remote_asked q = remote_ask(remote_tianhe(), "ch4", *k, &schedule_bruck, procs, 30000);
            uint64_t many_ps = remote_schedule_ps(&q);
            q.remote.shape.queue_initial = 1;
            q.remote.shape.queue_extension = 0;
            q.remote.shape.pool_units = 2;
            q.remote.shape.rings_most = 1;
            q.remote.shape.fragment_bytes = 1024;
            q.remote.shape.ring_bytes = 4096;
            assert_true(remote_schedule_ps(&q) >= many_ps);
        }
}

static void unlike_act(const void *context, uint32_t rank, uint32_t i, struct sim_remote_act *out)
{
    uint64_t bytes = *(const uint64_t *)context;
    *out = (struct sim_remote_act){.kind = i == 1 ? SIM_REMOTE_WAIT : SIM_REMOTE_OVER};
    if (i == 0)
        *out = (struct sim_remote_act){
            .kind = rank ? SIM_REMOTE_RECEIVE : SIM_REMOTE_SEND, .peer = !rank, .bytes = rank ? 16 : bytes};
}

static void ends_that_disagree_are_told(void **state)
{
    (void)state;
    static const uint64_t sent[] = {8, 5000, 1 << 20};
    for (const struct channel_kind *const *k = channel_kind_table; *k; k++)
        for (size_t i = 0; i < sizeof sent / sizeof *sent; i++) {
            struct sim_remote_question q = remote_question(remote_tianhe(), "ch4", *k, 2);
            struct sim_remote_program program = {.act = unlike_act, .context = &sent[i]};
            struct sim_remote s;
            uint64_t ps;
            char reason[200] = "";
            assert_int_equal(sim_remote_create(&s, &q, reason, sizeof reason), 0);
            assert_int_equal(sim_remote_call(&s, &program, NULL, &ps, reason, sizeof reason), -EBADMSG);
            assert_non_null(strstr(reason, "rank 1 gets"));
            assert_non_null(strstr(reason, "from rank 0 and expects 16"));
            sim_remote_destroy(&s);
        }
}

/* ---- how long it takes ---- */

static void one_message_is_as_between_two(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {0, 1, 64, 113, 225, 1000, 8000, 65536, 1 << 20};
    int count = 0;
    for (const struct channel_kind *const *k = channel_kind_table; *k; k++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            struct remote_asked q = remote_ask(remote_tianhe(), "ch4", *k, &schedule_binomial, 2, sizes[i]);
            struct nic_message m = {*k, &q.remote.shape, sizes[i], 0};
            uint64_t want_ps;
            q.remote.shape.ring_bytes = 1 << 20;
            q.remote.shape.queue_initial = 64; /* nothing is to be returned, which would be the receiver's last act */
            if (nic_message_ps(&q.remote.costs, &m, &want_ps))
                continue;
            count++;
            assert_int_equal(remote_schedule_ps(&q), want_ps);
            assert_int_equal(remote_time_ps(&q.remote, P2P_PINGPONG, sizes[i], 1), want_ps);
        }
    assert_int_equal(count, 4 + 7 + 7 + 9 + 9);
}

/* Messages are long on their way, and credits and rings so many that none is returned but with them: steps follow each other
 * without anything between. */
static void a_ring_is_the_sum_of_its_messages(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {1, 200, 4000, 100000};
    struct nic slow = *remote_tianhe();
    slow.link_ns = quantity_of(1e6, "test");
    for (const struct channel_kind *const *k = channel_kind_table; *k; k++)
        for (uint32_t procs = 2; procs <= 14; procs += 3)
            for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
                struct remote_asked q = remote_ask(&slow, "ch4", *k, &schedule_ring, procs, sizes[i]);
                struct nic_message m = {*k, &q.remote.shape, sizes[i], 0};
                uint64_t one_ps;
                q.in_place = 1;
                q.remote.shape.ring_bytes = 1 << 20;
                q.remote.shape.queue_initial = 64;
                if (nic_message_ps(&q.remote.costs, &m, &one_ps))
                    continue;
                uint64_t got_ps = remote_schedule_ps(&q);
                if (got_ps != (procs - 1) * one_ps)
                    fail_msg("%s, %u ranks, %llu bytes: %llu ps, %u messages of %llu", (*k)->name, procs,
                             (unsigned long long)sizes[i], (unsigned long long)got_ps, procs - 1, (unsigned long long)one_ps);
            }
}

static void rings_are_ahead_of_the_pool(void **state)
{
    (void)state;
    for (const struct schedule_algorithm *const *a = schedule_table; *a; a++)
        for (uint32_t procs = 2; procs <= 16 && (*a)->kind != SCHEDULE_SCATTER; procs *= 2) {
            struct remote_asked er = remote_ask(remote_tianhe(), "ch4", &channel_kind_er, *a, procs, 1024 * procs);
            struct remote_asked sr = remote_ask(remote_tianhe(), "ch4", &channel_kind_sr, *a, procs, 1024 * procs);
            uint64_t er_ps = remote_schedule_ps(&er), sr_ps = remote_schedule_ps(&sr);
            assert_true(sr_ps > er_ps);
        }
}

static void a_seed_says_all(void **state)
{
    (void)state;
    struct remote_asked q = remote_ask(remote_tianhe(), "ch4", &channel_kind_combined, &schedule_bruck, 13, 5000);
    q.skew_ps = 5000000;
    q.seed = 7;
    uint64_t ps = remote_schedule_ps(&q);
    assert_int_equal(remote_schedule_ps(&q), ps);
    q.seed = 8;
    assert_int_not_equal(remote_schedule_ps(&q), ps);
    q.skew_ps = 0;
    assert_true(remote_schedule_ps(&q) < ps);
}

/* ---- two levels ---- */

enum { PPN = 8 };

static uint64_t node_bcast_ps(const struct sim_case *c, uint64_t bytes)
{
    struct sim_case inner = *c;
    inner.scenario.placement.core_of_rank = inner.core_of_rank;
    inner.scenario.machine = (struct machine){.node = &inner.node, .nodes = 1};
    inner.scenario.algorithm = NULL;
    inner.scenario.channel = NULL;
    inner.scenario.job = (struct job){.kind = JOB_BCAST, .procs = PPN, .bcast = {bytes, 0}};
    return sim_case_time_ps(&inner);
}

/* From the root's node to the other by one message, and then to its ranks. */
static void two_levels_are_a_message_and_a_node(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {1, 64, 1000, 8000, 100000};
    struct network network;
    char reason[300];
    int count = 0;
    assert_int_equal(network_load("infiniband-ddr", &network, reason, sizeof reason), 0);
    for (const struct channel_kind *const *k = channel_kind_table; *k; k++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            struct sim_remote_question q = remote_question(nic_find("infiniband-ddr"), "mpi", *k, 2);
            struct nic_message m = {*k, &q.shape, sizes[i], 0};
            struct sim_case c;
            uint64_t message_ps;
            if ((*k != &channel_kind_er && *k != &channel_kind_combined) || nic_message_ps(&q.costs, &m, &message_ps))
                continue; /* of packets credits come back before the node goes on */
            sim_case_preset(&c, "nehalem-2x4");
            sim_case_bcast(&c, SIM_CASE_RANKS, 0, 4096, 16, 2);
            for (uint32_t r = 0; r < SIM_CASE_RANKS; r++)
                c.core_of_rank[r] = r % PPN;
            c.scenario.machine = (struct machine){&c.node, 2, &network, PPN, 2};
            c.scenario.algorithm = &schedule_binomial;
            c.scenario.channel = *k;
            c.scenario.conditions.buffers = BUFFERS_WARM;
            c.scenario.job = (struct job){.kind = JOB_BCAST, .procs = 2 * PPN, .bcast = {sizes[i], 0}};
            assert_int_equal(sim_case_time_ps(&c), message_ps + node_bcast_ps(&c, sizes[i]));
            sim_case_destroy(&c);
            count++;
        }
    assert_int_equal(count, 4 + 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_block_comes_once),        cmocka_unit_test(few_credits_only_take_time),
        cmocka_unit_test(ends_that_disagree_are_told),   cmocka_unit_test(one_message_is_as_between_two),
        cmocka_unit_test(a_ring_is_the_sum_of_its_messages), cmocka_unit_test(rings_are_ahead_of_the_pool),
        cmocka_unit_test(a_seed_says_all),               cmocka_unit_test(two_levels_are_a_message_and_a_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
