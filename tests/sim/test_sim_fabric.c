/* Links between nodes: alone a message costs what LogGP says, to the picosecond; many over one link take turns; no link passes on
 * more than its bandwidth, none bytes that were not sent; the order of simulation does not matter. */
#include "network_case.h"
#include "tests/model/cmocka_all.h"

#include "sim/sim_cluster.h"
#include "sim/sim_queue.h"
#include "sim/sim_random.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int no_inside(void *context, uint32_t from, uint32_t to, uint64_t bytes, struct sim_cluster_cost *out)
{
    (void)context, (void)from, (void)to, (void)bytes, (void)out;
    return -ENOSYS;
}

/* A core copies, then the other: 100 ns and 2 ps a byte each, 50 ns between them. */
static int inside(void *context, uint32_t from, uint32_t to, uint64_t bytes, struct sim_cluster_cost *out)
{
    (void)context;
    assert_true(from != to);
    *out = (struct sim_cluster_cost){100000 + 2 * bytes, 100000 + 2 * bytes, 250000 + 4 * bytes, SIM_NO_CLASS, SIM_NO_CLASS};
    return 0;
}

static struct sim_cluster_answer simulate(const struct network *network, struct sim_fabric *fabric, uint32_t ppn,
                                          const struct schedule *schedule, uint64_t bytes, enum sim_order order, uint64_t skew_ps)
{
    struct loggp loggp = network_loggp(network);
    struct sim_cluster_nodes nodes = {.ppn = ppn, .fabric = fabric, .inside = ppn > 1 ? inside : no_inside};
    struct sim_cluster_question question = {&loggp, schedule, bytes, skew_ps, 3, order, NULL, &nodes, NULL};
    struct sim_cluster_answer answer;
    char reason[200] = "";
    if (fabric)
        sim_fabric_reset(fabric);
    if (sim_cluster_run(&question, &answer, reason, sizeof reason))
        fail_msg("%s, %u ranks: %s", schedule->algorithm->name, schedule->procs, reason);
    return answer;
}

/* ---- what meets nothing is LogGP ---- */

static void check_alone(const struct network *network, const struct schedule_algorithm *algorithm, uint32_t procs, uint64_t bytes)
{
    struct loggp loggp = network_loggp(network);
    struct schedule schedule;
    uint64_t want_ps;
    if (!schedule_valid(algorithm, procs))
        return;
    struct sim_fabric fabric = network_case_fabric(network, procs);
    assert_int_equal(schedule_init(&schedule, algorithm, procs, 0), 0);
    assert_int_equal(loggp_schedule_ps(&loggp, &schedule, bytes, &want_ps), 0);
    for (enum sim_order order = SIM_ORDER_HEAP; order <= SIM_ORDER_RADIX; order++) {
        struct sim_cluster_answer got = simulate(network, &fabric, 1, &schedule, bytes, order, 0);
        if (got.time_ps != want_ps)
            fail_msg("%s, %s of %u ranks, %llu B: %llu ps, the closed form says %llu", network_kind_name(network->kind),
                     algorithm->name, procs, (unsigned long long)bytes, (unsigned long long)got.time_ps,
                     (unsigned long long)want_ps);
        assert_int_equal(got.bytes_between, got.bytes_sent);
    }
    sim_fabric_destroy(&fabric);
}

static void alone_is_loggp(void **state)
{
    static const struct schedule_algorithm *const algorithms[] = {&schedule_ring, &schedule_recursive_doubling, &schedule_bruck,
                                                                  &schedule_binomial};
    struct network one = network_case_shared(NETWORK_SWITCH, 0, 0, 0), tree = network_case_shared(NETWORK_FAT_TREE, 3, 8, 1);
    (void)state;
    for (size_t a = 0; a < 4; a++) {
        for (uint32_t procs = 1; procs < 70; procs++)
            check_alone(&one, algorithms[a], procs, procs % 3 ? 1000 * procs : procs % 2);
        /* Full switches, as many links up as down: none is shared. */
        for (uint32_t procs = 4; procs <= 128; procs += 4)
            check_alone(&tree, algorithms[a], procs, 4096);
    }
}

/* ---- a star: every rank but those of node 0 exchanges one message with one of node 0 ---- */

enum { STAR = 8 };
static int star_out; /* 1: node 0 sends */

static uint32_t star_rounds(const struct schedule *s)
{
    return s->procs;
}

static uint32_t star_steps(const struct schedule *s, uint32_t rank)
{
    return rank < STAR || (rank % STAR == 0 && rank / STAR <= STAR && s->procs > STAR) ? 1 : 0;
}

