/* GOAL programs in simulated time: single messages by hand, schedules against the closed form, deadlocks. */
#include "tests/model/cmocka_all.h"
#include "tests/sim/goal_case.h"

#include "sim/goal_run.h"
#include "sim/sim_cluster.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct loggp slow = {2500000, 1500000, 1000000, 900000, 6000000};
/* The NIC is what all wait for; a byte takes no whole number of picoseconds. */
static const struct loggp gaps = {100, 30, 5000, 7000, 571429};
static const struct loggp free_of_cost = {0};

static uint64_t run_ps(const struct goal_program *program, const struct loggp *network)
{
    struct goal_outcome outcome;
    char reason[300] = "";
    if (goal_run(program, network, 0, &outcome, reason, sizeof reason))
        fail_msg("%s", reason);
    uint64_t time_ps = outcome.time_ps;
    goal_outcome_destroy(&outcome);
    return time_ps;
}

static uint64_t text_ps(const char *text, const struct loggp *network)
{
    struct goal_program program;
    goal_case_text(text, &program);
    uint64_t time_ps = run_ps(&program, network);
    goal_program_destroy(&program);
    return time_ps;
}

static void messages_by_hand(void **state)
{
    (void)state;
    const struct loggp n = {.latency_ps = 1000, .overhead_ps = 10, .gap_ps = 300, .receiver_gap_ps = 200, .byte_fs = 2000};
    /* o + L + 9 G + o */
    assert_int_equal(text_ps("num_ranks 2\nrank 0 {\nsend 10b to 1\n}\nrank 1 {\nrecv 10b from 0\n}\n", &n), 10 + 1000 + 18 + 10);
    /* Nothing to send takes no byte's time. */
    assert_int_equal(text_ps("num_ranks 2\nrank 0 {\nsend 0b to 1\n}\nrank 1 {\nrecv 0b from 0\n}\n", &n), 1020);
    /* The second leaves g + 9 G after the first. */
    assert_int_equal(text_ps("num_ranks 2\nrank 0 {\nsend 10b to 1\nsend 10b to 1\n}\n"
                             "rank 1 {\nrecv 10b from 0\nrecv 10b from 0\n}\n", &n),
                     300 + 18 + 10 + 1000 + 18 + 10);
    /* By another NIC only the processor is in the way: the second is o later, and both come in by their own. */
    assert_int_equal(text_ps("num_ranks 2\nrank 0 {\nsend 10b to 1 tag 1\nsend 10b to 1 tag 2 nic 1\n}\n"
                             "rank 1 {\nrecv 10b from 0 tag 1\nrecv 10b from 0 tag 2 nic 1\n}\n", &n),
                     10 + 10 + 1000 + 18 + 10);
    /* Two senders, one receiver: the NIC takes one after the other, gr between. */
    assert_int_equal(text_ps("num_ranks 3\nrank 0 {\nsend 10b to 2\n}\nrank 1 {\nsend 10b to 2\n}\n"
                             "rank 2 {\nrecv 10b from 0\nrecv 10b from 1\n}\n", &n),
                     10 + 1000 + 18 + 200 + 18 + 10);
    /* A receive posted late finds the message there and pays o alone; calc is in nanoseconds. */
    assert_int_equal(text_ps("num_ranks 2\nrank 0 {\nsend 10b to 1\n}\n"
                             "rank 1 {\nc: calc 5\nr: recv 10b from 0\nr requires c\n}\n", &n), 5000 + 10);
    /* irequires: begun with the calc, so posted at 0; the calc has the processor until 5000. */
    assert_int_equal(text_ps("num_ranks 2\nrank 0 {\nsend 10b to 1\n}\n"
                             "rank 1 {\nc: calc 5\nr: recv 10b from 0 cpu 1\nr irequires c\n}\n", &n), 5000);
    assert_int_equal(text_ps("num_ranks 1\nrank 0 {\ncalc 5\ncalc 7\ncalc 3 cpu 1\n}\n", &n), 12000);
}

static void spent_is(const char *text, uint32_t rank, struct goal_spent want)
{
    const struct loggp n = {.latency_ps = 1000, .overhead_ps = 10, .gap_ps = 300, .receiver_gap_ps = 200, .byte_fs = 2000};
    struct goal_program program;
    struct goal_outcome outcome;
    char reason[300] = "";
    goal_case_text(text, &program);
    if (goal_run(&program, &n, 1, &outcome, reason, sizeof reason))
        fail_msg("%s", reason);
    assert_int_equal(outcome.spent[rank].busy_ps, want.busy_ps);
    assert_int_equal(outcome.spent[rank].wait_ps, want.wait_ps);
    assert_int_equal(outcome.spent[rank].network_ps, want.network_ps);
    assert_int_equal(outcome.spent[rank].contention_ps, want.contention_ps);
    goal_outcome_destroy(&outcome);
    goal_program_destroy(&program);
}

