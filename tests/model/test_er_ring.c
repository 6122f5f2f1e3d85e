/* The exclusive ring's arithmetic against a ring of words, in all orders of sends, reads and credits of a small case: nothing is
 * overwritten, nothing that was not sent is taken for a message, and no credit is lost; positions wrap on the way. */
#include "model/channel/er_ring.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

enum { UNITS = 4, MESSAGES = 5, LENGTH_MOST = 3 };

/* A ring of first words, as both see them, and lengths of messages sent and not read. */
struct world {
    struct er_sender s;
    struct er_receiver r;
    uint32_t word[UNITS];
    uint32_t length[UNITS]; /* of the message whose header this is */
    uint32_t told;          /* the word in which credits are returned */
    uint32_t sent, received;
    uint32_t lengths[MESSAGES];
    int clears; /* 0: the seeded bug */
};

static uint64_t wrong, ends;

/* Payload words are the worst there is: the stamp that this very unit's next use will have. */
static void send(struct world *w)
{
    uint32_t n = w->lengths[w->sent++], *behind = &w->word[er_unit(UNITS, w->s.at + n)];
    for (uint32_t i = 1; i < n; i++)
        w->word[er_unit(UNITS, w->s.at + i)] = er_stamp(w->s.at + i + UNITS);
    if (w->clears && er_false_stamp(&w->s, n, *behind))
        *behind = er_blank(w->s.at + n);
    w->word[er_unit(UNITS, w->s.at)] = er_stamp(w->s.at);
    w->length[er_unit(UNITS, w->s.at)] = n;
    w->s.at += n;
}

static void receive(struct world *w)
{
    uint32_t n = w->length[er_unit(UNITS, w->r.at)];
    wrong += w->received >= w->sent || n != w->lengths[w->received]; /* never sent, or overwritten */
    w->received++;
    er_consume(&w->r, n);
    if (er_due(&w->r))
        w->told = er_tell(&w->r);
}

static int in_order(const struct world *w)
{
    uint32_t told = w->told, at = w->r.at;
    return w->s.at - w->s.consumed < UNITS && told - w->s.consumed <= w->s.at - w->s.consumed && at - told <= w->s.at - told;
}

static void explore(const struct world *now)
{
    struct world w = *now;
    int stuck = 1;
    if (w.sent < MESSAGES && er_room(&w.s) >= w.lengths[w.sent]) {
        stuck = 0;
        send(&w);
        wrong += !in_order(&w);
        explore(&w);
        w = *now;
    }
    if (w.word[er_unit(UNITS, w.r.at)] == er_stamp(w.r.at) && w.received < MESSAGES) {
        stuck = 0;
        receive(&w);
        if (w.received <= w.sent)
            explore(&w);
        w = *now;
    }
    if (w.told != w.s.consumed) {
        stuck = 0;
        er_hear(&w.s, w.told);
        wrong += w.s.consumed != w.told || !in_order(&w);
        explore(&w);
        w = *now;
    }
    ends += (uint64_t)stuck;
    wrong += stuck && (w.sent < MESSAGES || w.received < MESSAGES);
}

static void explore_all(uint32_t start, int clears)
{
    wrong = ends = 0;
    for (uint32_t code = 0; code < 243; code++) { /* all lengths of five messages */
        struct world w = {
            .s = er_sender_start(UNITS, start), .r = er_receiver_start(UNITS, start), .told = start, .clears = clears};
        for (uint32_t i = 0, c = code; i < MESSAGES; i++, c /= LENGTH_MOST)
            w.lengths[i] = 1 + c % LENGTH_MOST;
        for (uint32_t i = 0; i < UNITS; i++)
            w.word[er_unit(UNITS, start + i)] = er_blank(start + i);
        explore(&w);
    }
}

static void every_order_is_right(void **state)
{
    (void)state;
    for (uint32_t start = 0u - 9; start != 3; start++) {
        explore_all(start, 1);
        assert_int_equal(wrong, 0);
        assert_true(ends > 1000);
    }
}

static void a_stamp_left_in_payload_is_found(void **state)
{
    (void)state;
    explore_all(0, 0);
    assert_true(wrong > 0);
}

static void credits_heard_out_of_order_do_no_harm(void **state)
{
    struct er_sender s = er_sender_start(8, 0u - 3);
    (void)state;
    s.at += 7;
    assert_int_equal(er_room(&s), 0);
    er_hear(&s, 2);
    er_hear(&s, 0u - 1); /* an older one */
    assert_int_equal(er_room(&s), 5);
    er_hear(&s, 100); /* one that cannot be */
    assert_int_equal(er_room(&s), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_order_is_right),
        cmocka_unit_test(a_stamp_left_in_payload_is_found),
        cmocka_unit_test(credits_heard_out_of_order_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