/* Rank i of node 0 and the first rank of node i + 1. */
static void star_step(const struct schedule *s, uint32_t rank, uint32_t k, struct schedule_step *out)
{
    (void)s, (void)k;
    int inner = rank < STAR, sends = inner == star_out;
    uint32_t peer = inner ? (rank + 1) * STAR : rank / STAR - 1;
    struct schedule_blocks one = {0, 1, 1};
    out->round = inner ? rank : peer;
    *(sends ? &out->send_to : &out->receive_from) = peer;
    *(sends ? &out->send : &out->receive) = one;
}

static const struct schedule_algorithm star = {
    .name = "star", .kind = SCHEDULE_ALLGATHER, .rounds = star_rounds, .steps = star_steps, .step = star_step};

static void eight_to_one_take_turns(void **state)
{
    static const uint64_t sizes[] = {0, 1, 64, 4096, 1 << 20, 1 << 26};
    struct network one = network_case_shared(NETWORK_SWITCH, 0, 0, 0);
    struct loggp p = network_loggp(&one);
    struct sim_fabric fabric = network_case_fabric(&one, STAR + 1);
    struct schedule schedule;
    (void)state;
    assert_int_equal(schedule_init(&schedule, &star, STAR * (STAR + 1), 0), 0);
    for (star_out = 0; star_out < 2; star_out++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            uint64_t stream_ps = loggp_stream_ps(&p, sizes[i]), gap_ps = star_out ? p.gap_ps : p.receiver_gap_ps;
            uint64_t alone_ps = 2 * p.overhead_ps + p.latency_ps + stream_ps;
            uint64_t free_ps = simulate(&one, NULL, STAR, &schedule, sizes[i], SIM_ORDER_RADIX, 0).time_ps;
            struct sim_cluster_answer got = simulate(&one, &fabric, STAR, &schedule, sizes[i], SIM_ORDER_RADIX, 0);
            assert_int_equal(free_ps, alone_ps);
            assert_int_equal(got.time_ps, alone_ps + (STAR - 1) * (stream_ps + gap_ps));
            assert_int_equal(got.messages_between, STAR);
            assert_int_equal(got.bytes_between, STAR * sizes[i]);
            if (sizes[i] >= 1 << 20) { /* bandwidth is all: eight times as long */
                assert_true(got.time_ps > free_ps * 7.9 && got.time_ps < free_ps * 8.1);
            }
        }
    sim_fabric_destroy(&fabric);
}

/* ---- eight nodes of one switch to eight of another, over one link up and one down ---- */

static uint32_t pairs_steps(const struct schedule *s, uint32_t rank)
{
    (void)s, (void)rank;
    return 1;
}

static void pairs_step(const struct schedule *s, uint32_t rank, uint32_t k, struct schedule_step *out)
{
    (void)k;
    uint32_t half = s->procs / 2, sends = rank < half, peer = sends ? rank + half : rank - half;
    out->round = rank % half;
    *(sends ? &out->send_to : &out->receive_from) = peer;
    *(sends ? &out->send : &out->receive) = (struct schedule_blocks){0, 1, 1};
}

static const struct schedule_algorithm pairs = {
    .name = "pairs", .kind = SCHEDULE_ALLGATHER, .rounds = star_rounds, .steps = pairs_steps, .step = pairs_step};

/* Links between switches as fast as NICs, twice as fast, and half as fast. */
static void oversubscribed_links_take_turns(void **state)
{
    static const double byte_ns[] = {0.571429, 0.2857145, 1.142858};
    struct schedule schedule;
    (void)state;
    assert_int_equal(schedule_init(&schedule, &pairs, 2 * STAR, 0), 0);
    for (int i = 0; i < 3; i++)
        for (uint64_t bytes = 0; bytes < 1 << 24; bytes = bytes * 7 + 1) {
            struct network tree = network_case_shared(NETWORK_FAT_TREE, 2, STAR + 1, STAR);
            tree.switch_ns = quantity_of(123, "test");
            tree.link_byte_ns = quantity_of(byte_ns[i], "test");
            struct loggp p = network_loggp(&tree), link = {.byte_fs = network_link_byte_fs(&tree)};
            struct sim_fabric fabric = network_case_fabric(&tree, 2 * STAR);
            uint64_t stream_ps = loggp_stream_ps(&p, bytes), turn_ps = loggp_stream_ps(&link, bytes);
            /* The last one begins when seven have had the link; it comes no faster than it is sent, and none sooner than
             * alone. */
            uint64_t wait_ps = (STAR - 1) * turn_ps + (turn_ps > stream_ps ? turn_ps : stream_ps);
            uint64_t want_ps = 2 * p.overhead_ps + p.latency_ps + 2 * 123000 + wait_ps;
            struct sim_cluster_answer got = simulate(&tree, &fabric, 1, &schedule, bytes, SIM_ORDER_RADIX, 0);
            assert_int_equal(got.time_ps, want_ps);
            sim_fabric_destroy(&fabric);
        }
}

/* ---- random schedules ---- */

