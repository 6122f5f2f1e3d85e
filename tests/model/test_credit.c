/* credit: the arithmetic by itself, and random traffic through a queue that has just the slots it promises to need. */
#include "tests/model/cmocka_all.h"

#include "model/channel/credit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SENDERS_MAX = 7, SLOTS_MAX = 64 };

struct packet {
    uint32_t sender;
    struct credit_note note;
    int data;
};

/* One receiver, its queue, and the senders' halves. */
struct bench {
    struct credit_pool pool;
    struct credit_account account[SENDERS_MAX];
    struct credit_sender sender[SENDERS_MAX];
    uint32_t word[SENDERS_MAX];
    uint32_t waiting[SENDERS_MAX], kept[SENDERS_MAX];
    struct packet queue[SLOTS_MAX];
    uint32_t head, tail, slots;
    uint64_t stores, recalls, gives;
};

static void bench_start(struct bench *b, uint32_t senders, uint32_t initial, uint32_t slots, uint32_t total)
{
    *b = (struct bench){.slots = slots};
    assert_int_equal(credit_pool_start(&b->pool, senders, initial, slots), 0);
    for (uint32_t i = 0; i < senders; i++) {
        credit_sender_start(&b->sender[i], initial, total);
        credit_account_start(&b->account[i], initial, total);
        b->word[i] = total + initial;
    }
}

static uint32_t bench_room(const struct bench *b)
{
    uint32_t used = b->tail - b->head;
    for (uint32_t i = 0; i < b->pool.senders; i++)
        used += b->kept[i];
    return used;
}

static void bench_check(const struct bench *b)
{
    assert_true(credit_pool_sound(&b->pool, b->account, b->slots));
    assert_true(bench_room(b) <= b->slots);
    uint64_t credits = bench_room(b);
    for (uint32_t i = 0; i < b->pool.senders; i++) {
        assert_true((int32_t)(b->account[i].allowed - b->sender[i].limit) >= 0);
        assert_true((int32_t)(b->sender[i].limit - b->sender[i].spent) >= 0);
        credits += credit_sender_credits(&b->sender[i]);
    }
    assert_true(credits <= b->slots);
}

static void bench_push(struct bench *b, uint32_t i, struct credit_note note, int data)
{
    assert_true(b->tail - b->head < b->slots);
    b->queue[b->tail++ % b->slots] = (struct packet){.sender = i, .note = note, .data = data};
}

/* Returns whether the sender could do anything. */
static int bench_send(struct bench *b, uint32_t i)
{
    struct credit_sender *s = &b->sender[i];
    struct credit_note note = {0};
    if (credit_sender_gives(s, b->waiting[i])) {
        credit_sender_give(s, &note);
        bench_push(b, i, note, 0);
        b->gives++;
        return 1;
    }
    if (b->waiting[i] && credit_sender_credits(s) == 0)
        credit_sender_hear(s, b->word[i], 0);
    if (!b->waiting[i] || credit_sender_credits(s) == 0)
        return 0;
    credit_sender_spend(s, --b->waiting[i], &note);
    bench_push(b, i, note, 1);
    return 1;
}

static void bench_tell(struct bench *b, uint32_t i)
{
    if (!credit_account_due(&b->pool, &b->account[i]))
        return;
    b->word[i] = credit_account_tell(&b->pool, &b->account[i]);
    b->stores++;
}

static void bench_release(struct bench *b, uint32_t i, uint32_t flags)
{
    credit_account_release(&b->pool, &b->account[i], flags);
    bench_tell(b, i);
}

/* Reads a packet, if there is one; the payload of data may be kept. The way back is a packet at once. */
static int bench_receive(struct bench *b, int keep)
{
    if (b->head == b->tail)
        return 0;
    struct packet p = b->queue[b->head++ % b->slots];
    credit_account_see(&b->pool, &b->account[p.sender], &p.note);
    if (p.data && keep) {
        b->kept[p.sender]++;
        bench_tell(b, p.sender);
    } else {
        bench_release(b, p.sender, p.note.flags);
    }
    int64_t idle = p.data ? credit_pool_seek(&b->pool, b->account) : CREDIT_NOBODY;
    if (idle != CREDIT_NOBODY) {
        credit_sender_hear(&b->sender[idle], credit_account_tell(&b->pool, &b->account[idle]), CREDIT_RECALL);
        b->recalls++;
    }
    return 1;
}