static void where_time_went(void **state)
{
    static const char incast[] = "num_ranks 3\nrank 0 {\nsend 10b to 2\n}\nrank 1 {\nsend 10b to 2\n}\n"
                                 "rank 2 {\nrecv 10b from 0\nrecv 10b from 1\n}\n";
    static const char late[] = "num_ranks 2\nrank 0 {\nc: calc 5\ns: send 10b to 1\ns requires c\n}\n"
                               "rank 1 {\nrecv 10b from 0\n}\n";
    static const char pair[] = "num_ranks 2\nrank 0 {\nsend 10b to 1\nsend 10b to 1\n}\n"
                               "rank 1 {\nrecv 10b from 0\nc: calc 5\nr: recv 10b from 0\nr requires c\n}\n";
    (void)state;
    spent_is(incast, 0, (struct goal_spent){.busy_ps = 10});
    /* The second comes in gr and its bytes after the first, of which its overhead is hidden. */
    spent_is(incast, 2, (struct goal_spent){.busy_ps = 20, .network_ps = 1028, .contention_ps = 200 + 18 - 10});
    spent_is(late, 0, (struct goal_spent){.busy_ps = 5010});
    spent_is(late, 1, (struct goal_spent){.busy_ps = 10, .wait_ps = 5000, .network_ps = 1028});
    /* The own NIC still sends; what came long ago costs its overhead alone. */
    spent_is(pair, 0, (struct goal_spent){.busy_ps = 20, .network_ps = 300 + 18 - 10});
    spent_is(pair, 1, (struct goal_spent){.busy_ps = 5020});
}

static uint64_t bytes_ps(const struct loggp *n, uint64_t bytes)
{
    return bytes < 2 ? 0 : (uint64_t)(((unsigned __int128)(bytes - 1) * n->byte_fs + 500) / 1000);
}

/* Ranks that do the same at the same time, with these sizes step by step. */
static uint64_t together_ps(const struct loggp *n, const uint64_t *bytes, uint32_t steps)
{
    uint64_t at_ps = 0, trip_ps = 2 * n->overhead_ps + n->latency_ps, between_ps = trip_ps;
    between_ps = n->gap_ps > between_ps ? n->gap_ps : between_ps;
    between_ps = n->receiver_gap_ps > between_ps ? n->receiver_gap_ps : between_ps;
    for (uint32_t k = 0; k < steps; k++)
        at_ps += bytes_ps(n, bytes[k]) + (k + 1 < steps ? between_ps : trip_ps);
    return at_ps;
}

static uint64_t closed_ps(const struct schedule_algorithm *algorithm, const struct loggp *n, uint32_t procs, uint64_t block)
{
    uint64_t bytes[4096];
    uint32_t steps = 0;
    if (algorithm == &schedule_ring)
        while (steps + 1 < procs)
            bytes[steps++] = block;
    else
        for (uint64_t have = 1; have < procs; have *= 2)
            bytes[steps++] = block * (2 * have <= procs ? have : procs - have);
    return together_ps(n, bytes, steps);
}

/* The tree edge by edge: rank v hears from v without its lowest bit, whose children v + 2^j go largest first. */
static uint64_t binomial_ps(const struct loggp *n, uint32_t procs, uint64_t bytes)
{
    uint64_t *heard_ps = calloc(procs, sizeof *heard_ps), last_ps = 0, stream_ps = bytes_ps(n, bytes);
    uint64_t apart_ps = n->gap_ps + stream_ps > n->overhead_ps ? n->gap_ps + stream_ps : n->overhead_ps;
    for (uint32_t v = 0; v < procs; v++) {
        uint64_t at_ps = heard_ps[v];
        for (uint32_t bit = v ? (v & -v) >> 1 : 1u << 30; bit; bit >>= 1)
            if (v + bit < procs) {
                heard_ps[v + bit] = at_ps + 2 * n->overhead_ps + n->latency_ps + stream_ps;
                last_ps = heard_ps[v + bit] > last_ps ? heard_ps[v + bit] : last_ps;
                at_ps += apart_ps;
            }
    }
    free(heard_ps);
    return last_ps;
}

static void compare(const struct schedule_algorithm *algorithm, uint32_t procs, uint64_t block)
{
    static const struct loggp *const networks[] = {&slow, &gaps, &free_of_cost};
    struct schedule schedule;
    struct goal_program program;
    if (schedule_init(&schedule, algorithm, procs, 0))
        return;
    goal_case_schedule(&schedule, block, &program);
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        uint64_t want_ps = algorithm == &schedule_binomial ? binomial_ps(networks[i], procs, block)
                                                           : closed_ps(algorithm, networks[i], procs, block);
        uint64_t got_ps = run_ps(&program, networks[i]);
        if (got_ps != want_ps)
            fail_msg("%s, %u ranks, %llu bytes, network %zu: %llu ps, closed form %llu ps", algorithm->name, procs,
                     (unsigned long long)block, i, (unsigned long long)got_ps, (unsigned long long)want_ps);
    }
    goal_program_destroy(&program);
}