enum { ROUNDS = 6, PROCS = 61 };
static uint64_t salt;

static uint64_t hash(uint64_t a, uint64_t b)
{
    uint64_t state = salt * 1000003 + a * 8191 + b;
    return sim_random_next(&state);
}

static uint32_t random_rounds(const struct schedule *s)
{
    (void)s;
    return ROUNDS;
}

static uint32_t random_steps(const struct schedule *s, uint32_t rank)
{
    (void)s, (void)rank;
    return ROUNDS;
}

static uint32_t to_of(uint32_t rank, uint32_t k)
{
    return (uint32_t)((rank * (1 + hash(k, 1) % (PROCS - 1)) + hash(k, 2) % PROCS) % PROCS);
}

/* Each round a random map of a prime number of ranks, of which a third send nothing. */
static void random_step(const struct schedule *s, uint32_t rank, uint32_t k, struct schedule_step *out)
{
    (void)s;
    out->round = k;
    for (uint32_t from = 0; from < PROCS; from++) {
        uint32_t to = to_of(from, k);
        if (to == from || hash(from, 100 + k) % 3 == 0)
            continue;
        struct schedule_blocks blocks = {0, 1, (uint32_t)(hash(from, 200 + k) % 5)};
        if (from == rank)
            out->send_to = to, out->send = blocks;
        if (to == rank)
            out->receive_from = from, out->receive = blocks;
    }
}

static const struct schedule_algorithm random_schedule = {
    .name = "random", .kind = SCHEDULE_ALLGATHER, .rounds = random_rounds, .steps = random_steps, .step = random_step};

static uint64_t all_bytes(const struct sim_fabric *fabric, uint32_t first, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t i = first; i < first + count; i++)
        sum += fabric->link_bytes[i];
    return sum;
}

static void random_schedules_conserve(void **state)
{
    static const uint32_t ppns[] = {1, 2, 5, 8};
    struct network kinds[] = {network_case_shared(NETWORK_SWITCH, 0, 0, 0), network_case_shared(NETWORK_FAT_TREE, 2, 16, 3),
                              network_case_shared(NETWORK_FAT_TREE, 4, 6, 1.5)};
    (void)state;
    for (salt = 0; salt < 12; salt++)
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 4; i++) {
                struct schedule schedule;
                uint32_t nodes = (PROCS - 1) / ppns[i] + 1;
                struct sim_fabric fabric = network_case_fabric(&kinds[k], nodes);
                assert_int_equal(schedule_init(&schedule, &random_schedule, PROCS, 0), 0);
                struct sim_cluster_answer free = simulate(&kinds[k], NULL, ppns[i], &schedule, 3333, SIM_ORDER_RADIX, 2000000);
                struct sim_cluster_answer heap = simulate(&kinds[k], &fabric, ppns[i], &schedule, 3333, SIM_ORDER_HEAP, 2000000);
                struct sim_cluster_answer radix =
                    simulate(&kinds[k], &fabric, ppns[i], &schedule, 3333, SIM_ORDER_RADIX, 2000000);
                assert_memory_equal(&heap, &radix, sizeof heap);
                assert_int_equal(radix.bytes_sent, radix.bytes_received);
                assert_int_equal(radix.bytes_sent, free.bytes_sent);
                assert_int_equal(radix.bytes_between, free.bytes_between);
                assert_int_equal(all_bytes(&fabric, 0, nodes), radix.bytes_between);
                assert_int_equal(all_bytes(&fabric, nodes, nodes), radix.bytes_between);
                assert_true(ppns[i] == 1 ? radix.bytes_between == radix.bytes_sent : radix.bytes_between < radix.bytes_sent);
                sim_fabric_destroy(&fabric);
            }
}

/* ---- links ---- */

enum { NODES = 40, MESSAGES = 2000 };

struct link_check {
    uint64_t come_ps[FAT_TREE_PATH_MAX * NODES * 16], busy_until_ps[FAT_TREE_PATH_MAX * NODES * 16];
};

/* In the order in which they come, each when the link has done those before. */
static void check_crossing(struct link_check *check, const struct sim_fabric *fabric, const struct sim_fabric_crossing *c,
                           const struct sim_fabric_message *before)
{
    int ends = c->hop == 0 || c->hop == c->hops - 1;
    struct loggp rate = {.byte_fs = ends ? fabric->nic.byte_fs : fabric->link_byte_fs};
    uint64_t gap_ps = c->hop == 0 ? fabric->nic.gap_ps : ends ? fabric->nic.receiver_gap_ps : 0;
    uint64_t stream_ps = loggp_stream_ps(&rate, before->bytes);
    assert_true(c->link < fabric->tree.links);
    assert_true(c->come_ps == before->first_ps && c->come_ps >= check->come_ps[c->link]);
    assert_true(c->start_ps >= c->come_ps && c->start_ps >= check->busy_until_ps[c->link]);
    assert_true(c->end_ps >= c->start_ps + stream_ps && c->end_ps >= before->last_ps);
    assert_true(c->start_ps == c->come_ps || c->start_ps == check->busy_until_ps[c->link]); /* no link rests while one waits */
    check->come_ps[c->link] = c->come_ps;
    check->busy_until_ps[c->link] = c->start_ps + stream_ps + gap_ps;
}

