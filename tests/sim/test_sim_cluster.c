/* Schedules on a contention-free network: the closed form to the picosecond, whatever the order of the simulation; bytes are
 * conserved, and nothing happens before its cause. */
#include "tests/model/cmocka_all.h"

#include "model/network.h"
#include "sim/sim_cluster.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* L, o, g, receiver gap in ps, G in fs: LogGOPSim's defaults; each of the ports slower than the round trip; cores slower than
 * all; bytes of less than a picosecond; nothing but one thing. */
static const struct loggp networks[] = {
    {2500000, 1500000, 1000000, 1000000, 6000000},
    {1300000, 250000, 9000000, 70000, 40019},
    {1300000, 250000, 70000, 9000000, 571429},
    {1000, 8000001, 3, 0, 333},
    {0, 0, 0, 0, 1000},
    {1, 0, 0, 0, 0},
    {0, 0, 1, 0, 0},
};
enum { NETWORKS = sizeof networks / sizeof *networks };

static struct sim_cluster_answer simulate(const struct loggp *p, const struct schedule *schedule, uint64_t bytes,
                                          enum sim_order order, uint64_t skew_ps, const struct sim_cluster_observer *observer)
{
    struct sim_cluster_answer answer;
    char reason[200];
    struct sim_cluster_question question = {p, schedule, bytes, skew_ps, 7, order, observer, NULL, NULL};
    int err = sim_cluster_run(&question, &answer, reason, sizeof reason);
    if (err)
        fail_msg("%s, %u ranks, %s: %s", schedule->algorithm->name, schedule->procs, sim_order_name(order), reason);
    return answer;
}

static void check_on(int count, const struct schedule_algorithm *algorithm, uint32_t procs, uint64_t bytes,
                     enum sim_order last_order)
{
    struct schedule schedule;
    if (!schedule_valid(algorithm, procs))
        return;
    assert_int_equal(schedule_init(&schedule, algorithm, procs, algorithm->kind == SCHEDULE_BCAST ? procs / 3 : 0), 0);
    uint64_t received = algorithm->kind == SCHEDULE_BCAST ? bytes * (procs - 1) : bytes * (procs - 1) * procs;
    for (int n = 0; n < count; n++)
        for (enum sim_order order = 0; order <= last_order; order++) {
            uint64_t want_ps;
            assert_int_equal(loggp_schedule_ps(&networks[n], &schedule, bytes, &want_ps), 0);
            struct sim_cluster_answer got = simulate(&networks[n], &schedule, bytes, order, 0, NULL);
            if (got.time_ps != want_ps)
                fail_msg("%s, %u ranks, %llu B, network %d, %s: %llu ps, the closed form says %llu", algorithm->name, procs,
                         (unsigned long long)bytes, n, sim_order_name(order), (unsigned long long)got.time_ps,
                         (unsigned long long)want_ps);
            assert_int_equal(got.bytes_sent, received);
            assert_int_equal(got.bytes_received, received);
        }
}

static void check(const struct schedule_algorithm *algorithm, uint32_t procs, uint64_t bytes, enum sim_order last_order)
{
    check_on(NETWORKS, algorithm, procs, bytes, last_order);
}

/* Every number of ranks to some, then every so many-th, and those beside 4096. */
static void check_procs(const struct schedule_algorithm *algorithm, uint32_t all, uint32_t stride, enum sim_order last_order)
{
    for (uint32_t procs = 1; procs < all; procs++)
        check(algorithm, procs, procs % 4 == 0 ? procs % 3 : 1000 + procs, last_order);
    for (uint32_t procs = all; procs <= 4096; procs += stride)
        check(algorithm, procs, 777, last_order);
    check(algorithm, 2048, 64, last_order);
    check(algorithm, 4095, 64, last_order);
    check(algorithm, 4096, 64, last_order);
}

static void bruck_is_the_closed_form(void **state)
{
    (void)state;
    check_procs(&schedule_bruck, 140, 397, SIM_ORDER_RADIX);
}

static void recursive_doubling_is_the_closed_form(void **state)
{
    (void)state;
    for (uint32_t procs = 1; procs <= 4096; procs *= 2)
        for (uint64_t bytes = 0; bytes < 100; bytes = 3 * bytes + 1)
            check(&schedule_recursive_doubling, procs, bytes, SIM_ORDER_RADIX);
}

static void binomial_is_the_closed_form(void **state)
{
    (void)state;
    check_procs(&schedule_binomial, 600, 97, SIM_ORDER_RADIX);
}

