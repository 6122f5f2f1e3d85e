/* GOAL programs over shared links: eight to one, one to eight and eight through one link by hand; schedules take as long as they
 * do without GOAL; who deadlocks is named. */
#include "network_case.h"
#include "tests/model/cmocka_all.h"
#include "tests/sim/goal_case.h"

#include "sim/goal_run.h"
#include "sim/sim_cluster.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Switches take their time, too. */
static struct network shared(enum network_kind kind, uint32_t levels, uint32_t radix, double oversubscription)
{
    struct network n = network_case_shared(kind, levels, radix, oversubscription);
    n.switch_ns = quantity_of(130.5, "test");
    return n;
}

static int text_run(const char *text, const struct network *network, uint64_t *time_ps, char *reason, size_t reason_bytes)
{
    struct goal_program program;
    struct goal_outcome outcome;
    goal_case_text(text, &program);
    struct sim_fabric fabric = network_case_fabric(network, program.ranks);
    struct goal_network joined = {.loggp = network_loggp(network), .fabric = &fabric};
    int err = goal_run_over(&program, &joined, 0, &outcome, reason, reason_bytes);
    if (!err) {
        *time_ps = outcome.time_ps;
        goal_outcome_destroy(&outcome);
    }
    sim_fabric_destroy(&fabric);
    goal_program_destroy(&program);
    return err;
}

/* ---- eight messages at once ---- */

enum { EIGHT = 8, TEXT_BYTES = 4096 };
static const uint64_t sizes[] = {0, 1, 64, 4096, 1 << 20, 1 << 26};

/* Rank i < 8 and its peer. */
static uint64_t eight_ps(const struct network *network, uint64_t bytes, int senders_many, int receivers_many)
{
    char text[TEXT_BYTES], reason[200] = "";
    int at = snprintf(text, sizeof text, "num_ranks %d\n", 2 * EIGHT);
    for (int side = 0; side < 2; side++) /* those who send, and those who receive */
        for (int i = 0; i < EIGHT; i++) {
            int many = side ? receivers_many : senders_many, other_many = side ? senders_many : receivers_many;
            int rank = side * EIGHT + (many ? i : 0), peer = !side * EIGHT + (other_many ? i : 0);
            if (many || i == 0)
                at += snprintf(text + at, sizeof text - (size_t)at, "rank %d {\n", rank);
            at += snprintf(text + at, sizeof text - (size_t)at, "%s %llub %s %d tag %d\n%s", side ? "recv" : "send",
                           (unsigned long long)bytes, side ? "from" : "to", peer, i, many || i == EIGHT - 1 ? "}\n" : "");
        }
    uint64_t time_ps = 0;
    if (text_run(text, network, &time_ps, reason, sizeof reason))
        fail_msg("%s in\n%s", reason, text);
    return time_ps;
}

static uint64_t later_ps(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void one_link_takes_turns(void **state)
{
    struct network one = shared(NETWORK_SWITCH, 0, 0, 0), tree = shared(NETWORK_FAT_TREE, 2, 9, 8);
    struct network full = shared(NETWORK_FAT_TREE, 2, 16, 1);
    struct loggp p = network_loggp(&one);
    uint64_t switches_ps = 2 * network_switch_ps(&tree);
    static const double link_byte_ns[] = {0.571429, 1.3, 0.2};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint64_t stream_ps = loggp_stream_ps(&p, sizes[i]), alone_ps = 2 * p.overhead_ps + p.latency_ps + stream_ps;
        /* Into one node: the NIC takes one after the other, its core as well. */
        assert_int_equal(eight_ps(&one, sizes[i], 1, 0), alone_ps + 7 * later_ps(stream_ps + p.receiver_gap_ps, p.overhead_ps));
        assert_int_equal(eight_ps(&one, sizes[i], 0, 1), alone_ps + 7 * later_ps(stream_ps + p.gap_ps, p.overhead_ps));
        assert_int_equal(eight_ps(&one, sizes[i], 1, 1), alone_ps);
        /* Eight nodes on a switch with one link up, as fast, slower or faster; and with eight. */
        assert_int_equal(eight_ps(&full, sizes[i], 1, 1), alone_ps + switches_ps);
        for (int k = 0; k < 3; k++) {
            tree.link_byte_ns = quantity_of(link_byte_ns[k], "test");
            uint64_t link_ps = loggp_stream_ps(&(struct loggp){.byte_fs = network_link_byte_fs(&tree)}, sizes[i]);
            assert_int_equal(eight_ps(&tree, sizes[i], 1, 1),
                             alone_ps + switches_ps + 7 * link_ps + later_ps(link_ps, stream_ps) - stream_ps);
        }
    }
    tree.link_byte_ns = quantity_of(link_byte_ns[0], "test");
    double slower = (double)eight_ps(&tree, sizes[5], 1, 1) / (double)eight_ps(&full, sizes[5], 1, 1);
    assert_true(slower > 7.99 && slower < 8.01);
}

