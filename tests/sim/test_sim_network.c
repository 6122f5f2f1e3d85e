/* Collectives of ranks that share nodes: without contention the sum of their parts, to the picosecond; between nodes as many
 * bytes as the schedule says; with a shared NIC as slow as its bytes are. */
#include "network_case.h"
#include "tests/model/cmocka_all.h"
#include "tests/sim/sim_case.h"

#include "model/message_cost.h"
#include "sim/sim_network.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PPN = 8 };

/* Ranks fill node after node, each rank a core. */
static void cluster_case(struct sim_case *c, const struct network *network, uint32_t procs, uint32_t ppn, uint32_t levels,
                         const struct schedule_algorithm *algorithm, uint64_t bytes)
{
    sim_case_preset(c, "nehalem-2x4");
    sim_case_bcast(c, SIM_CASE_RANKS, 0, 4096, 16, 2);
    for (uint32_t r = 0; r < SIM_CASE_RANKS; r++)
        c->core_of_rank[r] = r % ppn;
    assert_true(procs <= SIM_CASE_RANKS);
    c->scenario.machine = (struct machine){&c->node, (procs - 1) / ppn + 1, network, ppn, levels};
    c->scenario.algorithm = algorithm;
    c->scenario.job = (struct job){.kind = JOB_BCAST, .procs = procs, .bcast = {bytes, 0}};
    if (algorithm->kind == SCHEDULE_ALLGATHER)
        c->scenario.job = (struct job){.kind = JOB_ALLGATHER, .procs = procs, .allgather = {bytes, 0}};
    c->scenario.params_gather = c->scenario.params;
    c->scenario.params_gather.protocol = &protocol_direct;
}

/* What happens within one node, by its own simulation. */
static uint64_t node_time_ps(const struct sim_case *c, struct job job, struct params params)
{
    struct sim_case inner = *c;
    inner.scenario.placement.core_of_rank = inner.core_of_rank;
    inner.scenario.machine = (struct machine){&inner.node, 1, NULL, 0, 0};
    inner.scenario.algorithm = NULL;
    inner.scenario.job = job;
    inner.scenario.params = params;
    return job.procs > 1 && job_size_bytes(&job) ? sim_case_time_ps(&inner) : 0;
}

static uint64_t closed_ps(const struct network *network, const struct schedule_algorithm *algorithm, uint32_t procs,
                          uint64_t bytes)
{
    struct loggp p = network_loggp(network);
    struct schedule schedule;
    uint64_t time_ps;
    assert_int_equal(schedule_init(&schedule, algorithm, procs, 0), 0);
    assert_int_equal(loggp_schedule_ps(&p, &schedule, bytes, &time_ps), 0);
    return time_ps;
}

static const char *const networks[] = {"loggp", "switch:L=1.3us,o=250ns,g=70ns,G=0.571429ns"};

/* The last to get it is as far from the root as any, and has all the others of its node still to serve. */
static void bcast_in_two_levels_is_its_parts(void **state)
{
    (void)state;
    for (size_t n = 0; n < 2; n++)
        for (uint32_t nodes = 1; nodes <= 8; nodes++)
            for (uint64_t bytes = 0; bytes < 1 << 20; bytes = bytes * 17 + 3) {
                struct network network = network_case_of(networks[n]);
                struct sim_case c;
                cluster_case(&c, &network, nodes * PPN, PPN, 2, &schedule_binomial, bytes);
                uint64_t node_ps =
                    node_time_ps(&c, (struct job){.kind = JOB_BCAST, .procs = PPN, .bcast = {bytes, 0}}, c.scenario.params);
                assert_int_equal(sim_case_time_ps(&c), closed_ps(&network, &schedule_binomial, nodes, bytes) + node_ps);
                sim_case_destroy(&c);
            }
}