/* All in flight arrives and all that waits is sent. */
static void bench_drain(struct bench *b)
{
    int moved = 1;
    while (moved) {
        moved = bench_receive(b, 0);
        for (uint32_t i = 0; i < b->pool.senders; i++) {
            moved |= bench_send(b, i);
            if (b->kept[i]) {
                b->kept[i]--;
                bench_release(b, i, 0);
                moved = 1;
            }
            bench_check(b);
        }
    }
    for (uint32_t i = 0; i < b->pool.senders; i++)
        assert_int_equal(b->waiting[i], 0);
}

static void sizes(void **state)
{
    (void)state;
    struct credit_pool pool;
    assert_int_equal(credit_slots(63, 2, 64), 256);
    assert_int_equal(credit_slots(1, 1, 0), 1);
    assert_int_equal(credit_slots(4, 2, 0), 8);
    assert_int_equal(credit_slots(4, 2, 1), 16);
    assert_int_equal(credit_slots(1u << 31, 1, 0), 1u << 31);
    assert_int_equal(credit_slots(UINT32_MAX, 1, 1), 0);
    assert_int_equal(credit_slots(UINT32_MAX, UINT32_MAX, UINT32_MAX), 0);
    assert_int_equal(credit_pool_start(&pool, 0, 1, 8), -EINVAL);
    assert_int_equal(credit_pool_start(&pool, 2, 0, 8), -EINVAL);
    assert_int_equal(credit_pool_start(&pool, 3, 3, 8), -EINVAL);
    assert_int_equal(credit_pool_start(&pool, UINT32_MAX, UINT32_MAX, UINT32_MAX), -EINVAL);
    assert_int_equal(credit_pool_start(&pool, 3, 2, 8), 0);
    assert_int_equal(pool.free, 2);
}

/* A sender stops after its credits, and goes on by the word as soon as room is free, across the wrap of its counters. */
static void stops_and_goes_on(void **state)
{
    (void)state;
    struct bench b;
    bench_start(&b, 1, 3, 3, UINT32_MAX - 1);
    b.waiting[0] = 10;
    assert_true(bench_send(&b, 0) && bench_send(&b, 0) && bench_send(&b, 0));
    assert_false(bench_send(&b, 0));
    assert_true(bench_receive(&b, 1));
    assert_true(bench_receive(&b, 1));
    assert_true(bench_receive(&b, 1));
    assert_false(bench_send(&b, 0)); /* all kept */
    assert_int_equal(b.stores, 0);
    b.kept[0]--;
    bench_release(&b, 0, 0);
    assert_int_equal(b.stores, 1);
    assert_true(bench_send(&b, 0));
    assert_false(bench_send(&b, 0));
    bench_drain(&b);
    assert_int_equal(b.sender[0].spent, 8);
}

static void an_old_limit_takes_nothing_back(void **state)
{
    (void)state;
    struct credit_sender s;
    credit_sender_start(&s, 2, UINT32_MAX);
    credit_sender_hear(&s, 4, 0);
    credit_sender_hear(&s, 2, 0);
    credit_sender_hear(&s, UINT32_MAX, 0);
    assert_int_equal(credit_sender_credits(&s), 5);
}

/* Half of what a sender has comes back as one store, or none where packets go the other way. */
static void returns_are_few(void **state)
{
    (void)state;
    struct bench b;
    bench_start(&b, 1, 8, 8, 0);
    for (uint32_t n = 0; n < 64; n++) {
        b.waiting[0] = 1;
        assert_true(bench_send(&b, 0));
        bench_receive(&b, 0);
    }
    assert_int_equal(b.stores, 16);
    for (uint32_t n = 0; n < 64; n++) {
        b.waiting[0] = 1;
        assert_true(bench_send(&b, 0));
        bench_receive(&b, 0);
        credit_sender_hear(&b.sender[0], credit_account_tell(&b.pool, &b.account[0]), 0); /* the answer carries it */
    }
    assert_int_equal(b.stores, 16);
}

/* A lone sender that asks gets the whole pool, doubling; one that has enough gets nothing. */
static void a_request_is_granted(void **state)
{
    (void)state;
    struct bench b;
    bench_start(&b, 4, 2, 32, 77);
    b.waiting[1] = 2;
    bench_drain(&b);
    assert_int_equal(b.account[1].extension, 0);
    uint32_t had = 2;
    for (b.waiting[0] = 400; b.waiting[0] > 300;) {
        bench_send(&b, 0);
        bench_receive(&b, 0);
        uint32_t has = 2 + b.account[0].extension;
        assert_true(has == had || has == 2 * had || (has == 26 && has < 2 * had));
        had = has;
    }
    assert_int_equal(b.account[0].extension, 24);
    assert_int_equal(b.pool.free, 0);
    bench_drain(&b);
}