/* ---- schedules ---- */

struct traffic {
    struct { uint64_t come_ps; uint32_t link; } *crossing;
    size_t count, room, waits;
};

static void count_message(void *context, const struct sim_cluster_message *message)
{
    (void)context, (void)message;
}

static void count_crossing(void *context, uint32_t from, uint32_t to, uint64_t bytes, const struct sim_fabric_crossing *c)
{
    struct traffic *t = context;
    (void)from, (void)to, (void)bytes;
    if (t->count == t->room) {
        t->room = t->room ? 2 * t->room : 1024;
        t->crossing = realloc(t->crossing, t->room * sizeof *t->crossing);
        assert_non_null(t->crossing);
    }
    t->crossing[t->count].come_ps = c->come_ps;
    t->crossing[t->count++].link = c->link;
    t->waits += c->start_ps > c->come_ps;
}

/* Of messages that come to one link at one time, which goes first is decided by the order of simulation. */
static int has_ties(const struct traffic *t)
{
    for (size_t i = 1; i < t->count; i++)
        for (size_t j = i; j-- > 0 && t->crossing[j].come_ps == t->crossing[i].come_ps;)
            if (t->crossing[j].link == t->crossing[i].link)
                return 1;
    return 0;
}

struct tally {
    uint32_t waited, tied; /* cases in which messages waited though none tied; in which some did */
};

static int no_inside(void *context, uint32_t from, uint32_t to, uint64_t bytes, struct sim_cluster_cost *out)
{
    (void)context, (void)from, (void)to, (void)bytes, (void)out;
    return -ENOSYS;
}

static void as_goal(struct sim_cluster_question *question, const struct sim_cluster_answer *want, int tied)
{
    const struct schedule *schedule = question->schedule;
    struct sim_fabric *fabric = question->nodes->fabric;
    struct goal_network joined = {.loggp = *question->loggp, .fabric = fabric};
    struct goal_program program;
    struct goal_outcome got;
    char reason[200] = "";
    uint64_t *link_bytes = malloc(fabric->tree.links * sizeof *link_bytes);
    assert_non_null(link_bytes);
    memcpy(link_bytes, fabric->link_bytes, fabric->tree.links * sizeof *link_bytes);
    goal_case_schedule(schedule, question->size_bytes, &program);
    if (goal_run_over(&program, &joined, 0, &got, reason, sizeof reason))
        fail_msg("%s of %u ranks: %s", schedule->algorithm->name, schedule->procs, reason);
    assert_memory_equal(link_bytes, fabric->link_bytes, fabric->tree.links * sizeof *link_bytes);
    assert_int_equal(got.messages, want->messages);
    assert_int_equal(got.bytes, want->bytes_received);
    double apart = (double)got.time_ps / (double)want->time_ps - 1;
    if (tied ? apart > 0.01 || apart < -0.01 : got.time_ps != want->time_ps)
        fail_msg("%s of %u ranks, %llu B: %llu ps, as GOAL %llu", schedule->algorithm->name, schedule->procs,
                 (unsigned long long)question->size_bytes, (unsigned long long)want->time_ps, (unsigned long long)got.time_ps);
    if (!tied)
        assert_memory_equal(got.end_ps, question->end_ps, schedule->procs * sizeof *got.end_ps);
    goal_outcome_destroy(&got);
    goal_program_destroy(&program);
    free(link_bytes);
}

static void both_ways(const struct network *network, const struct schedule_algorithm *algorithm, uint32_t procs, uint64_t bytes,
                      struct tally *tally)
{
    struct loggp loggp = network_loggp(network);
    struct schedule schedule;
    struct sim_cluster_answer answer;
    struct traffic traffic = {.count = 0};
    char reason[200] = "";
    if (!schedule_valid(algorithm, procs))
        return;
    assert_int_equal(schedule_init(&schedule, algorithm, procs, 0), 0);
    struct sim_fabric fabric = network_case_fabric(network, procs);
    struct sim_cluster_observer observer = {.message = count_message, .crossing = count_crossing, .context = &traffic};
    struct sim_cluster_nodes nodes = {.ppn = 1, .fabric = &fabric, .inside = no_inside};
    struct sim_cluster_question question = {&loggp, &schedule, bytes, 0, 0, SIM_ORDER_RADIX, &observer, &nodes,
                                            calloc(procs, sizeof(uint64_t))};
    if (sim_cluster_run(&question, &answer, reason, sizeof reason))
        fail_msg("%s", reason);
    int tied = has_ties(&traffic);
    tally->tied += tied;
    tally->waited += !tied && traffic.waits;
    as_goal(&question, &answer, tied);
    free(question.end_ps);
    free(traffic.crossing);
    sim_fabric_destroy(&fabric);
}

