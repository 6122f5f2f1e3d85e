/* network_rounds: the closed form where all ranks do the same, by hand where a node's ranks share its NIC and memory, and counts
 * of every step. */
#include "model/network.h"
#include "model/network_rounds.h"
#include "model/schedule.h"
#include "tests/model/cmocka_all.h"
#include "tests/model/nodes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct setup {
    struct test_bed bed;
    struct network network;
    struct scenario scenario;
};

static void set_up(struct setup *u, const char *network, const struct schedule_algorithm *algorithm, uint32_t procs, uint32_t ppn,
                   uint64_t block)
{
    char reason[200];
    assert_int_equal(network_parse(network, &u->network, reason, sizeof reason), 0);
    u->scenario = test_bed_described(&u->bed, TEST_BED_RANKS_MAX, 1, 64, 4, 1);
    for (int c = 0; c < COPY_CLASS_COUNT; c++)
        u->bed.node.copy[c] = (struct copy_cost){quantity_of(10, "assumed"), quantity_of(1e-10, "assumed")};
    u->scenario.job = (struct job){.kind = JOB_ALLGATHER, .procs = procs, .allgather = {.block_bytes = block}};
    u->scenario.machine.network = &u->network;
    u->scenario.machine.nodes = (procs - 1) / ppn + 1;
    u->scenario.machine.ppn = ppn;
    u->scenario.machine.levels = 1;
    u->scenario.algorithm = algorithm;
    u->scenario.params.fragment_bytes = 4096;
    u->scenario.params.slots = 16;
}

static struct network_rounds sum_of(struct setup *u)
{
    struct network_rounds out;
    char reason[200] = "";
    int err = network_rounds_sum(&u->scenario, &out, reason, sizeof reason);
    if (err)
        fail_msg("%s of %u ranks: %d, %s", u->scenario.algorithm->name, u->scenario.job.procs, err, reason);
    test_bed_destroy(&u->bed);
    return out;
}

static void the_closed_form_where_there_is_one(void **state)
{
    static const char *const networks[] = {"loggp", "loggp:L=1us,o=300ns,g=700ns,G=571ps,gr=900ns",
                                           "loggp:L=1ns,o=1ns,g=5us,G=3ps,gr=7us"};
    static const struct schedule_algorithm *const algorithms[] = {&schedule_ring, &schedule_recursive_doubling, &schedule_bruck};
    static const uint32_t counts[] = {1, 2, 3, 8, 37, 64, 100};
    static const uint64_t blocks[] = {1, 1000, 123457};
    (void)state;
    for (size_t i = 0; i < 3 * 3 * 7 * 3; i++) {
        uint32_t procs = counts[i / 9 % 7];
        uint64_t block = blocks[i / 63], want_ps;
        struct schedule schedule;
        struct setup u;
        if (schedule_init(&schedule, algorithms[i % 3], procs, 0))
            continue;
        set_up(&u, networks[i / 3 % 3], algorithms[i % 3], procs, 1, block);
        struct loggp loggp = network_loggp(&u.network);
        assert_int_equal(loggp_schedule_ps(&loggp, &schedule, block, &want_ps), 0);
        assert_int_equal(sum_of(&u).time_ps, want_ps);
    }
}

/* 1001 bytes stream for 1 us, two blocks for 2.001 us; 1.2 us is the way. */
static void ranks_of_a_node_share_its_nic(void **state)
{
    static const char network[] = "switch:L=1us,o=100ns,g=50ns,G=1ns,gr=60ns";
    struct setup u;
    (void)state;
    set_up(&u, network, &schedule_ring, 4, 2, 1001);
    assert_int_equal(sum_of(&u).time_ps, 3 * 2200000);
    set_up(&u, network, &schedule_recursive_doubling, 4, 2, 1001);
    uint64_t doubling_ps = sum_of(&u).time_ps, between_ps = 1200000 + 2 * 2001000 + 60000; /* the receiving NIC pauses longer */
    assert_true(doubling_ps > between_ps && doubling_ps < between_ps + 2200000);
    set_up(&u, "loggp:L=1us,o=100ns,g=50ns,G=1ns,gr=60ns", &schedule_recursive_doubling, 4, 2, 1001);
    assert_int_equal(doubling_ps - sum_of(&u).time_ps, 2001000 + 60000); /* each has a port */
    set_up(&u, network, &schedule_locality_bruck, 4, 2, 1001);
    assert_int_equal(sum_of(&u).bytes_between, 2 * 2 * 1001);
}

/* A node of one memory, and caches that two cores share; so many bytes a second by one core, half as many by more, or over the
 * link. */