/* A second one that asks comes to its part of the pool, though the first keeps asking. */
static void the_pool_is_shared(void **state)
{
    (void)state;
    struct bench b;
    bench_start(&b, 4, 2, 32, 0);
    for (uint32_t n = 0; n < 2000; n++) {
        b.waiting[0] = 100;
        b.waiting[2] = n < 500 ? 0 : 100;
        while (bench_send(&b, 0) || bench_send(&b, 2)) {}
        bench_receive(&b, 0);
        bench_check(&b);
        if (n == 499)
            assert_int_equal(b.account[0].extension, 24);
    }
    assert_in_range(b.account[0].extension, 11, 13);
    assert_in_range(b.account[2].extension, 11, 13);
    bench_drain(&b);
}

/* What an idle sender has beyond its initial credits goes to who asks: the owed part at once, the rest by RECALL and GIVE. */
static void the_idle_give_back(void **state)
{
    (void)state;
    struct bench b;
    bench_start(&b, 4, 2, 32, UINT32_MAX - 200);
    b.waiting[3] = 300;
    bench_drain(&b);
    assert_int_equal(b.account[3].extension, 24);
    assert_int_equal(b.recalls, 0); /* nobody wants it */
    for (uint32_t n = 0; n < 60; n++) {
        b.waiting[1] = 100;
        bench_send(&b, 1);
        bench_send(&b, 3);
        bench_receive(&b, 0);
        bench_receive(&b, 0);
        bench_check(&b);
    }
    assert_int_equal(b.account[3].extension, 0);
    assert_int_equal(credit_sender_credits(&b.sender[3]), 2);
    assert_int_equal(b.account[1].extension, 24);
    assert_int_equal(b.gives, 1);
    bench_drain(&b);
}

static uint32_t random_below(uint64_t *seed, uint32_t limit)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return (uint32_t)((*seed >> 32) % limit);
}

/* Bursts, slow receivers, kept packets, limits on answers and by the word. */
static void random_steps(struct bench *b, uint64_t *seed, uint32_t steps)
{
    uint32_t eager = 1 + random_below(seed, 8);
    while (steps--) {
        uint32_t i = random_below(seed, b->pool.senders), what = random_below(seed, 10);
        if (what == 0)
            b->waiting[i] += random_below(seed, 12);
        else if (what < 1 + eager)
            bench_send(b, i);
        else if (what == 9 && b->kept[i]) {
            b->kept[i]--;
            bench_release(b, i, 0);
        } else if (what == 8)
            credit_sender_hear(&b->sender[i], credit_account_tell(&b->pool, &b->account[i]), 0);
        else
            bench_receive(b, random_below(seed, 4) == 0);
        bench_check(b);
    }
}

static void random_traffic(void **state)
{
    (void)state;
    uint64_t recalls = 0, gives = 0, stores = 0;
    for (uint64_t run = 1; run <= 400; run++) {
        uint64_t seed = run * 0x9E3779B97F4A7C15u;
        uint32_t senders = 1 + random_below(&seed, SENDERS_MAX), initial = 1 + random_below(&seed, 4);
        uint32_t slots = senders * initial + random_below(&seed, SLOTS_MAX - senders * initial + 1);
        struct bench b;
        bench_start(&b, senders, initial, slots, UINT32_MAX - random_below(&seed, 1000));
        random_steps(&b, &seed, 4000);
        bench_drain(&b);
        recalls += b.recalls;
        gives += b.gives;
        stores += b.stores;
    }
    assert_true(recalls > 1000 && gives > 1000 && stores > 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),
        cmocka_unit_test(stops_and_goes_on),
        cmocka_unit_test(an_old_limit_takes_nothing_back),
        cmocka_unit_test(returns_are_few),
        cmocka_unit_test(a_request_is_granted),
        cmocka_unit_test(the_pool_is_shared),
        cmocka_unit_test(the_idle_give_back),
        cmocka_unit_test(random_traffic),
    };
    return cmocka_run_group_tests_name("credit", tests, NULL, NULL);
}