static void schedules_take_as_long(void **state)
{
    static const struct schedule_algorithm *const algorithms[] = {
        &schedule_ring, &schedule_recursive_doubling, &schedule_bruck, &schedule_neighbour_exchange, &schedule_sparbit,
        &schedule_binomial, &schedule_scatter_allgather, &schedule_scatter_doubling, &schedule_binomial_scatter};
    struct network networks[] = {shared(NETWORK_SWITCH, 0, 0, 0), shared(NETWORK_FAT_TREE, 3, 8, 1),
                                       shared(NETWORK_FAT_TREE, 3, 6, 2), shared(NETWORK_FAT_TREE, 2, 18, 8)};
    static const uint32_t procs[] = {2, 8, 16, 23, 64};
    struct tally tally = {0, 0};
    (void)state;
    networks[2].link_byte_ns = quantity_of(0.9, "test");
    networks[3].link_byte_ns = quantity_of(0.3, "test");
    for (size_t n = 0; n < sizeof networks / sizeof *networks; n++)
        for (size_t a = 0; a < sizeof algorithms / sizeof *algorithms; a++)
            for (size_t k = 0; k < sizeof procs / sizeof *procs; k++)
                for (uint64_t bytes = 1; bytes < 1 << 20; bytes *= 181)
                    both_ways(&networks[n], algorithms[a], procs[k], bytes, &tally);
    assert_true(tally.waited > 10 && tally.tied > 10); /* both happen */
}

/* ---- what cannot be run ---- */

static void refuses(const char *text, int error, const char *why)
{
    struct network network = shared(NETWORK_FAT_TREE, 3, 4, 1);
    char reason[300] = "";
    uint64_t time_ps;
    assert_int_equal(text_run(text, &network, &time_ps, reason, sizeof reason), error);
    if (!strstr(reason, why))
        fail_msg("'%s' does not say '%s'", reason, why);
}

static void wrong_programs_are_named(void **state)
{
    (void)state;
    refuses("num_ranks 3\nrank 0 {\nr: recv 1b from 1\ns: send 1b to 1\ns requires r\n}\n"
            "rank 1 {\nr: recv 1b from 0\ns: send 1b to 0\ns requires r\nsend 1b to 2\n}\nrank 2 {\nrecv 1b from 1\n}\n",
            -EDEADLK, "deadlock: rank 0 waits for rank 1 (line 3), rank 1 waits for rank 0 (line 8)");
    refuses("num_ranks 2\nrank 0 {\nsend 10b to 1\n}\nrank 1 {\nrecv 9b from 0\n}\n", -EMSGSIZE,
            "rank 1 receives 9 bytes of the 10");
    refuses("num_ranks 2\nrank 0 {\nsend 1b to 1 nic 1\n}\nrank 1 {\nrecv 1b from 0\n}\n", -ENOTSUP, "2 nics of a rank");
    refuses("num_ranks 2\nrank 0 {\nsend 9000000000000000000b to 1\n}\nrank 1 {\nrecv 9000000000000000000b from 0\n}\n",
            -EOVERFLOW, "more than 106 days");
}

/* A late receive finds its message there; what a rank sends itself goes by its switch. */
static void matching_by_hand(void **state)
{
    struct network network = shared(NETWORK_SWITCH, 0, 0, 0);
    struct loggp p = network_loggp(&network);
    uint64_t time_ps = 0, stream_ps = loggp_stream_ps(&p, 1000);
    char reason[200] = "";
    (void)state;
    assert_int_equal(
        text_run("num_ranks 2\nrank 0 {\nsend 1000b to 1\n}\nrank 1 {\nc: calc 9000\nr: recv 1000b from 0\nr requires c\n}\n",
                 &network, &time_ps, reason, sizeof reason),
        0);
    assert_int_equal(time_ps, 9000000 + p.overhead_ps);
    assert_int_equal(text_run("num_ranks 1\nrank 0 {\nsend 1000b to 0\nrecv 1000b from 0\n}\n", &network, &time_ps, reason,
                              sizeof reason), 0);
    assert_int_equal(time_ps, 2 * p.overhead_ps + p.latency_ps + stream_ps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_link_takes_turns),
        cmocka_unit_test(schedules_take_as_long),
        cmocka_unit_test(wrong_programs_are_named),
        cmocka_unit_test(matching_by_hand),
    };
    return cmocka_run_group_tests_name("goal_fabric", tests, NULL, NULL);
}
