/* Messages between nodes over channels and interfaces: alone they take the sum of their stages, in a row what the slowest
 * does. */
#include "tests/model/cmocka_all.h"
#include "tests/sim/remote_case.h"

#include "model/nic_cost.h"

#include <stdlib.h>

/* ---- one message ---- */

/* Stages of whole numbers: what a message costs can be added up by hand. */
static struct nic plain_nic(void)
{
    struct nic n = *remote_tianhe();
    struct quantity *const zero[] = {&n.bus_byte_ns, &n.link_byte_ns, &n.nic_gap_ns};
    for (size_t i = 0; i < sizeof zero / sizeof *zero; i++)
        *zero[i] = quantity_of(0, "test");
    n.post_ns = quantity_of(100, "test");
    n.line_ns = quantity_of(1, "test");
    n.poll_ns = quantity_of(200, "test");
    n.copy_start_ns = quantity_of(10, "test");
    n.copy_byte_ns = quantity_of(1, "test");
    n.register_hit_ns = quantity_of(3, "test");
    n.packet_bytes = 1 << 20;
    n.bus_ns = quantity_of(1000, "test");
    n.memory_ns = quantity_of(7, "test");
    n.nic_ns = quantity_of(10000, "test");
    n.link_ns = quantity_of(100000, "test");
    n.layer[0] = (struct nic_layer){"plain", "", quantity_of(1000000, "test"), quantity_of(2000000, "test"), 0, 1, 1};
    n.layers = 1;
    return n;
}

static void one_message_by_hand(void **state)
{
    (void)state;
    struct nic n = plain_nic();
    /* Once across: two buses, two interfaces, a link. Read from memory: its request and its data cross the bus, the data an
     * interface. */
    const uint64_t software = 1000000 + 2000000, cross = 2 * 1000 + 2 * 10000 + 100000, descriptor = 1000 + 10000,
                   read = 1000 + 7 + cross;
    const struct {
        const struct channel_kind *kind;
        uint64_t bytes, ns;
    } cases[] = {
        /* 40 bytes and 32 of head are two lines; a copy out */
        {&channel_kind_mp, 40, software + 102 + cross + 200 + 50},
        {&channel_kind_er, 40, software + 102 + cross + 200 + 50},
        {&channel_kind_sr, 40, software + 102 + cross + 200 + 50},
        {&channel_kind_mp, 0, software + 101 + cross + 200},
        /* 200 bytes and head are four lines */
        {&channel_kind_mp, 200, software + 104 + cross + 200 + 210},
        /* copied in, a descriptor of one line, read, copied out */
        {&channel_kind_er, 200, software + 210 + 101 + descriptor + read + 200 + 210},
        {&channel_kind_combined, 200, software + 210 + 101 + descriptor + read + 200 + 210},
        /* copied in, told by a packet of one line; a get's descriptor goes to the other's interface; copied out */
        {&channel_kind_sr, 1000, software + 1010 + 101 + cross + 200 + 101 + cross - 1000 + read + 200 + 1010},
        {&channel_kind_zc, 1000, software + 1010 + 101 + cross + 200 + 101 + cross - 1000 + read + 200 + 1010},
        /* registered at both ends, offered, fetched */
        {&channel_kind_zc, 50000, software + 3 + 101 + cross + 200 + 3 + 101 + cross - 1000 + read + 200},
        {&channel_kind_combined, 50000, software + 3 + 101 + cross + 200 + 3 + 101 + cross - 1000 + read + 200},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sim_remote_question q = remote_question(&n, "plain", cases[i].kind, 2);
        uint64_t got_ps = remote_time_ps(&q, P2P_PINGPONG, cases[i].bytes, 1);
        if (got_ps != 1000 * cases[i].ns)
            fail_msg("%s, %llu bytes: %llu ps, by hand %llu ns", cases[i].kind->name, (unsigned long long)cases[i].bytes,
                     (unsigned long long)got_ps, (unsigned long long)cases[i].ns);
    }
}