/* The root is not the first of its node, and the last node has fewer ranks. */
static void bcast_from_the_middle(void **state)
{
    (void)state;
    struct network network = network_case_of("loggp:L=1ns,o=1ns,g=0ns,G=0ps"); /* so the root's node, which has more ranks, is
                                                                                  last */
    struct sim_case c;
    cluster_case(&c, &network, PPN + 3, PPN, 2, &schedule_binomial, 70000);
    c.scenario.job.bcast.root = 2;
    uint64_t there_ps = closed_ps(&network, &schedule_binomial, 2, 70000);
    uint64_t few_ps = node_time_ps(&c, (struct job){.kind = JOB_BCAST, .procs = 3, .bcast = {70000, 0}}, c.scenario.params);
    uint64_t root_ps = node_time_ps(&c, (struct job){.kind = JOB_BCAST, .procs = PPN, .bcast = {70000, 2}}, c.scenario.params);
    uint64_t send_ps = network_loggp(&network).overhead_ps; /* the root goes on once it has sent */
    assert_true(send_ps + root_ps > there_ps + few_ps);
    assert_int_equal(sim_case_time_ps(&c), send_ps + root_ps);
    network = network_case_of("loggp");
    assert_int_equal(sim_case_time_ps(&c), closed_ps(&network, &schedule_binomial, 2, 70000) + few_ps);
    sim_case_destroy(&c);
}

static void allgather_in_two_levels_is_its_parts(void **state)
{
    static const struct schedule_algorithm *const algorithms[] = {&schedule_ring, &schedule_bruck, &schedule_recursive_doubling};
    (void)state;
    for (size_t n = 0; n < 2; n++)
        for (uint32_t nodes = 1; nodes <= 8; nodes *= 2)
            for (int a = 0; a < 3; a++) {
                struct network network = network_case_of(networks[n]);
                struct sim_case c;
                uint64_t bytes = 3001;
                cluster_case(&c, &network, nodes * PPN, PPN, 2, algorithms[a], bytes);
                struct job gather = {.kind = JOB_ALLGATHER, .procs = PPN, .allgather = {bytes, 0}};
                struct job spread = {.kind = JOB_BCAST, .procs = PPN, .bcast = {bytes * PPN * (nodes - 1), 0}};
                uint64_t want_ps = node_time_ps(&c, gather, c.scenario.params_gather) +
                                   closed_ps(&network, algorithms[a], nodes, bytes * PPN) +
                                   node_time_ps(&c, spread, c.scenario.params);
                assert_int_equal(sim_case_time_ps(&c), want_ps);
                sim_case_destroy(&c);
            }
}

/* ---- flat ---- */

/* Blocks that cross nodes, by the schedule alone. */
static uint64_t blocks_between(const struct schedule *schedule, uint32_t ppn)
{
    uint64_t blocks = 0;
    for (uint32_t r = 0; r < schedule->procs; r++)
        for (uint32_t k = 0; k < schedule_steps(schedule, r); k++) {
            struct schedule_step step;
            schedule_step(schedule, r, k, &step);
            if (step.op == SCHEDULE_EXCHANGE && step.send_to != SCHEDULE_NONE && step.send_to / ppn != r / ppn)
                blocks += step.send.count;
        }
    return blocks;
}

static void bytes_between_nodes_are_the_schedules(void **state)
{
    static const uint32_t ppns[] = {1, 2, 3, 8};
    (void)state;
    for (size_t a = 0; schedule_table[a]; a++)
        for (size_t i = 0; i < 4; i++) {
            const struct schedule_algorithm *algorithm = schedule_table[a];
            struct network network = network_case_of("switch");
            struct sim_network simulated;
            struct sim_case c;
            char reason[200] = "";
            uint64_t time_ps;
            if (algorithm->kind != SCHEDULE_ALLGATHER)
                continue;
            cluster_case(&c, &network, 64, ppns[i], 1, algorithm, 100);
            assert_int_equal(sim_network_create(&simulated, &c.scenario, reason, sizeof reason), 0);
            assert_int_equal(sim_network_call(&simulated, 1, NULL, &time_ps, reason, sizeof reason), 0);
            assert_int_equal(simulated.answer.bytes_between, 100 * blocks_between(&simulated.schedule, ppns[i]));
            assert_int_equal(simulated.answer.bytes_sent, 100 * 64 * 63);
            sim_network_destroy(&simulated);
            sim_case_destroy(&c);
        }
}