static void ring_is_the_closed_form(void **state)
{
    (void)state;
    for (uint32_t procs = 1; procs < 70; procs++)
        check(&schedule_ring, procs, 3 * procs, procs % 7 ? SIM_ORDER_ROUNDS : SIM_ORDER_RADIX);
    for (uint32_t procs = 70; procs < 1000; procs += 203)
        check(&schedule_ring, procs, 777, SIM_ORDER_ROUNDS);
    check_on(1, &schedule_ring, 4095, 64, SIM_ORDER_ROUNDS); /* 17 million messages each */
    check_on(1, &schedule_ring, 4096, 64, SIM_ORDER_ROUNDS);
}

static void others_have_no_closed_form(void **state)
{
    (void)state;
    struct schedule schedule;
    uint64_t time_ps = 1;
    assert_int_equal(schedule_init(&schedule, &schedule_sparbit, 5, 0), 0);
    assert_int_equal(loggp_schedule_ps(&networks[0], &schedule, 1, &time_ps), -ENOTSUP);
    assert_int_equal(schedule_init(&schedule, &schedule_bruck, 1000, 0), 0);
    assert_int_equal(loggp_schedule_ps(&networks[0], &schedule, UINT64_MAX / 1000, &time_ps), -EOVERFLOW);
    assert_int_equal(time_ps, 1);
}

enum { LOG_MOST = 1 << 16 };
struct log {
    struct sim_cluster_message message[LOG_MOST];
    size_t count;
};

static void log_message(void *context, const struct sim_cluster_message *message)
{
    struct log *log = context;
    assert_true(log->count < LOG_MOST);
    log->message[log->count++] = *message;
}

/* By receiver, then round. */
static int by_receiver(const void *a, const void *b)
{
    const struct sim_cluster_message *x = a, *y = b;
    return x->to != y->to ? (x->to > y->to) - (x->to < y->to) : (x->round > y->round) - (x->round < y->round);
}

static int by_sender(const void *a, const void *b)
{
    const struct sim_cluster_message *x = a, *y = b;
    return x->from != y->from ? (x->from > y->from) - (x->from < y->from) : (x->round > y->round) - (x->round < y->round);
}

/* A rank takes in one message after the other, each when it has come. Leaves the log by receivers. */
static void check_receptions(struct log *log, const struct loggp *p, uint32_t procs)
{
    qsort(log->message, log->count, sizeof *log->message, by_receiver);
    for (size_t i = 0; i < log->count; i++) {
        const struct sim_cluster_message *m = &log->message[i], *before = i && m[-1].to == m->to ? m - 1 : NULL;
        uint64_t stream_ps = loggp_stream_ps(p, m->bytes);
        assert_true(m->from != m->to && m->from < procs && m->to < procs);
        assert_true(m->first_byte_ps == m->send_ps + p->overhead_ps + p->latency_ps);
        assert_true(m->end_ps >= m->first_byte_ps + stream_ps + p->overhead_ps);
        assert_true(!before || m->end_ps >= before->end_ps + p->overhead_ps);
        /* The port was free: what it had before has come a receiver gap earlier, at the latest by when its core took it. */
        assert_true(!before || m->end_ps >= before->first_byte_ps + loggp_stream_ps(p, before->bytes) + p->receiver_gap_ps +
                                                stream_ps + p->overhead_ps);
    }
}

/* Once the log is by receivers: no rank sends what follows a reception before that has ended, nor faster than its port. */
static void check_sends(const struct log *log, const struct loggp *p)
{
    struct sim_cluster_message *sent = malloc((log->count + 1) * sizeof *sent);
    uint64_t received_ps = 0;
    size_t in = 0;
    memcpy(sent, log->message, log->count * sizeof *sent);
    qsort(sent, log->count, sizeof *sent, by_sender);
    for (size_t i = 0; i < log->count; i++) {
        const struct sim_cluster_message *m = &sent[i], *before = i && m[-1].from == m->from ? m - 1 : NULL, *r;
        received_ps = before ? received_ps : 0;
        for (; r = &log->message[in], in < log->count && (r->to < m->from || (r->to == m->from && r->round < m->round)); in++)
            received_ps = r->to == m->from ? r->end_ps : 0;
        assert_true(m->send_ps >= received_ps);
        assert_true(!before || m->send_ps >= before->send_ps + p->gap_ps + loggp_stream_ps(p, before->bytes));
    }
    free(sent);
}

static int same_message(const struct sim_cluster_message *a, const struct sim_cluster_message *b)
{
    return a->from == b->from && a->to == b->to && a->round == b->round && a->bytes == b->bytes && a->ready_ps == b->ready_ps &&
           a->send_ps == b->send_ps && a->send_end_ps == b->send_end_ps && a->first_byte_ps == b->first_byte_ps &&
           a->alone_ps == b->alone_ps && a->last_byte_ps == b->last_byte_ps && a->want_ps == b->want_ps &&
           a->take_ps == b->take_ps && a->end_ps == b->end_ps;
}

