/* GOAL programs on nodes whose ranks and NICs share memory: by closed forms, alone as without, and as schedules are simulated. */
#include "memories_case.h"
#include "network_case.h"
#include "tests/model/cmocka_all.h"
#include "tests/sim/goal_case.h"
#include "tests/sim/sim_case.h"

#include "model/formats/presets.h"
#include "sim/goal_run.h"
#include "sim/sim_network.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PPN = 8 };

static void assert_takes(uint64_t got_ps, double want_s)
{
    if (fabs((double)got_ps * 1e-12 - want_s) > 1e-11)
        fail_msg("%.12g s, not %.12g s", (double)got_ps * 1e-12, want_s);
}

/* What a trace has of ranks: how long before their work they were slowed, and that work. */
struct told {
    struct trace_sink sink;
    uint64_t slowed_ps[2 * PPN], work_ps[2 * PPN], bytes[2 * PPN];
};

static void tell(void *context, const struct trace_step *step)
{
    struct told *told = context;
    if (step->stage)
        return;
    told->slowed_ps[step->rank] += step->wait_end_ps - step->start_ps;
    told->work_ps[step->rank] += step->end_ps - step->wait_end_ps;
    told->bytes[step->rank] += step->bytes;
}

static void run(const char *text, const struct goal_network *joined, struct goal_outcome *out)
{
    struct goal_program program;
    char reason[200] = "";
    goal_case_text(text, &program);
    if (goal_run_over(&program, joined, 1, out, reason, sizeof reason))
        fail_msg("%s in\n%s", reason, text);
    goal_program_destroy(&program);
}

/* ---- nodes of two sockets, messages of 1 MB ---- */

struct sockets {
    struct node node;
    struct network network;
    struct sim_fabric fabric;
    struct sim_memories memories;
    struct sim_cluster_cost cost; /* of every message within a node */
    uint32_t copy_class, nic_class;
    struct goal_network joined;
};

static int given(void *context, uint32_t from, uint32_t to, uint64_t bytes, struct sim_cluster_cost *out)
{
    (void)from, (void)to, (void)bytes;
    *out = ((struct sockets *)context)->cost;
    return 0;
}

static uint32_t given_nic(void *context, uint32_t rank, int in)
{
    (void)rank, (void)in;
    return ((struct sockets *)context)->nic_class;
}

static void sockets_create(struct sockets *s)
{
    memories_case_two_sockets(&s->node);
    s->network = network_case_of("switch:L=2us,o=1us,g=0ns,G=0.2ns");
    s->fabric = network_case_fabric(&s->network, 2);
    assert_int_equal(sim_memories_create(&s->memories, &s->node, 2, SIM_CLUSTER_MEMORY_TARGETS), 0);
    s->copy_class = memories_case_copy_class(&s->memories, 0, 0, 0);
    s->nic_class = memories_case_nic_class(&s->memories, 5e9, 0);
    s->cost = (struct sim_cluster_cost){500000000, 1000, 520000000, s->copy_class, SIM_NO_CLASS};
    s->joined = (struct goal_network){.loggp = network_loggp(&s->network), .fabric = &s->fabric, .ppn = PPN, .inside = given,
                                      .memories = &s->memories, .nic_class = given_nic, .context = s};
}

static void sockets_destroy(struct sockets *s)
{
    sim_memories_destroy(&s->memories);
    sim_fabric_destroy(&s->fabric);
    node_destroy(&s->node);
}

/* Each of the first ranks of a node sends one to a rank of the other half. */
static void pairs_text(char *text, size_t text_bytes, uint32_t pairs)
{
    int at = snprintf(text, text_bytes, "num_ranks %d\n", PPN);
    for (uint32_t i = 0; i < pairs; i++)
        at += snprintf(text + at, text_bytes - (size_t)at,
                       "rank %u {\nsend 1000000b to %u\n}\nrank %u {\nrecv 1000000b from %u\n}\n", i, i + 4, i + 4, i);
}

/* So many of n bytes take the sum of their bytes over the bandwidth of so many: if senders copy, and receivers are 20 us behind;
 * if receivers do, as soon as there is something to copy. What is more than alone is told as contention. */
