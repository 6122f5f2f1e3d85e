/* The trace written for ui.perfetto.dev: valid JSON with every step in it. */
#include "tests/model/cmocka_all.h"

#include "experiments/trace_json.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 4 };

static struct node node;
static uint32_t core_of_rank[RANKS];

static int create_node(void **state)
{
    (void)state;
    if (node_create(&node, 1, RANKS) != 0)
        return -1;
    node.contention_free = 1;
    node.paper = (struct paper_costs){quantity_of(1e-9, "test"), quantity_of(50e-9, "test"), quantity_of(100e-9, "test"),
                                      quantity_of(10e-9, "test")};
    return placement_fill("compact", &node, RANKS, core_of_rank);
}

static int destroy_node(void **state)
{
    (void)state;
    node_destroy(&node);
    return 0;
}

static struct scenario bcast(uint32_t procs, uint64_t fragments, uint32_t slots, uint32_t sets)
{
    return (struct scenario){
        .machine = {.node = &node, .nodes = 1},
        .placement = {.name = "compact", .core_of_rank = core_of_rank},
        .job = {.kind = JOB_BCAST, .procs = procs, .bcast = {.size_bytes = fragments * 1024}},
        .params = {.protocol = &protocol_pipelined, .fragment_bytes = 1024, .slots = slots, .sets = sets},
        .conditions = {.buffer_domain = -1, .reps = 1},
        .variant = "",
    };
}

static char *json_trace(const struct scenario *scenario, const char *title, double *time_s)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    struct trace_json trace;
    struct outcome outcome;
    assert_non_null(out);
    trace_json_begin(&trace, out, title, scenario->job.procs, 0);
    assert_int_equal(evaluator_sim.evaluate(scenario, &trace.sink, &outcome), 0);
    assert_int_equal(trace_json_end(&trace), 0);
    *time_s = outcome.time_s;
    outcome_destroy(&outcome);
    fclose(out);
    return text;
}

static void json_is_valid_and_complete(void **state)
{
    (void)state;
    struct scenario scenario = bcast(RANKS, 8, 4, 2);
    double time_s, copied[RANKS] = {0}, last_us = 0, end_us[RANKS] = {0};
    char *text = json_trace(&scenario, "a \"title\" with \\ and \n", &time_s);
    json_error_t error;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error), *event;
    size_t i;
    if (!root)
        fail_msg("line %d: %s", error.line, error.text);
    json_array_foreach(json_object_get(root, "traceEvents"), i, event)
    {
        const char *phase = json_string_value(json_object_get(event, "ph"));
        assert_non_null(phase);
        if (strcmp(phase, "X") != 0)
            continue;
        json_int_t rank = json_integer_value(json_object_get(event, "tid"));
        double start_us = json_number_value(json_object_get(event, "ts")), us = json_number_value(json_object_get(event, "dur"));
        assert_true(rank >= 0 && rank < RANKS && us > 0);
        assert_true(start_us >= end_us[rank] - 1e-6); /* slices of a thread do not overlap */
        end_us[rank] = start_us + us;
        last_us = end_us[rank] > last_us ? end_us[rank] : last_us;
        if (strcmp(json_string_value(json_object_get(event, "name")), "C") == 0)
            copied[rank] += json_number_value(json_object_get(json_object_get(event, "args"), "bytes"));
    }
    for (int r = 0; r < RANKS; r++)
        assert_near(copied[r], 8 * 1024.0, 0);
    assert_near(last_us, time_s * 1e6, 1e-5);
    json_decref(root);
    free(text);
}

static void no_room_is_an_error(void **state)
{
    (void)state;
    FILE *full = fopen("/dev/full", "w");
    struct trace_json trace;
    if (!full)
        skip();
    trace_json_begin(&trace, full, "full", 2, 0);
    assert_int_not_equal(trace_json_end(&trace), 0);
    fclose(full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_is_valid_and_complete),
        cmocka_unit_test(no_room_is_an_error),
    };
    return cmocka_run_group_tests(tests, create_node, destroy_node);
}