static void links_keep_their_bandwidth(void **state)
{
    (void)state;
    struct network tree = network_case_shared(NETWORK_FAT_TREE, 3, 10, 1.5);
    tree.link_byte_ns = quantity_of(0.4, "test");
    tree.switch_ns = quantity_of(77, "test");
    struct sim_fabric fabric = network_case_fabric(&tree, NODES);
    struct sim_fabric_message *message = calloc(MESSAGES, sizeof *message);
    struct link_check *check = calloc(1, sizeof *check);
    struct sim_fabric_crossing crossing;
    struct sim_queue queue;
    uint64_t seed = 5, hops = 0, passed = 0;
    assert_int_equal(sim_queue_create(&queue, 64), 0);
    assert_true(fabric.tree.links <= sizeof check->come_ps / sizeof *check->come_ps);
    fabric.last = &crossing;
    for (uint32_t i = 0; i < MESSAGES; i++) {
        uint32_t from = sim_random_next(&seed) % NODES, to = (from + 1 + sim_random_next(&seed) % (NODES - 1)) % NODES;
        sim_fabric_send(&fabric, from, to, sim_random_next(&seed) % 20000, sim_random_next(&seed) % 50000000, &message[i]);
        hops += message[i].bytes * 2 * message[i].turn;
        sim_queue_push(&queue, message[i].first_ps, i, 0);
    }
    while (queue.count) {
        uint32_t i = sim_queue_pop(&queue).target;
        struct sim_fabric_message before = message[i];
        int more = sim_fabric_cross(&fabric, &message[i]);
        check_crossing(check, &fabric, &crossing, &before);
        if (more)
            sim_queue_push(&queue, message[i].first_ps, i, 0);
    }
    passed = all_bytes(&fabric, 0, fabric.tree.links);
    assert_int_equal(passed, hops);
    sim_queue_destroy(&queue);
    sim_fabric_destroy(&fabric);
    free(message);
    free(check);
}

/* ---- ranks of a node ---- */

/* Two nodes of four ranks, a ring: in each round one message leaves each node and three stay, which are faster here. */
static void a_ring_goes_at_the_pace_of_its_slowest_edge(void **state)
{
    (void)state;
    struct network one = network_case_shared(NETWORK_SWITCH, 0, 0, 0);
    struct loggp p = network_loggp(&one);
    struct sim_fabric fabric = network_case_fabric(&one, 2);
    struct schedule schedule;
    assert_int_equal(schedule_init(&schedule, &schedule_ring, 8, 0), 0);
    struct sim_cluster_answer got = simulate(&one, &fabric, 4, &schedule, 1000, SIM_ORDER_RADIX, 0);
    uint64_t hop_ps = 2 * p.overhead_ps + p.latency_ps + loggp_stream_ps(&p, 1000);
    struct sim_cluster_cost cost;
    inside(NULL, 0, 1, 1000, &cost);
    /* A block travels 7 edges, two of them between nodes if it begins right before one; who is behind waits for it. */
    assert_true(got.time_ps >= 2 * hop_ps + 5 * cost.time_ps);
    assert_true(got.time_ps <= 7 * hop_ps);
    assert_int_equal(got.messages_between, 2 * 7);
    assert_int_equal(got.messages, 8 * 7);
    sim_fabric_destroy(&fabric);
}

static void no_room_is_told(void **state)
{
    (void)state;
    struct network tree = network_case_shared(NETWORK_FAT_TREE, 2, 4, 1);
    struct sim_fabric fabric;
    char reason[200] = "";
    assert_int_equal(sim_fabric_create(&fabric, &tree, 9, reason, sizeof reason), -EINVAL);
    assert_non_null(strstr(reason, "room for 8 nodes, not for 9"));
    tree.radix = 1;
    assert_int_equal(sim_fabric_create(&fabric, &tree, 1, reason, sizeof reason), -EINVAL);
    assert_non_null(strstr(reason, "make no tree"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alone_is_loggp),
        cmocka_unit_test(eight_to_one_take_turns),
        cmocka_unit_test(oversubscribed_links_take_turns),
        cmocka_unit_test(random_schedules_conserve),
        cmocka_unit_test(links_keep_their_bandwidth),
        cmocka_unit_test(a_ring_goes_at_the_pace_of_its_slowest_edge),
        cmocka_unit_test(no_room_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