static void copies_take_their_sum_over_the_bandwidth(void **state)
{
    struct sockets s;
    (void)state;
    sockets_create(&s);
    for (uint32_t pairs = 1; pairs <= 4; pairs++) {
        struct goal_outcome out;
        char text[600];
        double copied_s = pairs * 1e6 / node_bandwidth_bytes_per_s(&s.node, pairs);
        pairs_text(text, sizeof text, pairs);
        s.cost = (struct sim_cluster_cost){500000000, 1000, 520000000, s.copy_class, SIM_NO_CLASS};
        struct told told = {.sink = {tell, &told}};
        s.joined.sink = &told.sink;
        run(text, &s.joined, &out);
        s.joined.sink = NULL;
        for (uint32_t i = 0; i < pairs; i++) {
            assert_takes(out.end_ps[i], copied_s);
            assert_takes(out.end_ps[4 + i], copied_s + 20e-6);
            for (uint32_t r = i; r <= i + 4; r += 4) {
                assert_takes(out.spent[r].contention_ps, copied_s - 500e-6);
                assert_int_equal(out.spent[r].contention_ps, told.slowed_ps[r]);
                assert_int_equal(out.spent[r].busy_ps, r == i ? 500000000 : 1000);
                assert_int_equal(out.spent[r].busy_ps, told.work_ps[r]);
                assert_int_equal(told.bytes[r], 1000000);
            }
        }
        goal_outcome_destroy(&out);
        s.cost = (struct sim_cluster_cost){1000, 500000000, 500020000, SIM_NO_CLASS, s.copy_class};
        run(text, &s.joined, &out);
        for (uint32_t i = 0; i < pairs; i++) {
            assert_int_equal(out.end_ps[i], 1000);
            assert_takes(out.end_ps[4 + i], 20e-9 + copied_s);
            assert_int_equal(out.spent[4 + i].busy_ps, 500000000);
        }
        goal_outcome_destroy(&out);
    }
    sockets_destroy(&s);
}

/* What a processor is wanted for while it copies it does afterwards, in that order: a second message, then a calculation; and at
 * the other end each message is taken behind the one before. */
static void what_wants_a_copying_processor_waits(void **state)
{
    struct sockets s;
    struct goal_outcome out;
    (void)state;
    sockets_create(&s);
    run("num_ranks 8\nrank 0 {\nsend 1000000b to 4 tag 1\nsend 1000000b to 4 tag 2\ncalc 5000\n}\n"
        "rank 1 {\nsend 1000000b to 5\n}\nrank 4 {\nrecv 1000000b from 0 tag 1\nrecv 1000000b from 0 tag 2\n}\n"
        "rank 5 {\nrecv 1000000b from 1\n}\n",
        &s.joined, &out);
    double both_s = 2e6 / 3e9; /* then rank 0's other one goes alone */
    assert_takes(out.times[0].end_ps, both_s);
    assert_int_equal(out.times[1].begin_ps, out.times[0].end_ps);
    assert_takes(out.times[1].end_ps, both_s + 500e-6);
    assert_int_equal(out.times[2].begin_ps, out.times[1].end_ps);
    assert_int_equal(out.times[2].end_ps, out.times[1].end_ps + 5000000);
    assert_takes(out.times[4].end_ps, both_s + 20e-6);
    assert_takes(out.times[5].end_ps, both_s + 520e-6);
    assert_takes(out.times[6].end_ps, both_s + 20e-6);
    goal_outcome_destroy(&out);
    sockets_destroy(&s);
}

/* Four copies want 8 GB/s of 4, and a NIC of 5 GB/s wants a third of that more: of 29/3 all get 12/29. The message's last byte,
 * which has all links behind it, comes that much later; and with no copies, as if nobody shared anything. */
static void a_nic_waits_for_memory(void **state)
{
    static const char message[] = "num_ranks 16\nrank 8 {\nsend 1000001b to 7\n}\nrank 7 {\nrecv 1000001b from 8\n}\n";
    struct sockets s;
    struct goal_outcome out;
    char text[900];
    (void)state;
    sockets_create(&s);
    run(message, &s.joined, &out);
    assert_int_equal(out.time_ps, 4000000 + 200000000);
    goal_outcome_destroy(&out);
    s.cost = (struct sim_cluster_cost){5000000000, 1000, 5020000000, s.copy_class, SIM_NO_CLASS};
    int at = snprintf(text, sizeof text, "%s", message);
    for (int i = 0; i < 4; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "rank %d {\nsend 1b to %d\nrecv 1b from %d\n}\n", i, i, i);
    run(text, &s.joined, &out);
    assert_takes(out.end_ps[8], 1e-6);
    assert_takes(out.end_ps[7], 4e-6 + 200e-6 * 29 / 12);
    assert_takes(out.spent[7].contention_ps, 200e-6 * 17 / 12);
    goal_outcome_destroy(&out);
    sockets_destroy(&s);
}

