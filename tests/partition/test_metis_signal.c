/* A SIGTERM that comes while METIS runs, whose handler takes it: who has a handler gets it afterwards, and nothing goes on. METIS
 * begins by srand(), which is this one. */
#include "tests/model/cmocka_all.h"
#include "partition/partitioner.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

static int armed, in_metis;
static volatile sig_atomic_t got;

void srand(unsigned seed)
{
    (void)seed;
    in_metis += armed;
    if (armed)
        raise(SIGTERM);
}

static void take(int signal)
{
    (void)signal;
    got++;
}

static void terms_are_passed_on(void **state)
{
    (void)state;
    static const char *const names[] = {"metis-kway", "metis-rb", "auto"};
    struct schedule schedule;
    struct graph graph;
    char reason[200];
    const struct sigaction action = {.sa_handler = take};
    assert_int_equal(sigaction(SIGTERM, &action, NULL), 0);
    assert_int_equal(schedule_init(&schedule, &schedule_bruck, 50, 0), 0);
    assert_int_equal(graph_of_schedule(&graph, &schedule), 0);
    const struct partition_problem problem = {.graph = &graph, .schedule = &schedule, .parts = 3, .seed = 1};
    for (int i = 0; i < 3; i++) {
        struct partition made;
        got = in_metis = 0;
        armed = 1;
        int error = partition_make(partitioner_find(names[i]), &problem, &made, reason, sizeof reason);
        armed = 0;
        assert_true(in_metis);
        assert_int_equal(error, -EINTR);
        assert_int_equal(got, 1);
        assert_int_equal(partition_make(partitioner_find(names[i]), &problem, &made, reason, sizeof reason), 0);
        partition_destroy(&made);
    }
    graph_destroy(&graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(terms_are_passed_on)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
