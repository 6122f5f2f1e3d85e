/* Bandwidth sharing against closed forms. */
#include "tests/model/cmocka_all.h"

#include "sim/sim_bandwidth.h"
#include "sim/sim_random.h"

#include <string.h>

enum { FLOWS = 16, NONE = UINT32_MAX };

static struct sim_bandwidth bandwidth;
static struct sim_queue queue;
static uint64_t now_ps, end_ps[FLOWS];
static int forgets; /* the speeds found before */

static void begin_test(uint32_t resources, uint32_t groups)
{
    assert_int_equal(sim_bandwidth_create(&bandwidth, resources, groups, FLOWS, 1000), 0);
    assert_int_equal(sim_queue_create(&queue, 4), 0);
    now_ps = 0;
}

static void end_test(void)
{
    sim_bandwidth_destroy(&bandwidth);
    sim_queue_destroy(&queue);
}

static void flat_resource(uint32_t resource, double bytes_per_s)
{
    double table[2] = {bytes_per_s, bytes_per_s};
    assert_int_equal(sim_bandwidth_resource(&bandwidth, resource, table, 2), 0);
}

static uint32_t class_of(double bytes_per_s, uint32_t uses, const struct sim_use *use)
{
    struct sim_class class = {.bytes_per_s = bytes_per_s, .beside = 1, .group = SIM_NO_GROUP, .rival = SIM_NO_GROUP};
    class.uses = uses;
    uint32_t id = 0;
    for (uint32_t i = 0; i < uses; i++)
        class.use[i] = use[i];
    assert_int_equal(sim_bandwidth_class(&bandwidth, &class, &id), 0);
    return id;
}

/* Runs until nothing moves or time is up. */
static void run_until(uint64_t stop_ps)
{
    for (;;) {
        if (forgets)
            memset(bandwidth.plan->kept, 0, SIM_SHARES_KEPT * sizeof *bandwidth.plan->kept);
        if (bandwidth.dirty)
            assert_int_equal(sim_bandwidth_settle(&bandwidth, &queue, now_ps), 0);
        if (sim_queue_head_ps(&queue) > stop_ps || queue.count == 0)
            break;
        struct sim_event event = sim_queue_pop(&queue);
        now_ps = event.time_ps;
        uint32_t flow;
        while ((flow = sim_bandwidth_end(&bandwidth, event.target - 1000, event.generation, now_ps)) != NONE)
            end_ps[flow] = now_ps;
    }
    if (stop_ps != UINT64_MAX)
        now_ps = stop_ps;
}

/* n equal flows of 1 GB/s through 4 GB/s: as if alone up to 4, then n/4 times as long. */
static void equal_flows(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= FLOWS; n++) {
        begin_test(1, 0);
        flat_resource(0, 4e9);
        uint32_t id = class_of(1e9, 1, &(struct sim_use){0, SIM_LOAD_UNIT});
        for (uint32_t i = 0; i < n; i++)
            sim_bandwidth_begin(&bandwidth, i, id, 8192000, 0);
        run_until(UINT64_MAX);
        for (uint32_t i = 0; i < n; i++)
            assert_near((double)end_ps[i], n <= 4 ? 8192000.0 : 8192000.0 * n / 4, 2);
        assert_int_equal(queue.popped, 1);
        end_test();
    }
}

/* A second flow that comes when half of the first is done: 1/2 alone, then both at half speed. */
static void a_late_flow(void **state)
{
    (void)state;
    begin_test(1, 0);
    flat_resource(0, 1e9);
    uint32_t id = class_of(1e9, 1, &(struct sim_use){0, SIM_LOAD_UNIT});
    sim_bandwidth_begin(&bandwidth, 0, id, 1000000, 0);
    run_until(500000);
    sim_bandwidth_begin(&bandwidth, 1, id, 1000000, now_ps);
    run_until(UINT64_MAX);
    assert_near((double)end_ps[0], 1500000, 2);
    assert_near((double)end_ps[1], 2000000, 2);
    end_test();
}

/* Resource 0 of 1 GB/s carries A and C, resource 1 of 3 GB/s carries B and C, all could do 3: C and A get 0.5 each, and
 * B what is left of resource 1, 2.5. */
static void a_flow_through_two_resources(void **state)
{
    (void)state;
    begin_test(2, 0);
    flat_resource(0, 1e9);
    flat_resource(1, 3e9);
    const struct sim_use both[2] = {{0, SIM_LOAD_UNIT}, {1, SIM_LOAD_UNIT}};
    uint32_t a = class_of(3e9, 1, &both[0]), b = class_of(3e9, 1, &both[1]), c = class_of(3e9, 2, both);
    const double bytes = 3000; /* alone: 1 us */
    sim_bandwidth_begin(&bandwidth, 0, a, 1000000, 0);
    sim_bandwidth_begin(&bandwidth, 1, b, 1000000, 0);
    sim_bandwidth_begin(&bandwidth, 2, c, 1000000, 0);
    run_until(UINT64_MAX);
    assert_near((double)end_ps[1], bytes / 2.5e9 * 1e12, 3);
    assert_near((double)end_ps[0], bytes / 0.5e9 * 1e12, 3);
    assert_near((double)end_ps[2], bytes / 0.5e9 * 1e12, 3);
    end_test();
}

