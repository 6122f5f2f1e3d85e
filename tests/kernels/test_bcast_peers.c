/* The peers' protocols move the right bytes: ranks more than cpus, roots in turn, rings that fill many times, counters
 * that wrap, inline and through the table. */
#include "bcast_case.h"
#include "watched_launch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* With the numbers of the originals scaled down, so that little data fills the queue often. */
static const struct peer {
    const struct protocol *protocol;
    uint32_t slots, sets;
    struct tree_shape tree;
} peers[] = {
    {&protocol_slot_ring, 8, 1, {TREE_FLAT, 0}},
    {&protocol_slot_ring, 2, 1, {TREE_FLAT, 0}},
    {&protocol_banked, 8, 2, {TREE_KARY, 4}},
    {&protocol_banked, 4, 4, {TREE_CHAIN, 0}},
    {&protocol_banked, 3, 1, {TREE_KNOMIAL, 2}},
    {&protocol_release_gather, 4, 1, {TREE_JOINED, 64}},
    {&protocol_release_gather, 4, 1, {TREE_KARY, 2}},
    {&protocol_release_gather, 1, 1, {TREE_CHAIN, 0}},
    {&protocol_release_gather, 2, 1, {TREE_KNOMIAL, 2}},
};

enum { PEERS = sizeof peers / sizeof *peers };

static struct bcast_case case_of(const struct peer *peer, uint32_t procs)
{
    struct bcast_case c = bcast_case_default();
    c.protocol = peer->protocol;
    c.slots = peer->slots;
    c.sets = peer->sets;
    c.tree = peer->tree;
    c.procs = procs;
    c.fragment_bytes = 1000;
    c.lanes = CASE_LANES_ONE;
    c.calls = CASE_CALLS_ROTATE;
    c.call_count = procs + 1;
    c.op_start = UINT32_MAX - 20;
    c.backend = BACKEND_THREADS;
    return c;
}

static void run(const struct bcast_case *c)
{
    char reason[COMM_REASON_BYTES] = "", text[BCAST_CASE_TEXT_BYTES];
    int error = bcast_case_run(c, reason);
    if (error)
        fail_msg("%s: %s: error %d: %s", c->protocol->name, bcast_case_format(c, text, sizeof text), error, reason);
}

static int sizes_in_turn(const struct bcast_case *c, uint32_t step, uint64_t *size_bytes, uint32_t *root)
{
    static const uint64_t sizes[] = {1, 0, 8, 999, 1000, 1001, 2000, 7000, 8003, 30000};
    if (step == sizeof sizes / sizeof *sizes)
        return 0;
    *size_bytes = sizes[step];
    *root = step % c->procs;
    return 1;
}

static void moves_bytes(void **state)
{
    (void)state;
    static const uint32_t procs[] = {2, 3, 5, 8};
    for (uint32_t i = 0; i < PEERS; i++)
        for (uint32_t p = 0; p < 4; p++) {
            struct bcast_case c = case_of(&peers[i], procs[p]);
            if (tests_brief() && (i + p) % 2)
                continue;
            c.more = sizes_in_turn;
            c.size_bytes = c.size_max_bytes = 65537;
            run(&c);
            c.backend = BACKEND_PROCS;
            if (backend_runs(c.backend))
                run(&c);
        }
}

static void through_the_table_and_with_delays(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < PEERS; i++) {
        struct bcast_case c = case_of(&peers[i], 4);
        c.size_bytes = 20001;
        c.generic_executor = 1;
        run(&c);
        c.generic_executor = 0;
        c.delay_max_ns = 2000;
        for (c.seed = 1; c.seed <= 3; c.seed++)
            run(&c);
        c.packed = CASE_PACKED_ALL;
        run(&c);
    }
}

/* As the originals have them. */
static void in_full_size(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < PEERS; i++) {
        struct bcast_case c = case_of(&peers[i], 3);
        c.fragment_bytes = 8192;
        c.slots = c.protocol == &protocol_slot_ring ? 128 : peers[i].slots;
        c.size_bytes = 3 << 20;
        c.op_start = UINT32_MAX - 200;
        run(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_bytes),
        cmocka_unit_test(through_the_table_and_with_delays),
        cmocka_unit_test(in_full_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
