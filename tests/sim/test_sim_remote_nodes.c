/* Schedules over channels and interfaces by other numberings, and of ranks that share nodes: every block comes once, messages are
 * counted where they go, and what is shared takes as long as there are those who share it. */
#include "tests/model/cmocka_all.h"
#include "tests/sim/remote_schedule_case.h"

#include "model/nic_cost.h"
#include "sim/sim_random.h"

/* ---- numberings ---- */

struct shuffled {
    uint32_t virtual_of[REMOTE_RANKS_MOST], rank_of[REMOTE_RANKS_MOST];
    struct numbering numbering;
};

/* One cycle, so that everybody plays another; or the identity. */
static void shuffle(struct shuffled *s, uint32_t procs, enum numbering_remap remap, uint64_t seed, int identity)
{
    for (uint32_t r = 0; r < procs; r++)
        s->virtual_of[r] = r;
    for (uint32_t r = procs; !identity && r-- > 1;) {
        uint32_t other = (uint32_t)(sim_random_next(&seed) % r), kept = s->virtual_of[r];
        s->virtual_of[r] = s->virtual_of[other];
        s->virtual_of[other] = kept;
    }
    for (uint32_t r = 0; r < procs; r++)
        s->rank_of[s->virtual_of[r]] = r;
    s->numbering = (struct numbering){.virtual_of_rank = s->virtual_of, .rank_of_virtual = s->rank_of, .remap = remap};
}

static uint64_t shuffled_ps(struct remote_asked q, enum numbering_remap remap, uint64_t seed, int identity)
{
    struct shuffled s;
    shuffle(&s, q.remote.procs, remap, seed, identity);
    q.numbering = &s.numbering;
    return remote_schedule_ps(&q);
}

/* Every block comes once (time_ps() looks) by any numbering. The identity changes nothing, but that who reorders turns Bruck's
 * blocks one by one. */
static void numberings_bring_every_block(void **state)
{
    (void)state;
    for (const struct schedule_algorithm *const *a = schedule_table; *a; a++)
        for (uint32_t procs = 1; procs <= 8 && (*a)->kind == SCHEDULE_ALLGATHER; procs += procs < 4 ? 1 : 4)
            for (const struct channel_kind *const *k = channel_kind_table; *k && schedule_valid(*a, procs); k++)
                for (uint32_t i = 0; i < 8; i++) {
                    enum numbering_remap remap = i % 2 ? NUMBERING_EXCH : NUMBERING_REORDER;
                    struct remote_asked q = remote_ask(remote_tianhe(), "ch4", *k, *a, procs, i & 4 ? 10000 : 200);
                    q.in_place = i & 2;
                    q.remote.cold = procs % 2;
                    shuffled_ps(q, remap, procs + i, 0);
                    uint64_t plain_ps = remote_schedule_ps(&q), same_ps = shuffled_ps(q, remap, 0, 1);
                    if (remap == NUMBERING_EXCH || !(*a)->relative)
                        assert_int_equal(same_ps, plain_ps);
                    else
                        assert_true(procs == 1 || *k != &channel_kind_er || same_ps > plain_ps);
                }
}

/* With nothing in its way a ring by any numbering is the sum of its messages, and one more of everybody that exchanges before; or
 * each block copied once in the end, and one more of the one cycle. */
static void numberings_cost_what_they_move(void **state)
{
    (void)state;
    struct nic slow = *remote_tianhe();
    slow.link_ns = quantity_of(1e6, "test");
    for (uint32_t procs = 2; procs <= 14; procs += 3)
        for (uint64_t seed = 0; seed < 3; seed++) {
            struct remote_asked q = remote_ask(&slow, "ch4", &channel_kind_er, &schedule_ring, procs, 200);
            struct nic_message m = {q.remote.kind, &q.remote.shape, 200, 0};
            uint64_t one_ps, copy_ps = nic_copy_ps(&q.remote.costs, 200, 0);
            q.in_place = 1;
            q.remote.shape.ring_bytes = 1 << 20;
            q.remote.shape.queue_initial = 64;
            assert_int_equal(nic_message_ps(&q.remote.costs, &m, &one_ps), 0);
            assert_int_equal(shuffled_ps(q, NUMBERING_EXCH, seed, 0), procs * one_ps);
            assert_int_equal(shuffled_ps(q, NUMBERING_REORDER, seed, 0), (procs - 1) * one_ps + (procs + 2) * copy_ps);
        }
}

/* ---- nodes ---- */

enum { SEND_PS = 300000, RECEIVE_PS = 200000, TIME_PS = 650000 };

static int inside(void *context, uint32_t from, uint32_t to, uint64_t bytes, struct sim_cluster_cost *out)
{
    (void)context, (void)from, (void)to, (void)bytes;
    *out = (struct sim_cluster_cost){.send_ps = SEND_PS, .receive_ps = RECEIVE_PS, .time_ps = TIME_PS};
    return 0;
}