static void memory_of(struct setup *u, uint32_t sockets, int by_link, double bytes_per_s)
{
    struct node *n = &u->bed.node;
    n->sockets = sockets;
    for (uint32_t c = 0; c < n->cores; c++) {
        n->core_cache[c] = c / 2;
        n->core_socket[c] = c / 4 % sockets;
    }
    if (by_link)
        n->link_bytes_per_s = quantity_of(bytes_per_s, "assumed");
    n->bandwidth = by_link ? NULL : calloc(2, sizeof *n->bandwidth);
    n->bandwidth_count = by_link ? 0 : 2;
    for (uint32_t i = 0; i < n->bandwidth_count; i++)
        n->bandwidth[i] = (struct bandwidth_point){i + 1, quantity_of(bytes_per_s / (i + 1), "assumed")};
}

/* Memory of half the speed takes as much longer as what passes it. Blocks of 3000 bytes: a block read is 1000 bytes copied, one
 * written 2000. Of two caches are 6 of 7 blocks that a rank gets by recursive doubling, and 6.5 by Bruck. A whole node has half
 * the speed. */
static void what_loads_memory_takes_its_time(void **state)
{
    static const struct {
        const struct schedule_algorithm *algorithm;
        const char *network;
        uint32_t ppn, sockets;
        int by_link, cold;
        uint64_t llc_bytes, want_ns;
    } cases[] = {
        {&schedule_recursive_doubling, "switch", 8, 2, 0, 0, 0, 8 * 6 * 1000},                    /* read over the bus */
        {&schedule_recursive_doubling, "switch", 8, 1, 0, 0, 0, 0},                               /* there is none */
        {&schedule_recursive_doubling, "loggp", 8, 2, 0, 0, 0, 0},                                /* which shares nothing */
        {&schedule_recursive_doubling, "switch", 8, 2, 0, 1, 0, 8 * (6 * 3000 + 2000)},           /* and written to memory */
        {&schedule_recursive_doubling, "switch", 8, 1, 0, 1, 0, 8 * 7 * 2000},                    /* only that */
        {&schedule_bruck, "switch", 8, 2, 0, 0, 60000, 8 * 6500 + 7 * 8 * 3000},                  /* all but rank 0 rotate */
        /* by NICs, both ways */
        {&schedule_recursive_doubling, "switch:L=1us,o=0ns,g=0ns,G=0ns", 4, 1, 0, 0, 0, 2 * 4 * 4 * 1000 / 2},
        {&schedule_recursive_doubling, "switch", 8, 2, 1, 0, 0, 4 * 4 * 3000 / 2},                /* into a socket */
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t time_ps[2];
        for (int fast = 0; fast < 2; fast++) {
            struct setup u;
            set_up(&u, cases[i].network, cases[i].algorithm, 8, cases[i].ppn, 3000);
            memory_of(&u, cases[i].sockets, cases[i].by_link, fast ? 2e9 : 1e9);
            u.bed.node.llc_bytes = cases[i].llc_bytes;
            u.scenario.conditions.buffers = cases[i].cold ? BUFFERS_COLD : BUFFERS_WARM;
            time_ps[fast] = sum_of(&u).time_ps;
        }
        if (time_ps[0] - time_ps[1] != 1000 * cases[i].want_ns)
            fail_msg("case %zu: %lu ps and %lu ps, not %lu ns more", i, time_ps[0], time_ps[1], cases[i].want_ns);
    }
}

static void what_cannot_be_is_refused(void **state)
{
    struct network_rounds out = {.time_ps = 77};
    struct setup u;
    char reason[200] = "";
    (void)state;
    set_up(&u, "loggp", &schedule_ring, 1 << 15, 1, 1);
    assert_int_equal(network_rounds_sum(&u.scenario, &out, reason, sizeof reason), -ENOTSUP);
    assert_non_null(strstr(reason, "32767 rounds of 32768 ranks are too many"));
    test_bed_destroy(&u.bed);
    set_up(&u, "loggp", &schedule_ring, 8, 1, UINT64_MAX / 4);
    assert_int_equal(network_rounds_sum(&u.scenario, &out, reason, sizeof reason), -EINVAL);
    assert_non_null(strstr(reason, "longer than 53 days"));
    test_bed_destroy(&u.bed);
    assert_int_equal(out.time_ps, 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_closed_form_where_there_is_one),
                                       cmocka_unit_test(ranks_of_a_node_share_its_nic),
                                       cmocka_unit_test(what_loads_memory_takes_its_time),
                                       cmocka_unit_test(what_cannot_be_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