static void what_is_too_long_is_refused(void **state)
{
    struct sockets s;
    struct goal_program program;
    struct goal_outcome out;
    char text[600], reason[200] = "";
    (void)state;
    sockets_create(&s);
    pairs_text(text, sizeof text, 1);
    goal_case_text(text, &program);
    s.cost.send_ps = s.cost.time_ps = UINT64_C(1) << 47;
    assert_int_equal(goal_run_over(&program, &s.joined, 0, &out, reason, sizeof reason), -EOVERFLOW);
    assert_non_null(strstr(reason, "longer than two minutes"));
    goal_program_destroy(&program);
    sockets_destroy(&s);
}

/* ---- described nodes ---- */

struct described {
    struct sim_case c;
    struct sim_network costs;
    struct sim_fabric fabric;
    struct loggp loggp;
};

static void described_create(struct described *d, const char *preset, const struct network *network, uint32_t procs, uint32_t ppn)
{
    char reason[200] = "";
    sim_case_preset(&d->c, preset);
    sim_case_bcast(&d->c, SIM_CASE_RANKS, 0, 8192, 8, 2);
    for (uint32_t r = 0; r < SIM_CASE_RANKS; r++)
        d->c.core_of_rank[r] = r % ppn;
    d->c.scenario.machine = (struct machine){&d->c.node, (procs - 1) / ppn + 1, network, ppn, 1};
    d->c.scenario.job = (struct job){.kind = JOB_ALLGATHER, .procs = procs};
    d->loggp = network_loggp(network);
    d->fabric = network_case_fabric(network, (procs - 1) / ppn + 1);
    if (sim_network_costs_create(&d->costs, &d->c.scenario, reason, sizeof reason))
        fail_msg("%s", reason);
    d->costs.nodes.fabric = &d->fabric;
}

static struct goal_network joined_of(const struct described *d, int shares)
{
    const struct sim_cluster_nodes *n = &d->costs.nodes;
    return (struct goal_network){.loggp = d->loggp, .fabric = n->fabric, .ppn = n->ppn, .inside = n->inside,
                                 .memories = shares ? n->memories : NULL, .nic_class = n->nic_class, .context = n->context};
}

static void described_destroy(struct described *d)
{
    sim_network_destroy(&d->costs);
    sim_fabric_destroy(&d->fabric);
    sim_case_destroy(&d->c);
}

/* Within a node, between all its cores, and over a network that is no faster than memory: of every size to the picosecond. */
static void one_message_takes_as_long_as_ever(void **state)
{
    struct network network = network_case_of("switch:L=1.7us,o=0.3us,g=50ns,G=0.69ns");
    (void)state;
    for (size_t p = 0; p < preset_count(); p++)
        for (uint64_t bytes = 1; bytes < 1 << 26; bytes *= 37)
            for (uint32_t to = 1; to <= 2; to++) {
                struct described d;
                struct goal_outcome out[2];
                char text[200];
                described_create(&d, preset_name(p), &network, 4, 2);
                d.c.core_of_rank[1] = bytes % 2 ? d.c.node.cores - 1 : 1;
                snprintf(text, sizeof text, "num_ranks 4\nrank 0 {\nsend %lub to %u\n}\nrank %u {\nrecv %lub from 0\n}\n", bytes,
                         to, to, bytes);
                struct goal_network alone = joined_of(&d, 0);
                run(text, &alone, &out[0]);
                assert_int_equal(sim_network_share_memory(&d.costs), 0);
                struct goal_network shared = joined_of(&d, 1);
                run(text, &shared, &out[1]);
                if (out[0].time_ps != out[1].time_ps)
                    fail_msg("%s, %lu bytes to %u: %lu ps, alone %lu", preset_name(p), bytes, to, out[1].time_ps, out[0].time_ps);
                assert_memory_equal(out[0].times, out[1].times, 2 * sizeof *out[0].times);
                assert_memory_equal(out[0].spent, out[1].spent, 4 * sizeof *out[0].spent);
                goal_outcome_destroy(&out[0]);
                goal_outcome_destroy(&out[1]);
                described_destroy(&d);
            }
}