static void nodes_bring_every_block(void **state)
{
    (void)state;
    for (const struct schedule_algorithm *const *a = schedule_table; *a; a++)
        for (uint32_t procs = 2; procs <= 10; procs += procs < 4 ? 1 : 3)
            for (const struct channel_kind *const *k = channel_kind_table;
                 *k && (*a)->kind != SCHEDULE_SCATTER && schedule_valid(*a, procs); k++)
                for (uint32_t i = 0; i < 6; i++) {
                    struct remote_asked q = remote_ask(remote_tianhe(), "ch4", *k, *a, procs, i % 2 ? 9000 : 100);
                    q.remote.ppn = 2 + i;
                    q.remote.inside = inside;
                    q.remote.cold = i / 2 % 2;
                    q.skew_ps = i == 4 ? 2000000 : 0;
                    remote_schedule_ps(&q);
                    if ((*a)->kind == SCHEDULE_ALLGATHER)
                        shuffled_ps(q, i & 2 ? NUMBERING_EXCH : NUMBERING_REORDER, i, 0);
                }
}

/* Nothing passes an interface. */
static void a_node_is_its_messages(void **state)
{
    (void)state;
    for (const struct channel_kind *const *k = channel_kind_table; *k; k++)
        for (uint32_t procs = 2; procs <= 14; procs += 3) {
            struct remote_asked q = remote_ask(remote_tianhe(), "ch4", *k, &schedule_ring, procs, 5000);
            q.remote.ppn = procs;
            q.remote.inside = inside;
            q.in_place = 1;
            assert_int_equal(remote_schedule_ps(&q), (procs - 1) * TIME_PS);
        }
}

struct pairs {
    uint32_t pairs;
    uint64_t bytes;
};

/* The first half sends, each to one of the other half. */
static void pairs_act(const void *context, uint32_t rank, uint32_t i, struct sim_remote_act *out)
{
    const struct pairs *p = context;
    *out = (struct sim_remote_act){.kind = i == 1 ? SIM_REMOTE_WAIT : SIM_REMOTE_OVER};
    if (i == 0)
        *out = (struct sim_remote_act){.kind = rank < p->pairs ? SIM_REMOTE_SEND : SIM_REMOTE_RECEIVE,
                                       .peer = rank < p->pairs ? rank + p->pairs : rank - p->pairs, .bytes = p->bytes};
}

static uint64_t pairs_ps(struct sim_remote_question q, uint32_t pairs, uint64_t bytes, int share)
{
    struct pairs p = {pairs, bytes};
    struct sim_remote_program program = {.act = pairs_act, .context = &p};
    struct sim_remote s;
    char reason[200] = "";
    uint64_t ps = 0;
    q.procs = 2 * pairs;
    q.ppn = share ? pairs : 1;
    q.inside = inside;
    assert_int_equal(sim_remote_create(&s, &q, reason, sizeof reason), 0);
    for (int call = 0; call < 2; call++)
        if (sim_remote_call(&s, &program, NULL, &ps, reason, sizeof reason))
            fail_msg("%s", reason);
    sim_remote_destroy(&s);
    return ps;
}

/* Cores of a node work beside each other; its interface takes one message after the other, what is carried at once by the gap,
 * what is fetched by its bytes. */
static void an_interface_is_shared(void **state)
{
    (void)state;
    for (uint32_t pairs = 1; pairs <= 8; pairs++)
        for (uint64_t bytes = 1; bytes <= 49; bytes *= 7) {
            struct sim_remote_question q = remote_question(remote_tianhe(), "ch4", &channel_kind_er, 2);
            struct nic_message m = {q.kind, &q.shape, bytes, 0};
            struct nic_ps idle = q.costs;
            uint64_t message_ps, stage_ps;
            idle.post_ps = idle.line_ps = idle.poll_ps = idle.send_ps = idle.receive_ps = idle.copy_start_ps = idle.copy_byte_fs =
                0;
            assert_int_equal(nic_message_ps(&q.costs, &m, &message_ps), 0);
            assert_int_equal(nic_pace_ps(&idle, &m, &stage_ps), 0);
            assert_int_equal(pairs_ps(q, pairs, bytes, 0), message_ps);
            assert_int_equal(pairs_ps(q, pairs, bytes, 1), message_ps + (pairs - 1) * stage_ps);
        }
    struct sim_remote_question q = remote_question(remote_tianhe(), "ch4", &channel_kind_zc, 2);
    uint64_t bytes = 1 << 20;
    double stream_ps = (double)bytes / nic_bytes_per_s(&q.costs) * 1e12;
    for (uint32_t pairs = 2; pairs <= 8; pairs++) {
        double more_ps = (double)(pairs_ps(q, pairs, bytes, 1) - pairs_ps(q, 1, bytes, 1));
        assert_true(more_ps > 0.99 * (pairs - 1) * stream_ps && more_ps < 1.03 * (pairs - 1) * stream_ps);
        assert_int_equal(pairs_ps(q, pairs, bytes, 0), pairs_ps(q, 1, bytes, 1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numberings_bring_every_block), cmocka_unit_test(numberings_cost_what_they_move),
        cmocka_unit_test(nodes_bring_every_block),      cmocka_unit_test(a_node_is_its_messages),
        cmocka_unit_test(an_interface_is_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