/* Every order simulates the same messages at the same times. Returns the simulated time. */
static uint64_t check_orders(struct log *log, const struct loggp *p, const struct schedule *schedule, uint64_t skew_ps)
{
    struct sim_cluster_answer first = {0};
    for (enum sim_order order = 0; order < SIM_ORDER_COUNT; order++) {
        struct log *mine = &log[order > 0];
        struct sim_cluster_observer observer = {.message = log_message, .context = mine};
        mine->count = 0;
        struct sim_cluster_answer got = simulate(p, schedule, 1234, order, skew_ps, &observer);
        check_receptions(mine, p, schedule->procs);
        check_sends(mine, p);
        first = order ? first : got;
        assert_int_equal(got.time_ps, first.time_ps);
        assert_int_equal(got.messages, mine->count);
        assert_int_equal(got.bytes_sent, got.bytes_received);
        assert_int_equal(mine->count, log[0].count);
        for (size_t m = 0; m < mine->count; m++)
            assert_true(same_message(&mine->message[m], &log[0].message[m]));
    }
    return first.time_ps;
}

/* Of every algorithm there is; with ranks that begin late by as much as a few rounds take, most messages are early or late. */
static void orders_agree_and_keep_causes(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1, 2, 3, 5, 8, 12, 16, 23, 64, 100};
    struct log *log = calloc(2, sizeof *log);
    for (size_t a = 0; schedule_table[a]; a++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
            for (int n = 0; n < NETWORKS; n++) {
                struct schedule schedule;
                if (!schedule_valid(schedule_table[a], counts[i]))
                    continue;
                assert_int_equal(schedule_init(&schedule, schedule_table[a], counts[i], 0), 0);
                uint64_t together_ps = check_orders(log, &networks[n], &schedule, 0);
                uint64_t late_ps = check_orders(log, &networks[n], &schedule, 20000000);
                assert_true(late_ps >= together_ps && late_ps < together_ps + 20000000);
            }
    free(log);
}

/* Ring, but for a rank that does not send, sends to another, or sends less. */
enum fault { FAULT_SILENT, FAULT_ASTRAY, FAULT_SHORT };
static enum fault fault;

static void faulty_step(const struct schedule *s, uint32_t rank, uint32_t k, struct schedule_step *out)
{
    schedule_ring.step(s, rank, k, out);
    if (rank != 3 || k != 2)
        return;
    if (fault == FAULT_SILENT)
        out->send_to = SCHEDULE_NONE;
    else if (fault == FAULT_ASTRAY)
        out->send_to = 1;
    else
        out->send.count = 0;
}

static void faulty_schedules_are_told(void **state)
{
    (void)state;
    struct schedule_algorithm algorithm = schedule_ring;
    algorithm.step = faulty_step;
    for (fault = FAULT_SILENT; fault <= FAULT_SHORT; fault++)
        for (enum sim_order order = 0; order < SIM_ORDER_COUNT; order++) {
            struct schedule schedule;
            struct sim_cluster_answer answer;
            char reason[200] = "";
            assert_int_equal(schedule_init(&schedule, &algorithm, 6, 0), 0);
            struct sim_cluster_question question = {&networks[0], &schedule, 10, 0, 1, order, NULL, NULL, NULL};
            assert_int_equal(sim_cluster_run(&question, &answer, reason, sizeof reason), -EPROTO);
            assert_true(strstr(reason, "rank 4") || strstr(reason, "from rank 3")); /* who lacks it, or who got it instead */
        }
}

static void too_long_is_refused(void **state)
{
    (void)state;
    struct schedule schedule;
    struct sim_cluster_answer answer;
    char reason[200] = "";
    assert_int_equal(schedule_init(&schedule, &schedule_bruck, 1 << 20, 0), 0);
    struct sim_cluster_question question = {&networks[0], &schedule, UINT64_C(1) << 40, 0, 1, SIM_ORDER_ROUNDS, NULL, NULL, NULL};
    assert_int_equal(sim_cluster_run(&question, &answer, reason, sizeof reason), -EOVERFLOW);
    assert_non_null(strstr(reason, "53 days"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bruck_is_the_closed_form),    cmocka_unit_test(recursive_doubling_is_the_closed_form),
        cmocka_unit_test(binomial_is_the_closed_form), cmocka_unit_test(ring_is_the_closed_form),
        cmocka_unit_test(others_have_no_closed_form),  cmocka_unit_test(orders_agree_and_keep_causes),
        cmocka_unit_test(faulty_schedules_are_told),   cmocka_unit_test(too_long_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