static int check_closed_form(const struct nic *nic, const char *layer)
{
    static const uint64_t sizes[] = {0, 1, 63, 64, 65, 96, 97, 112, 113, 224, 225, 1000, 2048, 4000, 8000, 17000, 65536, 1 << 20};
    int count = 0;
    for (const struct channel_kind *const *k = channel_kind_table; *k; k++)
        for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
            struct sim_remote_question q = remote_question(nic, layer, *k, 2);
            struct nic_message m = {*k, &q.shape, sizes[i / 2], i % 2};
            struct nic_ps costs = q.costs;
            uint64_t want_ps;
            q.cold = i % 2;
            q.shape.ring_bytes = 1 << 20; /* which is not gone through once: a message is in one piece */
            if (nic_message_ps(&costs, &m, &want_ps))
                continue;
            count++;
            uint64_t got_ps = remote_time_ps(&q, P2P_PINGPONG, m.bytes, 1);
            if (got_ps != want_ps)
                fail_msg("%s, %s over %s, %llu bytes: %llu ps, closed form %llu", nic->network, layer, (*k)->name,
                         (unsigned long long)m.bytes, (unsigned long long)got_ps, (unsigned long long)want_ps);
        }
    return count;
}

static void one_message_is_the_closed_form(void **state)
{
    (void)state;
    static const char *const networks[] = {"tianhe", "infiniband-ddr", "infiniband-hdr"};
    for (size_t n = 0; n < sizeof networks / sizeof *networks; n++) {
        const struct nic *nic = nic_find(networks[n]);
        for (size_t l = 0; l < nic->layers; l++)
            assert_int_equal(check_closed_form(nic, nic->layer[l].name), 2 * (10 + 15 + 15 + 18 + 18));
    }
}

/* ---- many ---- */

/* In a row a message takes what the busiest core or the slowest stage does for it, and no less; what else there is, returns of
 * credits and the first message's way, is little in a long row. */
static void a_row_is_paced_by_the_slowest(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {1, 200, 4000, 1 << 18};
    for (const struct channel_kind *const *k = channel_kind_table; *k; k++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            struct sim_remote_question q = remote_question(remote_tianhe(), "ch4", *k, 2);
            struct nic_message m = {*k, &q.shape, sizes[i], 0};
            struct nic_ps costs = q.costs;
            uint64_t pace_ps;
            if (nic_pace_ps(&costs, &m, &pace_ps))
                continue;
            double ratio = (double)remote_time_ps(&q, P2P_STREAM, sizes[i], 500) / (double)pace_ps;
            if (ratio < 1 || ratio > (*k == &channel_kind_mp || sizes[i] < 4000 ? 1.1 : 1.35))
                fail_msg("%s, %llu bytes: %.4f of the closed form", (*k)->name, (unsigned long long)sizes[i], ratio);
        }
}

static void long_messages_take_the_slowest_stage(void **state)
{
    (void)state;
    struct nic n = *remote_tianhe();
    static const double link_ns[] = {0.074, 0.02, 0.5};
    for (size_t i = 0; i < 3; i++) {
        n.link_byte_ns = quantity_of(link_ns[i], "test");
        struct sim_remote_question q = remote_question(&n, "ch4", &channel_kind_zc, 2);
        double want = link_ns[i] > 0.07 ? link_ns[i] * 2080 / 2048 : 0.0699 * 2064 / 2048; /* with heads, or events */
        double got = (double)remote_time_ps(&q, P2P_STREAM, 1 << 20, 16) / 1000 / (1 << 20);
        struct nic_ps costs = q.costs;
        assert_true(got > want && got < 1.02 * want);
        assert_near(1e9 / nic_bytes_per_s(&costs), want, 1e-6);
    }
}

/* What S2 states goes in, and so must come out again. */
static void layers_are_as_stated(void **state)
{
    (void)state;
    static const struct {
        const char *layer;
        uint64_t bytes;
        double us;
    } stated[] = {{"uct", 8, 0.89}, {"ucp", 1, 0.91}, {"ofi", 1, 0.92}, {"ch4", 1, 0.95}, {"ch3", 1, 1.07}};
    for (size_t i = 0; i < sizeof stated / sizeof *stated; i++) {
        struct sim_remote_question q = remote_question(remote_tianhe(), stated[i].layer, &channel_kind_er, 2);
        assert_near((double)remote_time_ps(&q, P2P_PINGPONG, stated[i].bytes, 1) * 1e-6, stated[i].us, 0.001);
    }
    struct sim_remote_question ch4 = remote_question(remote_tianhe(), "ch4", &channel_kind_er, 2),
                               ch3 = remote_question(remote_tianhe(), "ch3", &channel_kind_er, 2);
    assert_near(1e6 / (double)remote_time_ps(&ch4, P2P_STREAM, 1, 1024), 5.4, 0.05);
    assert_near(1e6 / (double)remote_time_ps(&ch3, P2P_STREAM, 1, 1024), 3.8, 0.05);
}