/* Moves within ranks, which programs have not, cost nothing. */
static int no_move(void *context, uint32_t rank, uint64_t bytes, uint64_t copies, struct sim_cluster_cost *out)
{
    (void)context, (void)rank, (void)bytes, (void)copies;
    *out = (struct sim_cluster_cost){.send_class = SIM_NO_CLASS};
    return 0;
}

/* Every rank ends when it does without GOAL. Whether anything waited for memory. */
static int as_goal(struct described *d, const struct schedule_algorithm *algorithm, uint32_t procs, uint64_t bytes)
{
    struct schedule schedule;
    struct sim_cluster_answer want;
    struct goal_program program;
    struct goal_outcome got[2];
    uint64_t end_ps[SIM_CASE_RANKS];
    char reason[200] = "";
    struct sim_cluster_nodes nodes = d->costs.nodes;
    nodes.move = no_move;
    assert_int_equal(schedule_init(&schedule, algorithm, procs, 0), 0);
    struct sim_cluster_question question = {.loggp = &d->loggp, .schedule = &schedule, .size_bytes = bytes,
                                            .order = SIM_ORDER_RADIX, .nodes = &nodes, .end_ps = end_ps};
    sim_fabric_reset(&d->fabric);
    if (sim_cluster_run(&question, &want, reason, sizeof reason))
        fail_msg("%s", reason);
    goal_case_schedule(&schedule, bytes, &program);
    for (int shares = 0; shares < 2; shares++) {
        struct goal_network joined = joined_of(d, shares);
        if (goal_run_over(&program, &joined, 0, &got[shares], reason, sizeof reason))
            fail_msg("%s", reason);
    }
    for (uint32_t r = 0; r < procs; r++)
        if (got[1].end_ps[r] != end_ps[r])
            fail_msg("%s of %u ranks, %lu B: rank %u ends at %lu ps, as GOAL at %lu", algorithm->name, procs, bytes, r, end_ps[r],
                     got[1].end_ps[r]);
    assert_int_equal(got[1].messages, want.messages);
    assert_int_equal(got[1].bytes, want.bytes_received);
    int slower = got[1].time_ps > got[0].time_ps;
    assert_true(got[1].time_ps >= got[0].time_ps);
    goal_outcome_destroy(&got[0]);
    goal_outcome_destroy(&got[1]);
    goal_program_destroy(&program);
    return slower;
}

static void schedules_take_as_long(void **state)
{
    static const struct schedule_algorithm *const algorithms[] = {
        &schedule_ring, &schedule_recursive_doubling, &schedule_bruck, &schedule_sparbit, &schedule_neighbour_exchange,
        &schedule_binomial, &schedule_scatter_allgather};
    static const char *const presets[] = {"harpertown-2x4", "nehalem-2x4"};
    struct network networks[] = {network_case_of("switch:L=1.7us,o=0.3us,g=50ns,G=0.69ns"),
                                 network_case_of("switch:L=0.9us,o=0.2us,g=30ns,G=0.043ns")};
    int slower = 0, all = 0;
    (void)state;
    for (int p = 0; p < 2; p++)
        for (int n = 0; n < 2; n++)
            for (size_t a = 0; a < sizeof algorithms / sizeof *algorithms; a++)
                for (uint64_t bytes = 41; bytes < 1 << 21; bytes *= 41) {
                    struct described d;
                    described_create(&d, presets[p], &networks[n], SIM_CASE_RANKS, PPN);
                    assert_int_equal(sim_network_share_memory(&d.costs), 0);
                    slower += as_goal(&d, algorithms[a], SIM_CASE_RANKS, bytes);
                    all++;
                    described_destroy(&d);
                }
    assert_true(slower > all / 4 && slower < all); /* both happen */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_take_their_sum_over_the_bandwidth),
        cmocka_unit_test(what_wants_a_copying_processor_waits),
        cmocka_unit_test(a_nic_waits_for_memory),
        cmocka_unit_test(what_is_too_long_is_refused),
        cmocka_unit_test(one_message_takes_as_long_as_ever),
        cmocka_unit_test(schedules_take_as_long),
    };
    return cmocka_run_group_tests_name("goal_memory", tests, NULL, NULL);
}