/* What a node's other ranks cost, as the simulator asks it. */
static struct sim_cluster_cost inside_of(struct message_costs *costs, uint32_t from_core, uint32_t to_core, uint64_t bytes)
{
    struct message m = {.from_core = from_core, .to_core = to_core, .run_bytes = bytes, .runs = 1, .target_cold = 1};
    struct sim_cluster_cost cost = {(uint64_t)llround(message_sender_s(costs, &m) * 1e12),
                                    (uint64_t)llround(message_receiver_s(costs, &m) * 1e12),
                                    (uint64_t)llround(message_time_s(costs, &m) * 1e12), SIM_NO_CLASS, SIM_NO_CLASS};
    return cost;
}

/* Round by round, of a schedule in which all ranks have all rounds: messages are only as late as their senders. */
static uint64_t round_by_round_ps(const struct network *network, struct message_costs *costs, const struct schedule *schedule,
                                  uint64_t block)
{
    struct loggp p = network_loggp(network);
    struct loggp_rank rank[SIM_CASE_RANKS] = {0};
    uint64_t there_ps[SIM_CASE_RANKS], end_ps = 0;
    uint32_t rounds = schedule_steps(schedule, 0); /* rank 0 has no rotation at the end */
    for (uint32_t k = 0; k < rounds; k++) {
        struct schedule_step step;
        for (uint32_t r = 0; r < schedule->procs; r++) {
            schedule_step(schedule, r, k, &step);
            if (step.send_to / PPN != r / PPN) {
                there_ps[r] = loggp_send(&p, &rank[r], step.send.count * block);
                continue;
            }
            struct sim_cluster_cost cost = inside_of(costs, r % PPN, step.send_to % PPN, step.send.count * block);
            there_ps[r] = rank[r].free_ps + cost.time_ps;
            rank[r].free_ps += cost.send_ps;
        }
        for (uint32_t r = 0; r < schedule->procs; r++) {
            schedule_step(schedule, r, k, &step);
            uint32_t from = step.receive_from;
            uint64_t bytes = step.receive.count * block;
            if (from / PPN != r / PPN)
                loggp_receive(&p, &rank[r], there_ps[from], bytes);
            else
                rank[r].free_ps = loggp_later_ps(
                    rank[r].free_ps + inside_of(costs, from % PPN, r % PPN, bytes).receive_ps, there_ps[from]);
        }
    }
    for (uint32_t r = 0; r < schedule->procs; r++)
        end_ps = loggp_later_ps(end_ps, rank[r].free_ps);
    return end_ps;
}

/* Contention-free, so that rounds may be summed one after the other; and of a ring no link is shared on a switch either, nor
 * memory if it knows no limit. */
static void flat_is_its_rounds(void **state)
{
    static const struct schedule_algorithm *const algorithms[] = {&schedule_ring, &schedule_recursive_doubling, &schedule_bruck};
    (void)state;
    for (int a = 0; a < 3; a++)
        for (uint64_t bytes = 1; bytes < 100000; bytes *= 11) {
            struct network network = network_case_of("loggp:L=1.3us,o=250ns,g=70ns,G=0.571429ns"),
                           shared = network_case_of(networks[1]);
            struct schedule schedule;
            struct sim_network simulated;
            struct sim_case c;
            char reason[200] = "";
            uint32_t procs = a == 2 ? 64 : 32;
            cluster_case(&c, &network, procs, PPN, 1, algorithms[a], bytes);
            c.scenario.params.fragment_bytes = 8192;
            assert_int_equal(schedule_init(&schedule, algorithms[a], procs, 0), 0);
            assert_int_equal(sim_network_create(&simulated, &c.scenario, reason, sizeof reason), 0);
            uint64_t want_ps = round_by_round_ps(&network, &simulated.costs, &schedule, bytes);
            sim_network_destroy(&simulated);
            assert_int_equal(sim_case_time_ps(&c), want_ps);
            c.scenario.machine.network = &shared;
            c.node.bandwidth_count = 0;
            c.node.link_bytes_per_s = quantity_unknown();
            uint64_t shared_ps = sim_case_time_ps(&c);
            assert_true(a == 0 ? shared_ps == want_ps : shared_ps > want_ps);
            sim_case_destroy(&c);
        }
}