static void schedules_take_the_closed_form(void **state)
{
    (void)state;
    static const struct schedule_algorithm *const all[] = {&schedule_ring, &schedule_recursive_doubling, &schedule_bruck,
                                                           &schedule_binomial};
    static const uint32_t large[] = {127, 256, 1000, 1024, 4095, 4096};
    for (size_t a = 0; a < sizeof all / sizeof *all; a++) {
        for (uint32_t procs = 1; procs <= 70; procs++)
            for (uint64_t block = 0; block < 4000; block = 7 * block + 1)
                compare(all[a], procs, block);
        for (size_t i = 0; i < sizeof large / sizeof *large; i++)
            if (all[a] != &schedule_ring || large[i] <= 256)
                compare(all[a], large[i], 1024);
    }
}

/* The program that was written from a schedule does what the schedule does where it is executed as such. */
static void agree(const struct schedule *schedule, uint64_t size_bytes, const struct loggp *network)
{
    struct sim_cluster_question question = {.loggp = network, .schedule = schedule, .size_bytes = size_bytes};
    struct sim_cluster_answer answer;
    struct goal_program program;
    struct goal_outcome outcome;
    char reason[300] = "";
    goal_case_schedule(schedule, size_bytes, &program);
    if (sim_cluster_run(&question, &answer, reason, sizeof reason) ||
        goal_run(&program, network, 0, &outcome, reason, sizeof reason))
        fail_msg("%s, %u ranks: %s", schedule->algorithm->name, schedule->procs, reason);
    if (outcome.time_ps != answer.time_ps)
        fail_msg("%s, %u ranks: %llu ps by GOAL, %llu ps by the schedule", schedule->algorithm->name, schedule->procs,
                 (unsigned long long)outcome.time_ps, (unsigned long long)answer.time_ps);
    assert_int_equal(outcome.messages, answer.messages);
    assert_int_equal(outcome.bytes, answer.bytes_received);
    goal_outcome_destroy(&outcome);
    goal_program_destroy(&program);
}

static void every_schedule_agrees_with_its_execution(void **state)
{
    (void)state;
    for (const struct schedule_algorithm *const *a = schedule_table; *a; a++)
        for (uint32_t procs = 1; procs <= 40; procs++) {
            struct schedule schedule;
            uint32_t root = (*a)->kind == SCHEDULE_ALLGATHER ? 0 : procs / 3;
            if (schedule_init(&schedule, *a, procs, root))
                continue;
            agree(&schedule, 100, &slow);
            agree(&schedule, 12345, &gaps);
            agree(&schedule, 1, &free_of_cost);
        }
}

static void refuses(const char *text, const struct loggp *network, int error, const char *says)
{
    struct goal_program program;
    struct goal_outcome outcome;
    char reason[300] = "";
    goal_case_text(text, &program);
    assert_int_equal(goal_run(&program, network, 0, &outcome, reason, sizeof reason), error);
    if (!strstr(reason, says) || strchr(reason, '\n'))
        fail_msg("'%s' does not say '%s'", reason, says);
    goal_program_destroy(&program);
}

static void failures_are_told(void **state)
{
    (void)state;
    refuses("num_ranks 3\nrank 0 {\nr: recv 1b from 1\ns: send 1b to 1\ns requires r\n}\n"
            "rank 1 {\nr: recv 1b from 0\ns: send 1b to 0\ns requires r\n}\n", &slow, -EDEADLK,
            "deadlock: rank 0 waits for rank 1 (line 3), rank 1 waits for rank 0 (line 8)");
    refuses("num_ranks 2\nrank 0 {\nr: recv 1b from -1\ns: send 1b to 0\ns requires r\n}\n", &slow, -EDEADLK,
            "deadlock: rank 0 waits for any rank (line 3)");
    refuses("num_ranks 2\nrank 0 {\nsend 9b to 1\n}\nrank 1 {\nrecv 8b from 0\n}\n", &slow, -EMSGSIZE,
            "line 6: rank 1 receives 8 bytes of the 9 that rank 0 sends in line 3");
    refuses("num_ranks 1\nrank 0 {\ncalc 9223372036854775808\n}\n", &slow, -EOVERFLOW, "106 days");
    refuses("num_ranks 2\nrank 0 {\nsend 18446744073709551000b to 1\n}\nrank 1 {\nrecv 18446744073709551000b from 0\n}\n", &slow,
            -EOVERFLOW, "106 days");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_by_hand),
        cmocka_unit_test(where_time_went),
        cmocka_unit_test(schedules_take_the_closed_form),
        cmocka_unit_test(every_schedule_agrees_with_its_execution),
        cmocka_unit_test(failures_are_told),
    };
    return cmocka_run_group_tests_name("goal_run", tests, NULL, NULL);
}