/* ER is below SR whatever the numbers that are assumed: half of each, and twice. */
static void the_gap_needs_no_assumption(void **state)
{
    (void)state;
    struct nic n = *remote_tianhe();
    struct quantity *const assumed[] = {&n.post_ns,      &n.line_ns,    &n.poll_ns,     &n.copy_start_ns,
                                        &n.copy_byte_ns, &n.bus_ns,     &n.bus_byte_ns, &n.memory_ns,
                                        &n.nic_ns,       &n.nic_gap_ns, &n.link_ns,     &n.link_byte_ns};
    for (size_t i = 0; i < 2 * sizeof assumed / sizeof *assumed; i++) {
        struct quantity was = *assumed[i / 2];
        assumed[i / 2]->value *= i % 2 ? 2 : 0.5;
        struct sim_remote_question er = remote_question(&n, "ch4", &channel_kind_combined, 2),
                                   sr = remote_question(&n, "ch4", &channel_kind_zc, 2);
        assert_true(remote_time_ps(&er, P2P_PINGPONG, 1024, 1) < remote_time_ps(&sr, P2P_PINGPONG, 1024, 1));
        assert_true(remote_time_ps(&er, P2P_STREAM, 4096, 64) < remote_time_ps(&sr, P2P_STREAM, 4096, 64));
        *assumed[i / 2] = was;
    }
}

/* ---- registration, trace ---- */

static void registration_is_paid_once(void **state)
{
    (void)state;
    struct sim_remote_question q = remote_question(remote_tianhe(), "ch4", &channel_kind_zc, 2);
    struct nic_ps costs = q.costs;
    uint64_t warm_ps = remote_time_ps(&q, P2P_PINGPONG, 1 << 20, 1), cold_ps;
    q.cold = 1;
    cold_ps = remote_time_ps(&q, P2P_PINGPONG, 1 << 20, 1);
    assert_int_equal(cold_ps - warm_ps, 2 * (costs.register_ps + 256 * costs.register_page_ps - costs.register_hit_ps));
}

struct seen {
    uint64_t last_ps, stages[2][NIC_STAGE_COUNT], busy_end_ps[2];
};

static void see(void *context, const struct trace_step *step)
{
    struct seen *seen = context;
    assert_true(step->rank < 2 && step->stage < NIC_STAGE_COUNT && step->label && step->start_ps < step->end_ps);
    seen->stages[step->rank][step->stage]++;
    if (step->stage == NIC_STAGE_CORE) {
        assert_true(step->start_ps >= seen->busy_end_ps[step->rank]); /* a core does one thing at a time */
        seen->busy_end_ps[step->rank] = step->end_ps;
    }
    seen->last_ps = step->end_ps > seen->last_ps ? step->end_ps : seen->last_ps;
}

static void a_trace_shows_every_stage(void **state)
{
    (void)state;
    struct sim_remote_question q = remote_question(remote_tianhe(), "ch4", &channel_kind_er, 2);
    struct job_p2p job = {8, P2P_PINGPONG, 1};
    struct sim_remote_program program = sim_remote_p2p(&job);
    struct seen seen = {0};
    struct trace_sink sink = {see, &seen};
    struct sim_remote s;
    uint64_t ps;
    char reason[200] = "";
    assert_int_equal(sim_remote_create(&s, &q, reason, sizeof reason), 0);
    assert_int_equal(sim_remote_call(&s, &program, &sink, &ps, reason, sizeof reason), 0);
    assert_int_equal(seen.last_ps, ps);
    for (int rank = 0; rank < 2; rank++)
        for (int stage = NIC_STAGE_BUS_OUT; stage <= NIC_STAGE_BUS_IN; stage++)
            assert_int_equal(seen.stages[rank][stage], 4); /* four messages each way, each through each once */
    sim_remote_destroy(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_message_by_hand),
        cmocka_unit_test(one_message_is_the_closed_form),
        cmocka_unit_test(a_row_is_paced_by_the_slowest),
        cmocka_unit_test(long_messages_take_the_slowest_stage),
        cmocka_unit_test(layers_are_as_stated),
        cmocka_unit_test(the_gap_needs_no_assumption),
        cmocka_unit_test(registration_is_paid_once),
        cmocka_unit_test(a_trace_shows_every_stage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