/* Long blocks by recursive doubling: what the busiest NIC has to pass decides; 64 ranks on 8 nodes, 448 blocks a NIC. */
static void a_shared_nic_is_as_slow_as_its_bytes(void **state)
{
    (void)state;
    struct network network = network_case_of("switch:L=1us,o=1us,g=0ns,G=8ns");
    struct sim_case c;
    cluster_case(&c, &network, 64, PPN, 1, &schedule_recursive_doubling, 1 << 20);
    double nic_s = 448 * (double)(1 << 20) * 8e-9, time_s = (double)sim_case_time_ps(&c) * 1e-12;
    assert_true(time_s > nic_s && time_s < 1.02 * nic_s);
    sim_case_destroy(&c);
}

/* A numbering that gives neighbours of a schedule to one node: an eighth of the blocks goes between nodes (n (h - 1)). */
static void a_numbering_keeps_blocks_within_nodes(void **state)
{
    (void)state;
    uint32_t to_virtual[64], to_rank[64];
    for (uint32_t r = 0; r < 64; r++) {
        to_virtual[r] = r % 8 * 8 + r / 8;
        to_rank[to_virtual[r]] = r;
    }
    struct numbering numbering = {.virtual_of_rank = to_virtual, .rank_of_virtual = to_rank};
    struct network network = network_case_of("switch:L=1us,o=1us,g=0ns,G=8ns");
    struct sim_network n;
    struct sim_case c;
    char reason[200] = "";
    uint64_t plain_ps, numbered_ps;
    cluster_case(&c, &network, 64, PPN, 1, &schedule_bruck, 65536);
    assert_int_equal(sim_network_create(&n, &c.scenario, reason, sizeof reason), 0);
    assert_int_equal(sim_network_call(&n, 1, NULL, &plain_ps, reason, sizeof reason), 0);
    assert_int_equal(n.answer.bytes_between, UINT64_C(3752) * 65536);
    n.nodes.numbering = &numbering;
    assert_int_equal(sim_network_call(&n, 1, NULL, &numbered_ps, reason, sizeof reason), 0);
    assert_int_equal(n.answer.bytes_between, 64 * 7 * 65536);
    assert_true(numbered_ps < plain_ps / 4);
    sim_network_destroy(&n);
    sim_case_destroy(&c);
}

struct levels {
    uint64_t messages[2], blocks[2]; /* within nodes, between them */
};

/* Straight from the steps that ranks take. */
static struct levels levels_counted(const struct schedule *schedule, const struct numbering *numbering, uint32_t ppn)
{
    struct levels sums = {{0, 0}, {0, 0}};
    for (uint32_t r = 0; r < schedule->procs; r++)
        for (uint32_t k = 0; k < schedule_steps_numbered(schedule, numbering, r); k++) {
            struct schedule_step step;
            schedule_step_numbered(schedule, numbering, r, k, &step);
            if (step.send_to == SCHEDULE_NONE)
                continue;
            sums.messages[step.send_to / ppn != r / ppn]++;
            sums.blocks[step.send_to / ppn != r / ppn] += step.send.count;
        }
    return sums;
}

/* Which sums up rounds. */
static void model_counts_as_well(struct scenario *s, const struct levels *want)
{
    struct outcome out;
    s->variant = "extended";
    assert_int_equal(evaluator_model.evaluate(s, NULL, &out), 0);
    assert_true(out.levels_counted && out.time_s > 0);
    assert_int_equal(out.messages_inside, want->messages[0]);
    assert_int_equal(out.messages_between, want->messages[1]);
    assert_int_equal(out.bytes_inside, want->blocks[0] * 1000);
    assert_int_equal(out.bytes_between, want->blocks[1] * 1000);
    outcome_destroy(&out);
}

