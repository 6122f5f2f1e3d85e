/* Corrupted control values end in an error or in success: no rank crashes, hangs, or touches what is not its own. */
#include "leftovers.h"
#include "scribble_case.h"
#include "watched_launch.h"

#include "kernels/clock.h"
#include "kernels/peer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MOST = 60 };

static uint64_t seed;

static void scribble_round(const struct protocol *protocol, uint64_t round, struct scribble_count *count)
{
    for (int target = 0; target < SCRIBBLE_TARGETS; target++)
        for (uint32_t i = 0; i < 4; i++) {
            struct leftovers before = leftovers_count();
            char reason[COMM_REASON_BYTES];
            struct scribble_case c = {.protocol = protocol, .procs = 2 + i % 2 * 2, .target = (enum scribble_target)target,
                                      .seed = (seed + round) * 64 + (uint64_t)target * 8 + i, .in_area = i == 3,
                                      .pause_max_ns = i % 2 ? 2000 : 100000};
            if (scribble_case_run(&c, count, reason))
                fail_msg("%s p=%u target=%d seed=%llu: %s", protocol->name, c.procs, target, (unsigned long long)c.seed, reason);
            if (leftovers_find(before))
                fail_msg("%s seed=%llu: left behind: %s", protocol->name, (unsigned long long)c.seed, leftovers_find(before));
        }
}

/* Once more where all was over before a word that matters was hit. */
static void scribbled_over(void **state)
{
    (void)state;
    for (const struct protocol *const *p = protocol_table; *p; p++) {
        struct scribble_count count = {0};
        for (uint64_t round = 0; round == 0 || (round < ROUNDS_MOST && count.errors == 0); round++)
            scribble_round(*p, round, &count);
        print_message("%-16s %6llu scribbles, %5llu calls done, %3llu ranks ended in error\n", (*p)->name,
                      (unsigned long long)count.scribbles, (unsigned long long)count.calls, (unsigned long long)count.errors);
        if (count.scribbles == 0 || count.errors == 0)
            fail_msg("%s: scribbling had no effect", (*p)->name);
    }
}

/* A card is good for one call, and for what it offers. */
static void cards_checked(void **state)
{
    (void)state;
    int32_t here[1] = {0};
    char buffer[100] = "", to[100] = "";
    struct peer_card card;
    struct peers peers = {.procs = 1, .pid = here, .secret = 77, .base = NULL, .call = 5};
    peer_offer(&peers, &card, buffer, sizeof buffer);
    assert_int_equal(peer_read(&peers, 0, &card, 0, to, sizeof to, COPY_MEMCPY), 0);
    assert_int_equal(peer_read(&peers, 0, &card, 1, to, sizeof to, COPY_MEMCPY), -EPROTO);
    assert_int_equal(peer_read(&peers, 1, &card, 0, to, sizeof to, COPY_MEMCPY), -EPROTO);
    for (size_t bit = 0; bit < sizeof card * 8; bit++) {
        struct peer_card bad = card;
        ((unsigned char *)&bad)[bit / 8] ^= (unsigned char)(1 << bit % 8);
        assert_int_equal(peer_read(&peers, 0, &bad, 0, to, 1, COPY_MEMCPY), -EPROTO);
        assert_int_equal(peer_write(&peers, 0, &bad, 0, to, 1, COPY_MEMCPY), -EPROTO);
    }
    peers.call++;
    assert_int_equal(peer_read(&peers, 0, &card, 0, to, 1, COPY_MEMCPY), -EPROTO);
    peers.call--;
    peer_withdraw(&card);
    assert_int_equal(peer_read(&peers, 0, &card, 0, to, 1, COPY_MEMCPY), -EPROTO);
}

int main(void)
{
    if (!backend_runs(BACKEND_PROCS))
        return 77; /* all of this is about processes */
    const char *given = getenv("SHMCOLL_TEST_SEED");
    seed = given ? strtoull(given, NULL, 0) : clock_monotonic_ns() % 1000000;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* ranks are forked */
    print_message("seed %llu\n", (unsigned long long)seed);
    const struct CMUnitTest tests[] = {cmocka_unit_test(cards_checked), cmocka_unit_test(scribbled_over)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