/* What n flows get together may depend on n; a light flow takes less of it. */
static void capacity_by_flows(void **state)
{
    (void)state;
    begin_test(1, 0);
    const double table[3] = {0, 1e9, 1.5e9};
    assert_int_equal(sim_bandwidth_resource(&bandwidth, 0, table, 3), 0);
    uint32_t whole = class_of(1e9, 1, &(struct sim_use){0, SIM_LOAD_UNIT}), light = class_of(1e9, 1, &(struct sim_use){0, 1});
    sim_bandwidth_begin(&bandwidth, 0, whole, 1000000, 0);
    sim_bandwidth_begin(&bandwidth, 1, whole, 1000000, 0);
    run_until(UINT64_MAX);
    assert_near((double)end_ps[0], 1000000 / 0.75, 2);
    uint64_t start_ps = now_ps;
    sim_bandwidth_begin(&bandwidth, 0, light, 1000000, now_ps);
    sim_bandwidth_begin(&bandwidth, 1, light, 1000000, now_ps);
    run_until(UINT64_MAX);
    assert_near((double)(end_ps[0] - start_ps), 1000000, 2);
    end_test();
}

/* A flow slowed to a half while the rival group has flows. */
static void beside_a_rival(void **state)
{
    (void)state;
    begin_test(1, 2);
    flat_resource(0, 1e12);
    struct sim_class slow = {.bytes_per_s = 1e9, .beside = 0.5, .group = 0, .rival = 1}, rival = slow;
    uint32_t slow_id, rival_id;
    rival.group = 1;
    rival.rival = SIM_NO_GROUP;
    assert_int_equal(sim_bandwidth_class(&bandwidth, &slow, &slow_id), 0);
    assert_int_equal(sim_bandwidth_class(&bandwidth, &rival, &rival_id), 0);
    sim_bandwidth_begin(&bandwidth, 0, slow_id, 1000000, 0);
    sim_bandwidth_begin(&bandwidth, 1, rival_id, 500000, 0);
    run_until(UINT64_MAX);
    assert_near((double)end_ps[1], 500000, 2);
    assert_near((double)end_ps[0], 1250000, 2);
    end_test();
}

enum { DOMAINS = 8, CLASSES = 12, BEGUN = 4000 };

/* Flows that come and go at random times, of classes that overlap; when each ends, in the order in which they begin again.
 * Returns the most classes whose speeds are kept together. */
static uint32_t come_and_go(uint64_t *ends_ps)
{
    uint64_t random = 1;
    uint32_t classes[CLASSES], most = 0;
    begin_test(DOMAINS, 2);
    for (uint32_t d = 0; d < DOMAINS; d++)
        flat_resource(d, 1e9 + 1e8 * d);
    for (uint32_t i = 0; i < CLASSES; i++) {
        struct sim_class class = {.bytes_per_s = 1e9 + 7e7 * i, .beside = 0.8, .group = i % 2, .rival = SIM_NO_GROUP, .uses = 2};
        class.use[0] = (struct sim_use){i % DOMAINS, SIM_LOAD_UNIT};
        class.use[1] = (struct sim_use){(i + 3) % DOMAINS, SIM_LOAD_UNIT / 3};
        if (i % 3 < 2)
            class.rival = i % 3;
        assert_int_equal(sim_bandwidth_class(&bandwidth, &class, &classes[i]), 0);
    }
    for (uint32_t i = 0; i < BEGUN; i++) {
        uint32_t flow = i % FLOWS;
        while (i >= FLOWS && !end_ps[flow])
            run_until(now_ps + 1 + sim_random_next(&random) % 100000);
        ends_ps[i] = end_ps[flow];
        end_ps[flow] = 0;
        sim_bandwidth_begin(&bandwidth, flow, classes[i % CLASSES], 1 + sim_random_next(&random) % 1000000, now_ps);
    }
    run_until(UINT64_MAX);
    for (uint32_t i = 0; i < SIM_SHARES_KEPT; i++)
        most = bandwidth.plan->kept[i].classes > most ? bandwidth.plan->kept[i].classes : most;
    end_test();
    return most;
}

/* Of as many classes as nodes of many domains have, too. */
static void kept_speeds_are_those_found_anew(void **state)
{
    static uint64_t kept_ps[BEGUN], anew_ps[BEGUN];
    (void)state;
    memset(end_ps, 0, sizeof end_ps);
    assert_int_equal(come_and_go(kept_ps), CLASSES);
    memset(end_ps, 0, sizeof end_ps);
    forgets = 1;
    come_and_go(anew_ps);
    forgets = 0;
    assert_memory_equal(kept_ps, anew_ps, sizeof kept_ps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_flows),      cmocka_unit_test(a_late_flow),    cmocka_unit_test(a_flow_through_two_resources),
        cmocka_unit_test(capacity_by_flows), cmocka_unit_test(beside_a_rival), cmocka_unit_test(kept_speeds_are_those_found_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