static void levels_of_random_numberings_are_the_graphs_cut(void **state)
{
    static const uint32_t counts[] = {2, 5, 8, 16, 24, 32};
    uint32_t to_virtual[32], to_rank[32];
    (void)state;
    srand(5);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (const struct schedule_algorithm *const *a = schedule_table; *a; a++)
            for (int remap = NUMBERING_EXCH; remap <= NUMBERING_REORDER; remap++) {
                uint32_t procs = counts[i];
                struct network network = network_case_of(networks[1]);
                struct schedule schedule;
                struct outcome out;
                struct sim_case c;
                if ((*a)->kind != SCHEDULE_ALLGATHER ||
                    schedule_init_regions(&schedule, *a, procs, 0, schedule_region(procs, PPN)))
                    continue;
                for (uint32_t r = 0; r < procs; r++) {
                    uint32_t other = (uint32_t)rand() % (r + 1);
                    to_virtual[r] = to_virtual[other];
                    to_virtual[other] = r;
                }
                for (uint32_t r = 0; r < procs; r++)
                    to_rank[to_virtual[r]] = r;
                struct numbering n = {.virtual_of_rank = to_virtual, .rank_of_virtual = to_rank,
                                      .remap = (enum numbering_remap)remap};
                struct levels want = levels_counted(&schedule, &n, PPN);
                cluster_case(&c, &network, procs, PPN, 1, *a, 1000);
                c.scenario.numbering = &n;
                assert_int_equal(evaluator_sim.evaluate(&c.scenario, NULL, &out), 0);
                assert_true(out.levels_counted);
                assert_int_equal(out.messages_inside, want.messages[0]);
                assert_int_equal(out.messages_between, want.messages[1]);
                assert_int_equal(out.bytes_inside, want.blocks[0] * 1000);
                assert_int_equal(out.bytes_between, want.blocks[1] * 1000);
                model_counts_as_well(&c.scenario, &want);
                outcome_destroy(&out);
                sim_case_destroy(&c);
            }
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    struct network network = network_case_of("switch");
    struct outcome out;
    struct sim_case c;
    cluster_case(&c, &network, 20, PPN, 2, &schedule_ring, 10);
    assert_int_equal(evaluator_sim.evaluate(&c.scenario, NULL, &out), -EINVAL);
    assert_non_null(strstr(out.reason, "20 are no multiple of 8"));
    outcome_destroy(&out);
    sim_case_destroy(&c);
    cluster_case(&c, &network, 24, PPN, 2, &schedule_recursive_doubling, 10);
    assert_int_equal(evaluator_sim.evaluate(&c.scenario, NULL, &out), -EINVAL);
    assert_non_null(strstr(out.reason, "needs a power of two of ranks, here of nodes"));
    outcome_destroy(&out);
    sim_case_destroy(&c);
    cluster_case(&c, &network, 16, PPN, 1, &schedule_ring, 10);
    c.core_of_rank[1] = 0;
    assert_int_equal(evaluator_sim.evaluate(&c.scenario, NULL, &out), -ENOTSUP);
    assert_non_null(strstr(out.reason, "ranks 0 and 1 share core 0"));
    outcome_destroy(&out);
    c.core_of_rank[1] = 1;
    c.node.copy[COPY_OUT_COLD].s_per_byte = quantity_unknown();
    assert_int_equal(evaluator_sim.evaluate(&c.scenario, NULL, &out), -ENOTSUP);
    assert_non_null(strstr(out.reason, "calibrate it"));
    outcome_destroy(&out);
    sim_case_destroy(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bcast_in_two_levels_is_its_parts),      cmocka_unit_test(bcast_from_the_middle),
        cmocka_unit_test(allgather_in_two_levels_is_its_parts),  cmocka_unit_test(bytes_between_nodes_are_the_schedules),
        cmocka_unit_test(flat_is_its_rounds),                    cmocka_unit_test(a_shared_nic_is_as_slow_as_its_bytes),
        cmocka_unit_test(a_numbering_keeps_blocks_within_nodes),
        cmocka_unit_test(levels_of_random_numberings_are_the_graphs_cut), cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
